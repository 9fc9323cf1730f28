# Cross-compiles for AArch64 with Debian's packages. Tests run under QEMU's user mode.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)

# CMake and pkg-config files of the build machine do not apply to the target, but its programs run.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# Headers without machine-specific code are links to the build machine's, in a separate folder: all of /usr/include
# would add the wrong C library.
foreach(header vulkan vk_video spirv volk.h volk.c stb)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/portable-headers)
    if(EXISTS /usr/include/${header})
        file(CREATE_LINK /usr/include/${header} ${CMAKE_BINARY_DIR}/portable-headers/${header} SYMBOLIC)
    endif()
endforeach()
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/portable-headers)
list(APPEND CMAKE_FIND_ROOT_PATH ${CMAKE_BINARY_DIR}/portable-headers)
list(APPEND CMAKE_INCLUDE_PATH ${CMAKE_BINARY_DIR}/portable-headers)

# The folder into which .ci/run unpacks cmocka.
list(APPEND CMAKE_FIND_ROOT_PATH ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-packages)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
