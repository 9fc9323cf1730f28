# What `cmake --install` installs: libraries, public headers, limberConfig.cmake, pkg-config files, the command if it is
# built, the editor if one is named, the schema of graphs, the licence and the list of changes. The whole prefix may be
# moved afterwards. gpu.h alone needs <vulkan/vulkan_core.h>, which the includer provides.
include(CMakePackageConfigHelpers)

set(limber_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/limber)

# pkg-config files name the prefix relative to their own folder.
set(prefix ${CMAKE_INSTALL_PREFIX})
cmake_path(RELATIVE_PATH prefix BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE limber_prefix)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${prefix} OUTPUT_VARIABLE limber_libdir)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY ${prefix} OUTPUT_VARIABLE limber_includedir)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR}
           OUTPUT_VARIABLE limber_libdir_of_command)

# limber_install(COMPONENT TARGET DESCRIPTION REQUIRES PRIVATE_REQUIRES PRIVATE_LIBRARIES). Only a static library hands
# its private needs on to the programs that link it.
function(limber_install component target description requires private_requires private_libraries)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${component})
    install(TARGETS ${target} EXPORT limber-${component}
            RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT limber-${component} NAMESPACE limber:: FILE limber-${component}.cmake
            DESTINATION ${limber_package_dir})

    get_target_property(output ${target} OUTPUT_NAME)
    if(NOT output)
        set(output ${target})
    endif()
    set(define "")
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
        set(define " -DLMB_SHARED")
        set(private_requires "")
        set(private_libraries "")
    endif()
    configure_file(${PROJECT_SOURCE_DIR}/src/limber.pc.in ${PROJECT_BINARY_DIR}/${output}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${output}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

limber_install(limber limber "${PROJECT_DESCRIPTION}" "" "" "-lm -pthread")
set(headers_without "")
if(NOT LIMBER_GPU)
    list(APPEND headers_without PATTERN gpu*.h EXCLUDE PATTERN gpu.hpp EXCLUDE)
endif()
if(TARGET limber::graph)
    get_target_property(graph limber::graph ALIASED_TARGET)
    limber_install(graph ${graph} "Reads graphs written as JSON for limber" limber "" "-lm -pthread")
    install(FILES ${PROJECT_SOURCE_DIR}/docs/graph.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/limber)
else()
    list(APPEND headers_without PATTERN graph_json.h* EXCLUDE PATTERN machine.h EXCLUDE)
endif()
set(limber_import_packages "") # what a program needs that links it
if(TARGET limber::import)
    get_target_property(import limber::import ALIASED_TARGET)
    set(packages "")
    set(requires "") # of pkg-config; meshoptimizer has no file for it
    set(libraries "-lm -pthread")
    if(LIMBER_ASSIMP)
        list(APPEND packages assimp)
        list(APPEND requires assimp)
    endif()
    if(LIMBER_UFBX STREQUAL "PACKAGE")
        list(APPEND packages ufbx)
        list(APPEND requires ufbx)
    endif()
    if(LIMBER_DRACO)
        list(APPEND packages draco)
        list(APPEND requires draco)
        string(APPEND libraries " -l${LIMBER_CXX_LIBRARY}")
    endif()
    if(LIMBER_MESHOPT)
        list(APPEND packages meshoptimizer)
        string(APPEND libraries " -lmeshoptimizer")
    endif()
    get_target_property(import_type ${import} TYPE)
    if(import_type STREQUAL "STATIC_LIBRARY") # a shared one brings them along by itself
        list(JOIN packages " " limber_import_packages)
    endif()
    list(JOIN requires " " requires)
    limber_install(import ${import} "Reads characters from files for limber" limber-graph "${requires}" "${libraries}")
else()
    list(APPEND headers_without PATTERN import.h EXCLUDE PATTERN import.hpp EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/limber DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.h PATTERN *.hpp ${headers_without})

configure_package_config_file(${PROJECT_SOURCE_DIR}/src/limberConfig.cmake.in ${PROJECT_BINARY_DIR}/limberConfig.cmake
                              INSTALL_DESTINATION ${limber_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/limberConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/limberConfig.cmake ${PROJECT_BINARY_DIR}/limberConfigVersion.cmake
        DESTINATION ${limber_package_dir})

if(LIMBER_TOOLS AND LIMBER_IMPORT)
    set_target_properties(limber-cli PROPERTIES INSTALL_RPATH $ORIGIN/${limber_libdir_of_command})
    install(TARGETS limber-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# The editor that limber serve finds.
set(LIMBER_EDITOR "" CACHE PATH "Folder of a built editor (samples/playground/build.sh), which is installed for limber serve")
if(LIMBER_EDITOR)
    if(NOT EXISTS ${LIMBER_EDITOR}/editor.html)
        message(FATAL_ERROR "LIMBER_EDITOR is no folder with editor.html: ${LIMBER_EDITOR}")
    endif()
    install(DIRECTORY ${LIMBER_EDITOR}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/limber/editor)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The pages of the manual with their pictures, in folders as here, and the site if the target `manual` has built it. A
# package's sources may lack the pictures.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md
        PATTERN site EXCLUDE)
foreach(folder characters machines operations renderer viewer)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/samples/${folder} DESTINATION ${CMAKE_INSTALL_DOCDIR}/samples OPTIONAL
            FILES_MATCHING PATTERN *.png PATTERN *.jpg PATTERN *.svg)
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/html DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
