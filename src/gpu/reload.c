// Makes a batch and its readback again for another graph. Characters go on through a snapshot: one of the frame that
// was read back, converted by names, and restored with the new batch's first frame.
#include "gpu.h"
#include "readback.h"

#include <limber/gpu_reload.h>

lmb_gpu_reload_def lmb_default_gpu_reload_def(void) {
    return (lmb_gpu_reload_def){0};
}

static lmb_result check_def(const lmb_gpu_reload_def *def, const lmb_gpu_reloaded *made, lmb_error *error) {
    const char *missing = def == NULL          ? "the descriptor"
                          : made == NULL       ? "the result"
                          : def->batch == NULL ? "the batch"
                          : def->graph == NULL ? "the graph"
                                               : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu reload: %s is NULL", missing);
    }
    if (def->frame != NULL && def->readback == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu reload: there is a frame and no readback");
    }
    return def->readback == NULL || lmb_gpu_readback_made_by(def->readback).batch == def->batch
               ? LMB_OK
               : lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu reload: the readback is that of another batch");
}

static lmb_result make_batch(const lmb_gpu_reload_def *def, lmb_gpu_reloaded *made, lmb_error *error) {
    const lmb_graph *graph = def->graph->graph;
    lmb_gpu_batch_def batch = lmb_gpu_batch_made_by(def->batch);
    batch.graph = def->graph;
    batch.outputs &= lmb_graph_get_info(graph)->outputs;
    batch.emits_events = batch.emits_events && lmb_graph_get_info(graph)->state_words > 0;
    batch.own_transforms = batch.own_transforms && lmb_graph_get_info(graph)->has_motion;
    if (def->frame != NULL) {
        batch.restored_a_frame = batch.changes_a_frame = batch.character_count;
    }
    return lmb_gpu_batch_create(lmb_gpu_batch_gpu(def->batch), &batch, &made->batch, error);
}

static lmb_result make_readback(const lmb_gpu_reload_def *def, lmb_gpu_reloaded *made, lmb_error *error) {
    if (def->readback == NULL) {
        return LMB_OK;
    }
    lmb_gpu_readback_def readback = lmb_gpu_readback_made_by(def->readback);
    readback.batch = made->batch;
    readback.contents &= lmb_gpu_readback_contents_of(made->batch);
    return readback.contents != 0
               ? lmb_gpu_readback_create(lmb_gpu_batch_gpu(def->batch), &readback, &made->readback, error)
               : LMB_OK;
}

// Restores the characters of the frame. `saved` and `converted` are memory for snapshots of both graphs.
static lmb_result restore(const lmb_gpu_reload_def *def, const lmb_gpu_reloaded *made, void *saved, size_t size,
                          void *converted, size_t room, lmb_error *error) {
    const uint32_t count = lmb_gpu_batch_made_by(def->batch).character_count;
    lmb_result result =
        lmb_gpu_readback_save(def->readback, def->frame, NULL, count, def->frame->number, saved, size, error);
    if (result == LMB_OK) {
        result = lmb_graph_transfer_snapshot(made->transfer, saved, size, converted, room, error);
    }
    if (result == LMB_OK) {
        result = lmb_gpu_batch_restore(made->batch, def->slot, converted, room, NULL, error);
    }
    if (result == LMB_OK) {
        lmb_gpu_batch_begin_with(made->batch, def->slot);
    }
    return result;
}

static lmb_result move_characters(const lmb_gpu_reload_def *def, lmb_gpu_reloaded *made, lmb_error *error) {
    const lmb_batch_def old = lmb_gpu_batch_description(def->batch), own = lmb_gpu_batch_description(made->batch);
    const lmb_host *host = &lmb_gpu_batch_gpu(def->batch)->host;
    lmb_result result = lmb_graph_transfer_create(old.graph, own.graph, host, &made->transfer, error);
    if (result != LMB_OK) {
        return result;
    }
    const size_t size = lmb_snapshot_size(old.graph, old.character_count);
    const size_t room = lmb_snapshot_size(own.graph, own.character_count);
    void *saved = lmb_host_allocate(host, size, 1), *converted = lmb_host_allocate(host, room, 1);
    result = saved != NULL && converted != NULL
                 ? restore(def, made, saved, size, converted, room, error)
                 : lmb_fail(error, LMB_ERROR_MEMORY, "gpu reload: no memory for %u characters",
                            (unsigned)old.character_count);
    lmb_host_release(host, saved);
    lmb_host_release(host, converted);
    return result;
}

lmb_result lmb_gpu_batch_reload(const lmb_gpu_reload_def *def, lmb_gpu_reloaded *made, lmb_error *error) {
    if (made != NULL) {
        *made = (lmb_gpu_reloaded){0};
    }
    lmb_result result = check_def(def, made, error);
    if (result == LMB_OK) {
        result = make_batch(def, made, error);
    }
    if (result == LMB_OK) {
        result = make_readback(def, made, error);
    }
    if (result == LMB_OK && def->frame != NULL) {
        result = move_characters(def, made, error);
    }
    if (result != LMB_OK && made != NULL) {
        lmb_graph_transfer_destroy(made->transfer);
        lmb_gpu_readback_destroy(made->readback);
        lmb_gpu_batch_destroy(made->batch);
        *made = (lmb_gpu_reloaded){0};
    }
    return result;
}
