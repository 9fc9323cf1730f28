/// @file cpu.h
/// @ingroup cpu
/// Runs a batch on the CPU.
///
/// The reference is scalar C compiled from the sources of the kernels; it defines the bits. The SIMD paths are the same
/// sources compiled for vectors of characters; they give the same bits several times faster.
#ifndef LIMBER_CPU_H
#define LIMBER_CPU_H

#include <limber/batch.h>
#include <limber/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup cpu
/// @{

/// The code that evaluates a batch. All paths give the same bits.
typedef enum lmb_cpu_path {
    LMB_CPU_REFERENCE, ///< one character at a time, scalar
    /// The widest of the following that this machine has, or the reference if it has none. Few characters, and those
    /// that remain after whole vectors, take a narrower one that holds them.
    LMB_CPU_FAST,
    LMB_CPU_SIMD_4,  ///< 4 characters at a time: SSE2, NEON
    LMB_CPU_SIMD_8,  ///< 8 characters at a time: AVX2
    LMB_CPU_SIMD_16, ///< 16 characters at a time: AVX-512
    LMB_CPU_PATH_COUNT
} lmb_cpu_path;

/// "reference", "fast", "simd 4" and so on; never NULL. The text is static.
LMB_API const char *lmb_cpu_path_name(lmb_cpu_path path);
/// Whether this build and this machine support a path. They always support the reference and the fast path.
LMB_API bool lmb_cpu_has(lmb_cpu_path path);

/// Runs batches of one graph: its scratch memory and the path of its code.
///
/// One thread at a time may use it. Threads that share a batch must each have their own, and run ranges of characters
/// that do not overlap.
typedef struct lmb_cpu lmb_cpu;

/// Creates scratch memory for a graph, which must outlive it.
///
/// SIMD paths also get memory for the decoded tracks of clips, at most 2 MiB, and for the keys of compressed clips
/// (lmb_cpu_set_key_memory()). Both stay valid from run to run until lmb_graph_set_clip() changes a clip. If the tracks
/// of all clips do not fit, clips are sampled without them until the next run, at a lower speed.
///
/// Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_MEMORY, and with #LMB_ERROR_UNSUPPORTED if this machine lacks the path.
LMB_API lmb_result lmb_cpu_create(const lmb_graph *graph, lmb_cpu_path path, const lmb_host *host, lmb_cpu **cpu,
                                  lmb_error *error);
/// NULL is allowed.
LMB_API void lmb_cpu_destroy(lmb_cpu *cpu);
/// Sets the memory in which SIMD paths keep the decoded keys of compressed clips: `bytes`, or less if all keys need
/// less, which is 16 bytes for each key of a track. A graph with clip slots (clip_slot.h) takes all of `bytes`. 0:
/// none. Default: 4 MiB. It changes no bit of a result.
///
/// Clips whose keys do not fit are decoded whenever they are sampled. This takes longer, above all where characters
/// play different clips. Fails with #LMB_ERROR_MEMORY, and then nothing changes. The reference keeps no keys.
LMB_API lmb_result lmb_cpu_set_key_memory(lmb_cpu *cpu, size_t bytes, lmb_error *error);
/// Returns the path that is used, never #LMB_CPU_FAST.
LMB_API lmb_cpu_path lmb_cpu_path_of(const lmb_cpu *cpu);

/// Runs one frame of the whole batch, whose graph must be the one of `cpu`.
///
/// First runs the graph's control, if it has one (lmb_batch_inputs.control), as lmb_control_run() does; then evaluates
/// poses and the other outputs. Allocates nothing. The caller's floating-point environment (rounding, flushing) does
/// not affect the result and is restored. Inputs and outputs must not overlap, except for
/// lmb_batch_inputs.previous_palette, also if several threads run ranges. Fails with #LMB_ERROR_ARGUMENT if a needed
/// pointer is NULL, if the graph has a control and no frame for it is given, or one with another number of characters,
/// and as lmb_control_run() does.
LMB_API lmb_result lmb_cpu_run(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                               const lmb_batch_outputs *outputs, lmb_error *error);

/// Runs only characters [first, first + count). Pointers are still those of the whole batch. Fails with
/// #LMB_ERROR_ARGUMENT if a character is outside the batch, and as lmb_cpu_run() does.
///
/// The order in which characters run is not theirs in the batch: SIMD paths first collect up to 4096 characters that
/// play other clips than their neighbours, and put those together that play the same ones.
///
/// Outputs of other characters do not change. The counters `refused` are those of this range, so give each thread its
/// own, and add them up.
LMB_API lmb_result lmb_cpu_run_range(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                                     const lmb_batch_outputs *outputs, uint32_t first, uint32_t count,
                                     lmb_error *error);

/// Runs characters [first, first + count) without the control, and ignores lmb_batch_inputs.control. For hosts that
/// call lmb_control_run() themselves, at another rate or on another machine.
LMB_API lmb_result lmb_cpu_run_poses(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                                     const lmb_batch_outputs *outputs, uint32_t first, uint32_t count,
                                     lmb_error *error);

/// Runs the poses of the characters in a list; otherwise as lmb_cpu_run_poses(). Unlike a list on a device it does not
/// run the control: call lmb_control_run() for all characters first.
///
/// A character that is listed twice is run twice. An index outside the batch is ignored and counted as
/// #LMB_REFUSED_CHARACTER. Lists in any order use whole vectors.
LMB_API lmb_result lmb_cpu_run_list(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                                    const lmb_batch_outputs *outputs, const uint32_t *characters, uint32_t count,
                                    lmb_error *error);

/// A character in a frame of the past, for lmb_cpu_run_past(). Zeroed: nobody.
typedef struct lmb_past_character {
    const void *snapshot; ///< of before the frame, aligned to 4: lmb_snapshot_save()
    size_t snapshot_size;
    uint32_t index;  ///< in the snapshot
    uint32_t row;    ///< in the batch of that frame: its row of the inputs
    uint32_t *state; ///< its state after the frame, uint32_t [lmb_graph_info.state_words]; written; may be NULL
    float *motion;   ///< its lmb_control_frame.motions, float [lmb_graph_info.motion_floats]; written; may be NULL
} lmb_past_character;

/// Runs one character in a frame of the past: where its joints, sockets and bounds were, for hit tests. The outputs
/// have the bits that the batch had in that frame. The batch of today is not touched.
///
/// `batch` and `inputs` are those of that frame, as they were given to lmb_cpu_run(), or hold only the rows up to that
/// of the character. Of `inputs->control` it reads the step, the number, the host's parameters and the events of the
/// row, and whether there are `matrices`, which then are the character's own. It reads none of its states and reached
/// targets, and writes nothing to it. `outputs->buffers` are those of one character; of `outputs->inertia` and
/// `outputs->reached` nothing is read or written.
///
/// A host that kept the inputs of this character alone gives a batch of one, with row 0 and events for character 0.
/// The row itself matters only with lmb_graph_def.update_every, to a character that had not begun.
///
/// lmb_state_matrix() of `past->state` says where the character was in the world. With
/// lmb_graph_def.interpolate_updates, `past->motion` is where it was shown.
///
/// Allocates nothing. `cpu` may be one that runs batches as well, between their runs. Fails as lmb_snapshot_open() and
/// lmb_cpu_run() do; with #LMB_ERROR_FORMAT if the snapshot belongs to another graph; and with #LMB_ERROR_ARGUMENT if
/// it has no such character, or the batch no such row. It trusts the snapshot as lmb_snapshot_restore() does.
LMB_API lmb_result lmb_cpu_run_past(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                                    const lmb_batch_outputs *outputs, const lmb_past_character *past, lmb_error *error);

/// @}

#ifdef __cplusplus
}
#endif

#endif
