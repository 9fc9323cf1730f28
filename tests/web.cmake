# Compiles to WebAssembly with Debian's emscripten. Tests run in node, or in Chromium: web/run.sh.
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/web/run.sh)
set(limber_web_folder ${CMAKE_CURRENT_LIST_DIR})
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)

# The folder into which .ci/run installs cmocka.
list(APPEND CMAKE_FIND_ROOT_PATH ${limber_web_folder}/../build/web-packages)
