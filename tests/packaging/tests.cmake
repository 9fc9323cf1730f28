# Projects that use Limber: see consumer/. They are built once and run on every driver, in CI on lavapipe. The quick set
# uses the library that this build installs. The full set adds a shared library and embedded sources, both compiled
# again without optimisation.
if(NOT CMAKE_CROSSCOMPILING AND NOT BUILD_SHARED_LIBS AND NOT LIMBER_FUZZ AND LIMBER_INSTALL)
    set(consumer_components "")
    if(TARGET limber::import)
        set(consumer_components import)
    endif()
    set(consumer_command "")
    if(TARGET limber-cli)
        set(consumer_command limber)
    endif()
    set(consumer_options -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}
        "-DCMAKE_C_FLAGS=${CMAKE_C_FLAGS}" "-DCMAKE_CXX_FLAGS=${CMAKE_C_FLAGS}")
    if(CMAKE_CXX_COMPILER)
        list(APPEND consumer_options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER})
    endif()
    set(about_static "Projects in C17 and C++20 find an installed and then moved Limber with CMake and with \
pkg-config; what is installed; symbols of the library.")
    set(about_shared "The same with a shared library, and its soname.")
    set(about_embedded "A project that adds the sources as a subdirectory.")
    set(about_consumer_loader "linked with the Vulkan loader")
    set(about_consumer_volk "with the consumer's own volk")
    set(about_consumer_pkgconfig "built with pkg-config")
    foreach(kind static shared embedded)
        set(set full)
        if(kind STREQUAL "static")
            set(set quick)
        endif()
        add_test(NAME consumer_build_${kind}
                 COMMAND ${CMAKE_COMMAND} -DKIND=${kind} -DSOURCE=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR}
                         -DPREFIX=${CMAKE_INSTALL_PREFIX} -DBINARY=${CMAKE_CURRENT_BINARY_DIR}/consumer
                         -DKERNELS=${LIMBER_KERNEL_DIR} "-DOPTIONS=${consumer_options}"
                         -DCOMPONENTS=${consumer_components} -DCOMPILER=${CMAKE_C_COMPILER}
                         -DCOMMAND=${consumer_command}
                         "-DCOMPILER_FLAGS=${CMAKE_C_FLAGS}" -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/build.cmake)
        limber_describe(consumer_build_${kind} "${about_${kind}}" ${set})
        set_tests_properties(consumer_build_${kind} PROPERTIES FIXTURES_SETUP consumer_${kind})
        set(executables consumer_loader consumer_volk consumer_pkgconfig)
        if(kind STREQUAL "embedded")
            set(executables consumer_loader)
        endif()
        foreach(executable IN LISTS executables)
            limber_script(${executable}_${kind} "A frame of the consumer on a device: ${about_${executable}}, ${kind}."
                          "${set};gpu;one-driver;slow-with-sanitizers" ${CMAKE_CURRENT_BINARY_DIR}/consumer/${kind}/${executable})
            set_tests_properties(${executable}_${kind} PROPERTIES FIXTURES_REQUIRED consumer_${kind})
        endforeach()
    endforeach()
endif()

# The release archive.
if(limber_runs_long AND TARGET archive)
    add_test(NAME package_archive
             COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DBINARY=${CMAKE_CURRENT_BINARY_DIR}/archive
                     -DKERNELS=${LIMBER_KERNEL_DIR} -DOPTIONS=-DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}
                     -P ${CMAKE_CURRENT_SOURCE_DIR}/packaging/archive.cmake)
    limber_describe(package_archive "The release archive: a host that builds it without glslc and spirv-opt." full)
endif()

# The packages of vcpkg and Conan, with stand-ins for these programs. They build Limber three times, at night.
find_program(LIMBER_PYTHON python3)
if(limber_runs_long AND LIMBER_INSTALL)
    add_test(NAME package_vcpkg
             COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DBINARY=${CMAKE_CURRENT_BINARY_DIR}/vcpkg
                     -DKERNELS=${LIMBER_KERNEL_DIR} -DOPTIONS=-DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}
                     -P ${CMAKE_CURRENT_SOURCE_DIR}/packaging/vcpkg.cmake)
    limber_describe(package_vcpkg "The vcpkg port, with stand-ins for vcpkg's functions, and a program by the \
commands of its usage text, in two configurations." nightly)
    if(LIMBER_PYTHON)
        add_test(NAME package_conan
                 COMMAND ${LIMBER_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/packaging/conan.py ${PROJECT_SOURCE_DIR}
                         ${CMAKE_CURRENT_BINARY_DIR}/conan ${LIMBER_KERNEL_DIR} ${CMAKE_C_COMPILER})
        limber_describe(package_conan "The Conan recipe and its test package, with stand-ins for Conan's \
classes, static and shared." nightly)
        set_tests_properties(package_conan PROPERTIES ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
    endif()
endif()
