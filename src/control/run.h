// Runs a control on a path of the CPU. All paths store the same bits.
#ifndef LIMBER_SRC_CONTROL_RUN_H
#define LIMBER_SRC_CONTROL_RUN_H

#include <limber/cpu.h>

// As lmb_control_run(), which runs the fast path. The machine must have the path.
LMB_API lmb_result lmb_control_run_path(const lmb_graph *graph, lmb_cpu_path path, const lmb_control_frame *frame,
                                        uint32_t first, uint32_t count, lmb_error *error);
// Runs the character of one row of a batch, whose words are apart: states, parameters, emitted events, motions and
// reached targets of the frame are those of this character alone, and its events are those of the batch.
lmb_result lmb_control_run_apart(const lmb_graph *graph, lmb_cpu_path path, const lmb_control_frame *frame,
                                 uint32_t row, lmb_error *error);

#endif
