# Compiles to WebAssembly with Debian's emscripten. Tests run in node, or in Chromium: web/run.sh.
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/web/run.sh)
set(limber_web_folder ${CMAKE_CURRENT_LIST_DIR})
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)

# The folder into which .ci/run installs cmocka.
list(APPEND CMAKE_FIND_ROOT_PATH ${limber_web_folder}/../build/web-packages)

# emcc is a script in Python around Clang, which takes as long for a usual file as Clang does. It says which Clang it
# calls, and with which options: files are compiled by that, to the same bytes.
get_property(limber_is_trying GLOBAL PROPERTY IN_TRY_COMPILE)
if(NOT limber_is_trying)
    set(limber_file ${limber_web_folder}/../src/base/base.c) # any file in C
    execute_process(COMMAND ${CMAKE_C_COMPILER} -v -E -I${limber_web_folder}/../include ${limber_file} OUTPUT_QUIET
                    ERROR_VARIABLE limber_call)
    execute_process(COMMAND ${CMAKE_C_COMPILER} --cflags OUTPUT_VARIABLE limber_options
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(limber_options MATCHES "^-target" AND limber_call MATCHES "\"([^\"]*/clang[^\"]*)\" -target")
        set(CMAKE_C_COMPILE_OBJECT
            "${CMAKE_MATCH_1} ${limber_options} <DEFINES> <INCLUDES> <FLAGS> -o <OBJECT> -c <SOURCE>")
    endif()
endif()
