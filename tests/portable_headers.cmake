# Included by the toolchain files of cross builds. Links to headers of the build machine that have no machine-specific
# code, in a folder of their own: all of /usr/include would add the wrong C library.
foreach(header vulkan vk_video spirv volk.h volk.c stb)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/portable-headers)
    if(EXISTS /usr/include/${header})
        file(CREATE_LINK /usr/include/${header} ${CMAKE_BINARY_DIR}/portable-headers/${header} SYMBOLIC)
    endif()
endforeach()
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/portable-headers)
list(APPEND CMAKE_FIND_ROOT_PATH ${CMAKE_BINARY_DIR}/portable-headers)
list(APPEND CMAKE_INCLUDE_PATH ${CMAKE_BINARY_DIR}/portable-headers)
