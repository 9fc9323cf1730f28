cmake_minimum_required(VERSION 3.25)

# cmake -DKIND=static|shared|embedded -DSOURCE=... -DBUILD=... -DPREFIX=... -DBINARY=... -DKERNELS=... -DOPTIONS=...
#       -P build.cmake
# Builds the consumers of one kind: with the static Limber that the build folder BUILD installs, with a shared one, or
# with embedded sources. The last two compile Limber here, without optimisation, because only the way of building is
# tested.
function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "${command}\n${output}")
    endif()
endfunction()

function(build source binary)
    run(${CMAKE_COMMAND} -S ${source} -B ${binary} -G Ninja ${OPTIONS} ${ARGN})
    run(${CMAKE_COMMAND} --build ${binary})
endfunction()

# Every external symbol of a library must start with lmb_, so that it cannot conflict with one of the host, above all
# with the host's volk. The library must not import Vulkan functions by name, because it links no loader.
function(check_symbols library)
    execute_process(COMMAND nm --extern-only ${ARGN} ${library} OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL " [A-TV-Z] [^\n]+" defined "${lines}")
    string(REGEX MATCHALL " U vk[^\n]+" wanted "${lines}")
    list(FILTER defined EXCLUDE REGEX "^ [A-Z] (lmb_|_init$|_fini$|__)")
    if(defined OR wanted)
        message(FATAL_ERROR "${library} defines${defined}; wants${wanted}")
    endif()
endfunction()

set(plain -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DLIMBER_KERNELS=${KERNELS})
if(KIND STREQUAL "embedded")
    build(${SOURCE}/tests/consumer/embedded ${BINARY}/embedded ${plain} -DLIMBER_SOURCE=${SOURCE} -DLIMBER_SIMD=4)
    return()
endif()

set(prefix ${BINARY}/${KIND}-prefix)
file(REMOVE_RECURSE ${prefix})
if(KIND STREQUAL "static")
    # Installs under the configured prefix inside another folder, as package builds do.
    run(${CMAKE_COMMAND} -E env DESTDIR=${prefix} ${CMAKE_COMMAND} --install ${BUILD})
    set(ENV{PKG_CONFIG_SYSROOT_DIR} ${prefix})
    set(ENV{PKG_CONFIG_ALLOW_SYSTEM_CFLAGS} 1)
    set(ENV{PKG_CONFIG_ALLOW_SYSTEM_LIBS} 1)
    string(APPEND prefix ${PREFIX})
else()
    build(${SOURCE} ${BINARY}/shared-limber ${plain} -DLIMBER_TOOLS=OFF -DLIMBER_TESTS=OFF -DLIMBER_SIMD=OFF
          -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX=${prefix})
    run(${CMAKE_COMMAND} --install ${BINARY}/shared-limber)
endif()
build(${SOURCE}/tests/consumer ${BINARY}/${KIND} -DCMAKE_PREFIX_PATH=${prefix} -DCONSUMER_COMPONENTS=${COMPONENTS})
run(${BINARY}/${KIND}/consumer_headers)

file(GLOB_RECURSE libraries ${prefix}/liblimber*.a ${prefix}/liblimber*.so)
if(NOT libraries)
    message(FATAL_ERROR "No library was installed in ${prefix}")
endif()
foreach(library IN LISTS libraries)
    if(KIND STREQUAL "shared")
        check_symbols(${library} --dynamic)
    else()
        check_symbols(${library})
    endif()
endforeach()

# Programs that link the shared library refer to it by its major and minor version.
if(KIND STREQUAL "shared")
    execute_process(COMMAND readelf --dynamic ${BINARY}/shared/consumer_loader OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
    if(NOT dynamic MATCHES "NEEDED[^\n]*\\[liblimber\\.so\\.[0-9]+\\.[0-9]+\\]")
        message(FATAL_ERROR "consumer_loader does not need liblimber.so.N.N:\n${dynamic}")
    endif()
endif()

# The same with pkg-config, without CMake.
file(GLOB_RECURSE package ${prefix}/limber.pc)
get_filename_component(package_dir "${package}" DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${package_dir})
execute_process(COMMAND pkg-config --${KIND} --cflags --libs limber
                OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
separate_arguments(compiler_flags UNIX_COMMAND "${COMPILER_FLAGS}")
run(${COMPILER} ${compiler_flags} ${SOURCE}/tests/consumer/consumer.c -o ${BINARY}/${KIND}/consumer_pkgconfig ${flags}
    -lvulkan -Wl,-rpath,${package_dir}/..)
