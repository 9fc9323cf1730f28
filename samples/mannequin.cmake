# The built-in character, for the samples, the tests and the bench.
add_library(limber-mannequin STATIC)
foreach(noun mannequin mannequin_clips mannequin_figure mannequin_joints mannequin_math mannequin_memory mannequin_motion
        mannequin_shape mannequin_skin mannequin_surface)
    target_sources(limber-mannequin PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${noun}.c)
endforeach()
target_include_directories(limber-mannequin PUBLIC ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(limber-mannequin PUBLIC limber PRIVATE limber-flags m)
