cmake_minimum_required(VERSION 3.25)

# cmake -DSOURCE=... -DBINARY=... -DKERNELS=... -DOPTIONS=... -P archive.cmake
# Makes the release archive, and builds a host with it as a subdirectory, with no glslc and no spirv-opt in the PATH.
# Limber is compiled without optimisation, because only the way of building is tested.
function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "${command}\n${output}")
    endif()
endfunction()

file(REMOVE_RECURSE ${BINARY})
file(MAKE_DIRECTORY ${BINARY}/path ${BINARY}/host)
run(${SOURCE}/packaging/archive.sh ${KERNELS} ${BINARY}/limber.tar.gz)
file(ARCHIVE_EXTRACT INPUT ${BINARY}/limber.tar.gz DESTINATION ${BINARY}/host)
file(GLOB archived ${BINARY}/host/limber-*)

# A PATH with all programs but these.
file(WRITE ${BINARY}/links.sh "IFS=:
for folder in $PATH; do
    ln -s $folder/* ${BINARY}/path 2>/dev/null
done
cd ${BINARY}/path && rm -f glslc glslang* spirv-*
")
run(sh ${BINARY}/links.sh)
set(ENV{PATH} ${BINARY}/path)
find_program(compiler NAMES glslc spirv-opt PATHS ${BINARY}/path NO_DEFAULT_PATH)
if(compiler)
    message(FATAL_ERROR "${compiler} is in the PATH")
endif()

file(WRITE ${BINARY}/host/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(host LANGUAGES C)
add_subdirectory(${archived} limber)
add_executable(host host.c)
target_link_libraries(host limber::limber)
")
file(WRITE ${BINARY}/host/host.c "#include <limber/gpu.h>
int main(void) {
    lmb_gpu *gpu = NULL;
    lmb_error error;
    const lmb_gpu_def def = lmb_default_gpu_def();
    return lmb_gpu_create(&def, NULL, &gpu, &error) == LMB_ERROR_ARGUMENT ? 0 : 1; // needs a device
}
")
# By default a host compiles at most one vector path, and needs no library that happens to be on the machine.
run(${CMAKE_COMMAND} -S ${BINARY}/host -B ${BINARY}/build -G Ninja ${OPTIONS} -DCMAKE_BUILD_TYPE=Debug
    -DCMAKE_C_FLAGS_DEBUG=-O0)
file(STRINGS ${BINARY}/build/CMakeCache.txt defaults REGEX "^LIMBER_(SIMD|ASSIMP|DRACO|MESHOPT|TOOLS|TESTS):")
list(JOIN defaults " " defaults)
if(NOT defaults MATCHES "ASSIMP:BOOL=OFF .*DRACO:BOOL=OFF .*MESHOPT:BOOL=OFF .*SIMD:STRING=(8|ON) .*TESTS:BOOL=OFF .*TOOLS:BOOL=OFF"
   OR (CMAKE_HOST_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND defaults MATCHES "SIMD:STRING=ON"))
    message(FATAL_ERROR "The defaults of a subdirectory are ${defaults}")
endif()
run(${CMAKE_COMMAND} -S ${BINARY}/host -B ${BINARY}/build -DLIMBER_SIMD=OFF)
file(STRINGS ${BINARY}/build/CMakeCache.txt compilers REGEX "^LIMBER_(GLSLC|SPIRV_OPT)") # CMake finds them in /usr
if(compilers)
    message(FATAL_ERROR "The archive needs ${compilers}")
endif()
run(${CMAKE_COMMAND} --build ${BINARY}/build)
run(${BINARY}/build/host)
file(GLOB_RECURSE libraries ${BINARY}/build/*.a)
if(libraries MATCHES "graph|import")
    message(FATAL_ERROR "A host that links the core alone builds ${libraries}")
endif()
