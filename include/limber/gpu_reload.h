/// @file gpu_reload.h
/// @ingroup device
/// Hot reload on a device: makes a batch and what hangs on it again, for an edited version of its graph.
///
///     lmb_gpu_reload_def def = lmb_default_gpu_reload_def();
///     def.batch = batch;
///     def.readback = readback;
///     def.frame = &newest;
///     def.graph = edited;
///     lmb_gpu_reloaded made;
///     lmb_gpu_batch_reload(&def, &made, &error); // made.batch, made.readback
///
/// The old batch stays as it is: destroy it, its readback first, when no commands use it any more.
#ifndef LIMBER_GPU_RELOAD_H
#define LIMBER_GPU_RELOAD_H

#include <limber/gpu_readback.h>
#include <limber/transfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup device
/// @{

/// What is made again. Start from lmb_default_gpu_reload_def().
typedef struct lmb_gpu_reload_def {
    const lmb_gpu_batch *batch;       ///< the old one
    const lmb_gpu_readback *readback; ///< its readback; may be NULL
    /// The newest frame that lmb_gpu_readback_next() returned of `readback`, with the contents that
    /// lmb_gpu_readback_save() needs: its characters go on, as transfer.h says. NULL: characters begin anew. Frames
    /// after it are lost: to lose none, wait for the device, call lmb_gpu_readback_completed() for each frame slot, and
    /// lmb_gpu_readback_next() until it returns false.
    const lmb_gpu_readback_frame *frame;
    lmb_gpu_graph *graph; ///< the new graph; must outlive the new batch
    /// With `frame`: the slot of the new batch's first frame. lmb_gpu_batch_record() refuses any other slot first.
    uint32_t slot;
} lmb_gpu_reload_def;

/// No batch and no graph, which are needed; no readback and no frame; slot 0.
LMB_API lmb_gpu_reload_def lmb_default_gpu_reload_def(void);

/// What was made. The host destroys it: the readback before the batch.
typedef struct lmb_gpu_reloaded {
    lmb_gpu_batch *batch;
    lmb_gpu_readback *readback;   ///< NULL if the old batch has none, or nothing that it read is left
    lmb_graph_transfer *transfer; ///< with a frame: says what is lost, and converts rows of parameters; else NULL
} lmb_gpu_reloaded;

/// Makes a batch and its readback again for another graph.
///
/// The new batch is created as the old one was (lmb_gpu_batch_def), without initial motions, and with room to restore
/// all its characters if there is a frame. What the new graph cannot have is left out: outputs, `emits_events`,
/// `own_transforms`, and contents of the readback. Pose buffers, points and world transforms that the host binds must
/// be bound anew. The characters of the frame are restored with the first frame recorded for `slot`;
/// lmb_gpu_batch_record() fails with #LMB_ERROR_STATE if the new batch's first frame has another slot. To keep their
/// phases, give it the number that follows lmb_gpu_readback_frame.number.
///
/// Allocates memory of the size of two snapshots while it runs. Fails with #LMB_ERROR_ARGUMENT if the batch, the graph
/// or the result is NULL, a frame is given without a readback, the readback is not of the batch, or there is no such
/// slot; and as lmb_gpu_batch_create(), lmb_gpu_readback_create(), lmb_gpu_readback_save(), lmb_graph_transfer_create()
/// and lmb_gpu_batch_restore() do. Then nothing is left.
LMB_API lmb_result lmb_gpu_batch_reload(const lmb_gpu_reload_def *def, lmb_gpu_reloaded *made, lmb_error *error);

/// @}

#ifdef __cplusplus
}
#endif

#endif
