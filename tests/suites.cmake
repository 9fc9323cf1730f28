# What is special about the suites of a folder (in_FOLDER), about a suite (of_NAME) and a fuzzer (if_NAME):
#   GPU         needs a Vulkan device, though its name does not say so
#   FULL        is in the full set
#   ALL_CASES   is in the nightly set as well, with all of its cases
#   OPTIMISED   calculates so much that it is optimised with sanitizers too
#   SKIPS       returns 77 where it cannot run
#   IF          variables that must be true       NEEDS    targets that must exist
#   RUNS        programs that it runs: LIMBER_ and the target's name without `limber-` is the path
#   LIBRARIES, SOURCES, INCLUDE, LABELS           see README.md for labels
#   COST        the longest start first, so that no core waits for one of them at the end
#   LOCK        suites with the same word do not run at the same time
if(NOT WIN32)
    set(NOT_WIN32 TRUE)
endif()
if(NOT LIMBER_ASSIMP)
    set(NOT_LIMBER_ASSIMP TRUE)
endif()

foreach(folder json import)
    set(in_${folder} IF LIMBER_IMPORT LIBRARIES limber-tools)
endforeach()
foreach(folder pack tools samples whole docs)
    set(in_${folder} LIBRARIES limber-tools)
endforeach()
set(in_gpu IF LIMBER_GPU)
set(in_cli IF NOT_WIN32 RUNS limber-cli LIBRARIES limber-tools)

set(of_arithmetic_test OPTIMISED ALL_CASES LABELS again-with-sanitizers)
set(of_float64_test OPTIMISED LABELS foreign web)
set(of_same_bits_test LABELS foreign web)
set(of_ticks_test OPTIMISED LABELS foreign web
    SOURCES ops/ticks_of_words.c ops/ticks_of_lanes.c ops/ticks_of_the_compiler.c)
set(of_inertia_test OPTIMISED LABELS vectors)
set(of_inertia_gpu_test LABELS cases again-with-sanitizers)
set(of_chain_gpu_test LABELS cases slow-with-sanitizers)
set(of_space_test ALL_CASES COST 35 LABELS slow-with-sanitizers)
foreach(name additive_test channels_test combine_test lod_test matrices_test outputs_test partial_test)
    set(of_${name} LABELS vectors)
endforeach()
foreach(name auto_test foot_speed_test foot_walk_test foot_walk_gpu_test matching_walk_test traps_test)
    set(of_${name} LIBRARIES limber-mannequin)
endforeach()
set(of_mirror_test IF LIMBER_IMPORT LIBRARIES limber-tools)
set(of_compress_test IF LIMBER_IMPORT LIBRARIES limber-tools LABELS again-with-sanitizers vectors)
foreach(name clip_test control_time_test character_pack_test import_test strtod_test)
    set(of_${name} LABELS foreign)
endforeach()

set(of_blend_space_test OPTIMISED)
set(of_matching_test OPTIMISED LABELS again-with-sanitizers)
set(of_matching_gpu_test LABELS slow-with-sanitizers)
set(of_oracle_control_test OPTIMISED LABELS web)
set(of_skin_test OPTIMISED)
set(of_skin_gpu_test OPTIMISED)
set(of_control_random_test LABELS web)
# They compile the same kernels: the second takes those of the first from the driver's cache.
set(of_control_gpu_test COST 100 LOCK control_kernels LABELS cases slow-with-sanitizers)
set(of_control_random_gpu_test COST 95 LOCK control_kernels LABELS cases slow-with-sanitizers)
set(of_blend_profile_gpu_test LABELS cases)
set(of_clip_slot_gpu_test LABELS cases one-driver slow-with-sanitizers)
set(of_cpu_pool_test ALL_CASES LABELS slow-with-sanitizers system)
set(of_root_motion_test OPTIMISED LIBRARIES limber-tools)
set(of_motion_database_test ALL_CASES OPTIMISED LABELS again-with-sanitizers)
set(of_motion_graph_test ALL_CASES OPTIMISED)
set(of_motion_walk_test ALL_CASES OPTIMISED)

set(of_gpu_bits_test GPU COST 90 LABELS cases slow-with-sanitizers)
set(of_gpu_host_test GPU COST 50 LABELS cases one-driver slow-with-sanitizers)
set(of_gpu_profile_test GPU LABELS cases one-driver)
set(of_gpu_readback_test GPU LABELS cases one-driver)
set(of_gpu_reload_test GPU LIBRARIES limber-mannequin LABELS cases one-driver slow-with-sanitizers)
set(of_gpu_loops_test SOURCES gpu/loops_pose.c LIBRARIES limber-tools INCLUDE ${LIMBER_KERNEL_DIR})
set(of_spirv_test SOURCES ../shaders/exact.c ../shaders/lower.c INCLUDE ${LIMBER_KERNEL_DIR})
set(of_specialized_test SOURCES ../shaders/exact.c LIBRARIES limber-tools)
set(of_hoist_test SOURCES ../shaders/hoist.c)

set(of_results_test IF LIMBER_GPU OPTIMISED)
set(of_extremes_test ALL_CASES SKIPS COST 40 LABELS slow-with-sanitizers vectors)
set(of_extremes_gpu_test COST 70 LABELS cases optimised slow-with-sanitizers)
set(of_golden_gpu_test COST 45 LABELS cases optimised again-with-sanitizers)
set(of_program_random_test LABELS foreign vectors web)
set(of_program_random_gpu_test COST 65 LABELS cases slow-with-sanitizers)
set(of_graph_random_test IF LIMBER_IMPORT LABELS web)
set(of_snapshot_test IF LIMBER_IMPORT LIBRARIES limber-tools LABELS foreign)
set(of_past_test IF LIMBER_IMPORT LIBRARIES limber-tools LABELS vectors)
set(of_transfer_test IF LIMBER_IMPORT LIBRARIES limber-tools)
set(of_character_rows_test IF LIMBER_IMPORT LIBRARIES limber-tools)
set(of_plain_graph_test IF LIMBER_IMPORT LIBRARIES limber-tools LABELS vectors foreign)
set(of_character_rows_gpu_test IF LIMBER_IMPORT LIBRARIES limber-tools LABELS cases one-driver slow-with-sanitizers)
set(of_rollback_gpu_test IF LIMBER_IMPORT LIBRARIES limber-tools LABELS cases slow-with-sanitizers)
set(of_graph_gpu_test IF LIMBER_IMPORT COST 85 LABELS cases slow-with-sanitizers)

set(of_graph_schema_test ALL_CASES)
set(of_assimp_test IF LIMBER_ASSIMP)
set(of_assimp_absent_test IF NOT_LIMBER_ASSIMP)
set(of_fbx_test IF LIMBER_UFBX)
set(of_reader_test IF LIMBER_IMPORT LIMBER_ASSIMP)
set(of_open_file_test IF LIMBER_IMPORT LABELS system)
set(of_play_scene_test IF LIMBER_IMPORT)
set(of_capture_file_test IF NOT_WIN32 RUNS limber-cli)

set(of_cli_gpu_test COST 80 RUNS limber-hello LABELS cases one-driver)
set(of_pack_command_test RUNS pack_runner)
set(of_output_test RUNS limber-bench)
set(of_serve_test IF LIMBER_SERVE)
set(of_pipeline_cache_test IF LIMBER_GPU LABELS system)
set(of_play_test GPU FULL LABELS cases one-driver slow-with-sanitizers)
set(of_capture_test GPU FULL COST 60 LABELS cases one-driver slow-with-sanitizers)

set(viewer ../samples/viewer)
set(of_mannequin_test ALL_CASES LABELS slow-with-sanitizers)
set(of_hello_test IF LIMBER_IMPORT LIMBER_GPU LIBRARIES ${CMAKE_DL_LIBS})
set(lockstep ../samples/lockstep)
set(of_lockstep_test IF LIMBER_IMPORT ALL_CASES OPTIMISED LIBRARIES limber-tools limber-mannequin
    LABELS slow-with-sanitizers
    SOURCES ${lockstep}/client.c ${lockstep}/game.c ${lockstep}/run.c ${lockstep}/server.c ${lockstep}/wire.c)
set(of_lockstep_gpu_test IF NOT_WIN32 COST 60 RUNS limber-lockstep LABELS one-driver slow-with-sanitizers)
set(of_characters_test IF NOT_WIN32 RUNS limber-cli)
set(of_graphs_test IF NOT_WIN32 RUNS limber-cli)
set(of_viewer_test GPU FULL COST 55 SOURCES samples/viewer_run.c LIBRARIES limber-stb RUNS limber-viewer limber-cli
    LABELS cases one-driver slow-with-sanitizers)
set(of_demo_test GPU FULL COST 75 SOURCES samples/viewer_run.c LIBRARIES limber-stb RUNS limber-viewer
    LABELS cases one-driver slow-with-sanitizers)
set(of_renderer_test IF NOT_WIN32 GPU FULL LIBRARIES limber-stb RUNS limber-renderer limber-cli
    LABELS cases one-driver slow-with-sanitizers)
set(of_demo_clips_test NEEDS limber-viewer LIBRARIES limber-stb SOURCES ${viewer}/demo_clips.c
    ${viewer}/character.c ${viewer}/sources.c ${viewer}/measure.c ${viewer}/fail.c ${viewer}/graph_file.c
    ${viewer}/graph_run.c ${viewer}/graph_targets.c)
set(of_graph_view_test NEEDS limber-viewer SOURCES ${viewer}/fail.c ${viewer}/graph_file.c ${viewer}/graph_run.c
    ${viewer}/graph_targets.c ${viewer}/graph_weights.c LIBRARIES limber-tools)

set(rdna ../bench/kernels)
set(of_bench_test IF NOT_WIN32 ALL_CASES RUNS limber-bench LIBRARIES limber-tools)
set(of_bench_gpu_test IF NOT_WIN32 FULL RUNS limber-bench LABELS cases one-driver slow-with-sanitizers)
set(of_lab_gpu_test IF NOT_WIN32 FULL RUNS limber-lab limber-cli NEEDS limber-lab-plain
    LABELS cases one-driver slow-with-sanitizers)
set(of_rdna_profile_test INCLUDE ../bench SOURCES ${rdna}/rdna_operations.c ${rdna}/rdna_profiler.c ${rdna}/rdna_read.c
    ${rdna}/rdna_run.c ${rdna}/rdna_uses.c)

set(of_readme_gpu_test NEEDS readme_example LIBRARIES readme_example LABELS cases one-driver)
set(of_existing_renderer_gpu_test IF LIMBER_IMPORT LIBRARIES limber-tools limber-mannequin
    INCLUDE ${CMAKE_CURRENT_BINARY_DIR} SOURCES ${CMAKE_CURRENT_BINARY_DIR}/existing-renderer.inc
    LABELS cases one-driver)
set(of_shaders_gpu_test IF LIMBER_GLSLC LIBRARIES limber-tools limber-mannequin INCLUDE ${CMAKE_CURRENT_BINARY_DIR}
    SOURCES ${CMAKE_CURRENT_BINARY_DIR}/shaders.comp.inc ${CMAKE_CURRENT_BINARY_DIR}/shaders.hlsl.inc
    LABELS cases one-driver)
set(of_manual_test NEEDS manual_example LIBRARIES manual_example)

foreach(name import bvh files graph machine capture)
    set(if_${name}_fuzz LIMBER_IMPORT)
endforeach()
set(if_reader_fuzz LIMBER_IMPORT LIMBER_ASSIMP)
set(if_fbx_fuzz LIMBER_IMPORT LIMBER_UFBX)
set(if_compressed_fuzz LIMBER_IMPORT LIMBER_DRACO LIMBER_MESHOPT)

# A program that links the core library alone.
if(NOT_WIN32 AND TARGET limber-cli)
    add_executable(pack_runner cli/pack_runner.c support/pack_run.c)
    target_include_directories(pack_runner PRIVATE support)
    target_link_libraries(pack_runner PRIVATE limber-flags limber)
endif()
set(specialised_modules 12)
