cmake_minimum_required(VERSION 3.25)

# cmake -DSOURCE=... -DBINARY=... -DKERNELS=... -DOPTIONS=... -P vcpkg.cmake
# Runs the vcpkg port with stand-ins for vcpkg's functions, and builds a program with the commands of its usage text. As
# vcpkg does, it installs a package into a folder of its own, in two configurations.
set(PORT limber)
set(CURRENT_PACKAGES_DIR ${BINARY}/packages)
set(CURRENT_HOST_INSTALLED_DIR ${BINARY}/host)
set(VCPKG_HOST_EXECUTABLE_SUFFIX "")
set(configurations Release Debug)
set(folders ${CURRENT_PACKAGES_DIR} ${CURRENT_PACKAGES_DIR}/debug)
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR})

# The programs are where the host packages of vcpkg have them.
function(link_tool package tool)
    find_program(${tool}_program ${tool} REQUIRED)
    file(MAKE_DIRECTORY ${CURRENT_HOST_INSTALLED_DIR}/tools/${package})
    file(CREATE_LINK ${${tool}_program} ${CURRENT_HOST_INSTALLED_DIR}/tools/${package}/${tool} SYMBOLIC)
endfunction()
link_tool(shaderc glslc)
link_tool(spirv-tools spirv-opt)

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "${command}\n${output}")
    endif()
endfunction()

file(READ ${SOURCE}/packaging/vcpkg/limber/vcpkg.json manifest)
string(JSON version GET "${manifest}" version)
file(STRINGS ${SOURCE}/CMakeLists.txt project REGEX "^project\\(limber VERSION ${version} ")
if(NOT project)
    message(FATAL_ERROR "vcpkg.json has another version than CMakeLists.txt: ${version}")
endif()

# No feature is requested.
function(vcpkg_check_features)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_FEATURE_OPTIONS" "FEATURES")
    set(options "")
    while(arg_FEATURES)
        list(POP_FRONT arg_FEATURES feature option)
        list(APPEND options -D${option}=OFF)
    endwhile()
    set(${arg_OUT_FEATURE_OPTIONS} "${options}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
    set(configured -S ${arg_SOURCE_PATH} ${OPTIONS} ${arg_OPTIONS} PARENT_SCOPE)
endfunction()

# Both configurations have the same unoptimised code without vector paths, built once: what is tested is the port.
function(vcpkg_cmake_install)
    foreach(configuration folder IN ZIP_LISTS configurations folders)
        run(${CMAKE_COMMAND} -B ${BINARY}/build -G Ninja ${configured} -DCMAKE_BUILD_TYPE=${configuration}
            -DCMAKE_C_FLAGS_RELEASE=-O0 -DCMAKE_C_FLAGS_DEBUG=-O0 -DLIMBER_SIMD=OFF -DLIMBER_KERNELS=${KERNELS}
            -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX=${folder})
        run(${CMAKE_COMMAND} --build ${BINARY}/build)
        run(${CMAKE_COMMAND} --install ${BINARY}/build)
    endforeach()
endfunction()

# Moves the CMake files to share/PORT, with the debug library from its own folder, as vcpkg does.
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
    set(share ${CURRENT_PACKAGES_DIR}/share/${PORT})
    file(GLOB files ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*)
    file(COPY ${files} DESTINATION ${share})
    file(GLOB files ${CURRENT_PACKAGES_DIR}/debug/${arg_CONFIG_PATH}/*-debug.cmake)
    foreach(file IN LISTS files)
        file(READ ${file} text)
        string(REPLACE "\${_IMPORT_PREFIX}/" "\${_IMPORT_PREFIX}/debug/" text "${text}")
        get_filename_component(name ${file} NAME)
        file(WRITE ${share}/${name} "${text}")
    endforeach()
    # There is one folder less between these files and the prefix.
    set(up "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
    file(GLOB files ${share}/*.cmake)
    foreach(file IN LISTS files)
        file(READ ${file} text)
        string(REPLACE "${up}${up}" "${up}" text "${text}")
        string(REPLACE "/../../../\" ABSOLUTE" "/../../\" ABSOLUTE" text "${text}")
        file(WRITE ${file} "${text}")
    endforeach()
    file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/lib/cmake ${CURRENT_PACKAGES_DIR}/debug/lib/cmake)
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_copy_pdbs)
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
    file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT} RENAME copyright)
endfunction()

include(${SOURCE}/packaging/vcpkg/limber/portfile.cmake)

# vcpkg refuses packages with headers or CMake files in these folders, or without a licence.
foreach(none debug/include debug/share lib/cmake)
    if(EXISTS ${CURRENT_PACKAGES_DIR}/${none})
        message(FATAL_ERROR "The package has the folder ${none}")
    endif()
endforeach()
foreach(file share/limber/copyright share/limber/usage share/limber/graph.schema.json include/limber/graph.h)
    if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${file})
        message(FATAL_ERROR "The package has no ${file}")
    endif()
endforeach()

# A program with the commands of the usage text, which are indented.
file(STRINGS ${CURRENT_PACKAGES_DIR}/share/limber/usage commands REGEX "^    ")
list(JOIN commands "\n" commands)
file(WRITE ${BINARY}/main/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(main LANGUAGES C)
add_executable(main ${SOURCE}/tests/consumer/cpu.c)
target_compile_definitions(main PRIVATE CONSUMER_IMPORT)
${commands}
")
foreach(configuration IN LISTS configurations)
    set(build ${BINARY}/main-${configuration})
    run(${CMAKE_COMMAND} -S ${BINARY}/main -B ${build} -G Ninja ${OPTIONS} -DCMAKE_PREFIX_PATH=${CURRENT_PACKAGES_DIR}
        -DCMAKE_BUILD_TYPE=${configuration})
    run(${CMAKE_COMMAND} --build ${build})
    run(${build}/main)
endforeach()
