cmake_minimum_required(VERSION 3.25)

# cmake -DTESTS=... -DREADME=... -P readme_table.cmake
# Fails if a test has no row with its set in README. TESTS is a file of lines `name set`.
file(STRINGS ${TESTS} tests)
file(STRINGS ${README} rows REGEX "^\\| `[a-z0-9_]+` \\|")
set(known "")
foreach(row IN LISTS rows)
    string(REGEX MATCH "^\\| `([a-z0-9_]+)` \\| ([a-z]+) \\|" matched "${row}")
    list(APPEND known "${CMAKE_MATCH_1} ${CMAKE_MATCH_2}")
endforeach()
foreach(test IN LISTS tests)
    if(NOT test IN_LIST known)
        string(REPLACE " " "` | " row "${test}")
        message(SEND_ERROR "${README} has no row of this test: | `${row} |")
    endif()
endforeach()
