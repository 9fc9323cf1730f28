cmake_minimum_required(VERSION 3.25)

# cmake -DKIND=static|shared|embedded -DSOURCE=... -DBUILD=... -DPREFIX=... -DBINARY=... -DKERNELS=... -DOPTIONS=...
#       -DCOMPONENTS=... -DCOMMAND=... -P build.cmake
# Builds the consumers of one kind: with the static Limber that the build folder BUILD installs, with a shared one, or
# with embedded sources. The last two compile Limber here, without optimisation, because only the way of building is
# tested. An installed prefix is moved before anything uses it. The consumers that need no device run here.
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
# with the host's volk. Weak ones of C++ are inline functions of Draco's headers and of the C++ library. The library must not import Vulkan functions by name, because it links no loader.
function(check_symbols library)
    execute_process(COMMAND nm --extern-only ${ARGN} ${library} OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL " [A-TV-Z] [^\n]+" defined "${lines}")
    string(REGEX MATCHALL " U vk[^\n]+" wanted "${lines}")
    list(FILTER defined EXCLUDE REGEX "^ [A-Z] (lmb_|_init$|_fini$|__)")
    list(FILTER defined EXCLUDE REGEX "^ [VW] (_Z|DW[.]ref[.])")
    if(defined OR wanted)
        message(FATAL_ERROR "${library} defines${defined}; wants${wanted}")
    endif()
endfunction()

set(plain -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DLIMBER_KERNELS=${KERNELS})
set(package limber)
set(package_flags "")
if("import" IN_LIST COMPONENTS)
    set(package limber-import)
    set(package_flags -DCONSUMER_IMPORT)
endif()
if(KIND STREQUAL "embedded")
    build(${SOURCE}/tests/consumer ${BINARY}/embedded ${plain} -DLIMBER_SOURCE=${SOURCE} -DLIMBER_SIMD=OFF
          -DCONSUMER_COMPONENTS=${COMPONENTS})
    run(${BINARY}/embedded/consumer_c17)
    run(${BINARY}/embedded/consumer_cpp20)
    if(COMPONENTS)
        run(${BINARY}/embedded/consumer_graph)
    endif()
    return()
endif()

set(prefix ${BINARY}/${KIND}-moved)
set(first ${BINARY}/${KIND}-prefix)
file(REMOVE_RECURSE ${prefix} ${first})
if(KIND STREQUAL "static")
    # Installs under the configured prefix inside another folder, as package builds do.
    run(${CMAKE_COMMAND} -E env DESTDIR=${first} ${CMAKE_COMMAND} --install ${BUILD})
    string(APPEND first ${PREFIX})
else()
    file(WRITE ${BINARY}/editor/editor.html "<p>editor")
    build(${SOURCE} ${BINARY}/shared-limber ${plain} -DLIMBER_TOOLS=OFF -DLIMBER_TESTS=OFF -DLIMBER_SIMD=OFF
          -DLIMBER_EDITOR=${BINARY}/editor -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX=${first})
    run(${CMAKE_COMMAND} --install ${BINARY}/shared-limber)
endif()
file(RENAME ${first} ${prefix})

# The licence, the changes, the manual with its pictures, and the schema of graphs, and the command if BUILD has it.
set(texts LICENSE CHANGELOG.md getting-started.md graph.jpg masked.png)
if(COMPONENTS)
    list(APPEND texts graph.schema.json)
endif()
foreach(text IN LISTS texts)
    file(GLOB_RECURSE installed ${prefix}/*/${text})
    if(NOT installed)
        message(FATAL_ERROR "${text} is not installed")
    endif()
endforeach()
if(KIND STREQUAL "shared" AND NOT EXISTS ${prefix}/share/limber/editor/editor.html)
    message(FATAL_ERROR "The editor is not installed")
endif()
file(GLOB_RECURSE texts ${prefix}/*.cmake ${prefix}/*.pc)
foreach(text IN LISTS texts)
    file(READ ${text} content)
    foreach(folder ${SOURCE} ${BUILD} ${BINARY})
        string(FIND "${content}" ${folder} at)
        if(NOT at EQUAL -1)
            message(FATAL_ERROR "${text} names the folder ${folder}")
        endif()
    endforeach()
endforeach()
if(KIND STREQUAL "static" AND COMMAND)
    run(${prefix}/bin/${COMMAND} --version)
endif()

build(${SOURCE}/tests/consumer ${BINARY}/${KIND} -DCMAKE_PREFIX_PATH=${prefix} -DCONSUMER_COMPONENTS=${COMPONENTS})
foreach(consumer headers c17 cpp20)
    run(${BINARY}/${KIND}/consumer_${consumer})
endforeach()

if(COMPONENTS)
    run(${BINARY}/${KIND}/consumer_graph)
endif()

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

# The same with pkg-config, without CMake, and with the compilers of the CMake project. `--static` adds what a static
# library needs; a shared one brings that along by itself.
file(GLOB_RECURSE limber_pc ${prefix}/limber.pc)
get_filename_component(package_dir "${limber_pc}" DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${package_dir})
if(KIND STREQUAL "static")
    set(static --static)
    set(wanted "-llimber .*-lm.*-pthread")
    set(defined "")
else()
    set(static "")
    set(wanted "-llimber$")
    set(defined "-DLMB_SHARED .*")
endif()

file(STRINGS ${BINARY}/${KIND}/CMakeCache.txt cxx_compiler REGEX "^CMAKE_CXX_COMPILER:")
string(REGEX REPLACE "^[^=]*=" "" cxx_compiler "${cxx_compiler}")
separate_arguments(compiler_flags UNIX_COMMAND "${COMPILER_FLAGS}")

# consumer(NAME PACKAGE WANTED SOURCE COMPILER OPTIONS...): WANTED is an expression that the package's flags match.
function(consumer name package wanted source)
    execute_process(COMMAND pkg-config ${static} --cflags --libs ${package}
                    OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    if(NOT text MATCHES "${wanted}")
        message(FATAL_ERROR "pkg-config ${static} ${package}: ${text}")
    endif()
    separate_arguments(flags UNIX_COMMAND "${text}")
    run(${ARGN} ${compiler_flags} ${source} -o ${BINARY}/${KIND}/consumer_${name} ${flags} -Wl,-rpath,${package_dir}/..)
endfunction()

set(sources ${SOURCE}/tests/consumer)
consumer(pkgconfig limber "${defined}${wanted}" ${sources}/consumer.c ${COMPILER} -std=c17 -Wl,--no-as-needed -lvulkan)
consumer(pkgconfig_c17 ${package} "${defined}-l${package}.*${wanted}" ${sources}/cpu.c ${COMPILER} -std=c17 ${package_flags})
consumer(pkgconfig_cpp20 ${package} "${defined}-l${package}.*${wanted}" ${BINARY}/${KIND}/cpu.cpp ${cxx_compiler} -std=c++20
         ${package_flags})
if(COMPONENTS)
    consumer(pkgconfig_graph limber-graph "${defined}-llimber-graph.*${wanted}" ${sources}/graph.c ${COMPILER} -std=c17)
    run(${BINARY}/${KIND}/consumer_pkgconfig_graph)
    # It needs no reader of characters.
    execute_process(COMMAND pkg-config ${static} --libs limber-graph OUTPUT_VARIABLE libs COMMAND_ERROR_IS_FATAL ANY)
    if(libs MATCHES "import|assimp")
        message(FATAL_ERROR "pkg-config ${static} --libs limber-graph: ${libs}")
    endif()
endif()
run(${BINARY}/${KIND}/consumer_pkgconfig_c17) # the first one needs a device
run(${BINARY}/${KIND}/consumer_pkgconfig_cpp20)
