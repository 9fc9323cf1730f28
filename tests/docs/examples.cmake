# The code of README.md and of the manual for the suites in this folder, and the header for C++.
get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
set(code "/^```/ { code = ($0 == \"```c\"); next } code")

# The example of README.md: its blocks fenced as ```c, in order, form one source that must compile and link.
set(readme ${PROJECT_SOURCE_DIR}/README.md)
if(EXISTS ${readme} AND cmocka_FOUND)
    add_custom_command(OUTPUT readme_example.c COMMAND awk "${code}" ${readme} > readme_example.c
                       DEPENDS ${readme} VERBATIM)
    add_library(readme_example SHARED readme_example.c)
    target_link_libraries(readme_example PRIVATE limber-flags limber)
    # The example is a fragment of a host without a header that declares its functions.
    set_source_files_properties(readme_example.c PROPERTIES COMPILE_OPTIONS -Wno-missing-prototypes)
    if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize") # with Clang, the executable defines the sanitizers' symbols
        target_link_options(readme_example PRIVATE -Wl,--no-undefined)
    endif()
    if(MINGW) # which exports the library's symbols, too
        target_link_options(readme_example PRIVATE -Wl,--exclude-libs,ALL)
    endif()
    # The same text is C++20 as well, without a warning.
    if(CXX IN_LIST languages)
        add_custom_command(OUTPUT readme_example.cpp COMMAND ${CMAKE_COMMAND} -E copy readme_example.c readme_example.cpp
                           DEPENDS readme_example.c VERBATIM)
        add_library(readme_example_cpp OBJECT readme_example.cpp)
        target_link_libraries(readme_example_cpp PRIVATE limber)
        target_compile_options(readme_example_cpp PRIVATE -Wall -Wextra -Wpedantic $<$<BOOL:${LIMBER_WERROR}>:-Werror>)
        set_target_properties(readme_example_cpp PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
    endif()
endif()

# The examples of the manual: a page's blocks fenced as ```c, in order, are the body of a function; those of the cookbook
# are functions.
if(LIMBER_IMPORT)
    set(manual_blocks "")
    foreach(page cookbook getting-started importing motion-matching netcode skinning state-machines)
        set(source ${PROJECT_SOURCE_DIR}/docs/${page}.md)
        add_custom_command(OUTPUT ${page}.inc COMMAND awk "${code}" ${source} > ${page}.inc DEPENDS ${source} VERBATIM)
        list(APPEND manual_blocks ${page}.inc)
    endforeach()
    # Blocks that are no part of that function have a name: ```c (NAME).
    foreach(named motion-matching/search netcode/past netcode/pack)
        string(REPLACE "/" ";" parts ${named})
        list(GET parts 0 page)
        list(GET parts 1 block)
        string(REPLACE "```c" "```c (${block})" select "${code}")
        set(source ${PROJECT_SOURCE_DIR}/docs/${page}.md)
        add_custom_command(OUTPUT ${page}_${block}.inc COMMAND awk "${select}" ${source} > ${page}_${block}.inc
                           DEPENDS ${source} VERBATIM)
        list(APPEND manual_blocks ${page}_${block}.inc)
    endforeach()
    add_library(manual_example OBJECT docs/manual_example.c ${manual_blocks})
    target_include_directories(manual_example PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
    target_link_libraries(manual_example PRIVATE limber-flags limber limber-import)
endif()

# The code of docs/existing-renderer.md is a source file, which existing_renderer_gpu_test includes.
if(LIMBER_IMPORT)
    set(source ${PROJECT_SOURCE_DIR}/docs/existing-renderer.md)
    add_custom_command(OUTPUT existing-renderer.inc COMMAND awk "${code}" ${source} > existing-renderer.inc
                       DEPENDS ${source} VERBATIM)
endif()

# The shaders of docs/shaders.md: its blocks of a language, in order, are included by a shader that calls their
# functions. glslc writes storage buffers of HLSL as SPIR-V up to 1.3 has them.
find_program(LIMBER_GLSLC glslc)
if(LIMBER_GLSLC)
    set(page ${PROJECT_SOURCE_DIR}/docs/shaders.md)
    function(limber_manual_shader language blocks shader)
        string(REPLACE "```c" "```${language}" select "${code}")
        set(source ${CMAKE_CURRENT_SOURCE_DIR}/docs/${shader})
        add_custom_command(
            OUTPUT ${shader}.inc
            COMMAND awk "${select}" ${page} > ${blocks}
            COMMAND ${LIMBER_GLSLC} ${ARGN} -fshader-stage=comp -I ${CMAKE_CURRENT_BINARY_DIR} -mfmt=num ${source} -o
                    ${shader}.inc
            DEPENDS ${page} ${source} VERBATIM)
    endfunction()
    limber_manual_shader(glsl shaders.glsl shaders.comp --target-env=vulkan1.2)
    limber_manual_shader(hlsl shaders_blocks.hlsl shaders.hlsl --target-env=vulkan1.1 -x hlsl)
endif()

# limber_hpp_test(NAME STANDARD OPTIONS...): the headers for C++.
function(limber_hpp_test name standard)
    add_executable(${name} docs/hpp_test.cpp)
    target_link_libraries(${name} PRIVATE limber $<$<BOOL:${LIMBER_IMPORT}>:limber-import>)
    target_compile_definitions(${name} PRIVATE $<$<BOOL:${LIMBER_IMPORT}>:LIMBER_HAS_IMPORT>)
    target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wundef $<$<BOOL:${LIMBER_WERROR}>:-Werror> ${ARGN})
    set_target_properties(${name} PROPERTIES CXX_STANDARD ${standard} CXX_STANDARD_REQUIRED ON)
    limber_script(${name} docs/hpp_test.cpp quick ${name})
endfunction()
if(CXX IN_LIST languages)
    limber_hpp_test(hpp_test 17 -fno-exceptions)
    limber_hpp_test(hpp_exceptions_test 20 -DLIMBER_EXCEPTIONS=1)
    if(LIMBER_GPU AND NOT CMAKE_CROSSCOMPILING)
        limber_script(hpp_headers docs/headers.sh "quick;sources" bash ${CMAKE_CURRENT_SOURCE_DIR}/docs/headers.sh
                      ${PROJECT_SOURCE_DIR}/include g++ clang++)
    endif()
endif()
