#include "graph_device.h"

#include "graphics.h"
#include "terminal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POLL_NANOSECONDS 100000000 // how often the file is checked
#define KEPT_BYTES ((VkDeviceSize)64 << 20)
#define NO_SLOT UINT32_MAX

// Everything that belongs to a version.
typedef struct version {
    graph_device_version shown; // first, so that a pointer to it is one to the version
    device_buffer kept;         // words of inertialization: [kept_frames][character][word]
    lmb_gpu_span inertia;       // of the batch; its size is 0 if nothing is inertialized
    uint32_t upload_slot;       // of the frame that records the upload, until it has completed
    bool recorded;
    const struct version *before; // whose kept words the first frame copies, or NULL
    uint32_t unused_from;         // number of the frame that may begin only when no frame uses the version
    struct version *next;         // in the list of those that are not shown any more
} version;

struct graph_device {
    graph_device_def def;
    graph_file file;
    version *shown;
    version *polled; // NULL if it is shown
    version *old;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t stops;
    bool has_thread;
    // Under the mutex:
    version *loaded;            // and not polled yet
    char path[GRAPH_FILE_PATH]; // to follow; empty: the same as before
    bool compiles;              // the thread
    bool ends;
};

static void destroy_version(device *device, version *version) {
    if (version != NULL) {
        lmb_gpu_batch_destroy(version->shown.batch);
        lmb_gpu_graph_destroy(version->shown.graph);
        device_buffer_destroy(device, &version->kept);
        for (uint32_t i = 0; i < GRAPH_DEVICE_FRAMES; i++) {
            device_buffer_destroy(device, &version->shown.points[i]);
            device_buffer_destroy(device, &version->shown.transforms[i]);
        }
        graph_version_destroy(version->shown.text);
        free(version);
    }
}

// ---- Compiling. It may be done by another thread than the one that records frames: a version is interpreted at first,
// and its own kernel follows.

static lmb_result create_kept(const graph_device_def *def, version *version, lmb_error *error) {
    if (!lmb_gpu_batch_inertia(version->shown.batch, 0, &version->inertia) || version->inertia.size == 0) {
        version->inertia.size = 0;
        return LMB_OK;
    }
    const VkDeviceSize fitting = KEPT_BYTES / version->inertia.size;
    if (fitting < version->shown.kept_frames) {
        version->shown.kept_frames = fitting > 2 ? (uint32_t)fitting : 2;
    }
    return device_buffer_create(def->device, version->inertia.size * version->shown.kept_frames,
                                VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, false,
                                &version->kept, error);
}

static lmb_result create_world(const graph_device_def *def, graph_device_version *version, lmb_error *error) {
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    const lmb_graph *graph = version->text->graph;
    const VkDeviceSize characters = def->character_count;
    const VkDeviceSize points = characters * lmb_graph_get_info(graph)->point_count * 4 * sizeof(float);
    const bool has_transforms = lmb_graph_get_info(graph)->uses_transforms;
    for (uint32_t i = 0; i < def->frame_count && i < GRAPH_DEVICE_FRAMES; i++) {
        if (points > 0 && (device_buffer_create(def->device, points, usage, true, &version->points[i], error) ||
                           lmb_gpu_batch_bind_points(version->batch, i, version->points[i].address, error))) {
            return error->result;
        }
        if (has_transforms &&
            (device_buffer_create(def->device, characters * LMB_MATRIX_COMPONENTS * sizeof(float), usage, true,
                                  &version->transforms[i], error) ||
             lmb_gpu_batch_bind_transforms(version->batch, i, version->transforms[i].address, error))) {
            return error->result;
        }
    }
    return LMB_OK;
}

static lmb_result create_on_device(const graph_device_def *def, version *version, lmb_error *error) {
    lmb_gpu_batch_def batch = lmb_default_gpu_batch_def();
    const lmb_graph *graph = version->shown.text->graph;
    if (def->waits ? lmb_gpu_graph_create(def->gpu, graph, &version->shown.graph, error)
                   : lmb_gpu_graph_create_interpreted(def->gpu, graph, &version->shown.graph, error)) {
        return error->result;
    }
    batch.graph = version->shown.graph;
    batch.character_count = def->character_count;
    batch.slot_count = def->frame_count;
    if (lmb_gpu_batch_create(def->gpu, &batch, &version->shown.batch, error)) {
        return error->result;
    }
    if (lmb_gpu_batch_span_count(version->shown.batch) > 1) {
        return viewer_fail(error, LMB_ERROR_LIMIT, "%u characters of this graph need too much memory",
                           def->character_count);
    }
    return create_world(def, &version->shown, error) ? error->result : create_kept(def, version, error);
}

// Takes the text. A version that the device cannot create keeps its text, whose error says why. Returns NULL if memory
// ran out.
static version *create_version(const graph_device_def *def, graph_version *text) {
    version *created = calloc(1, sizeof *created);
    if (created == NULL) {
        graph_version_destroy(text);
        return NULL;
    }
    *created = (version){.shown = {.text = text, .kept_frames = def->kept_frames}, .upload_slot = NO_SLOT};
    if (text->graph != NULL && create_on_device(def, created, &text->error) != LMB_OK) {
        lmb_gpu_batch_destroy(created->shown.batch);
        lmb_gpu_graph_destroy(created->shown.graph);
        created->shown.batch = NULL;
        created->shown.graph = NULL;
    }
    return created;
}

static void note_compiling(graph_device *device, bool compiles) {
    pthread_mutex_lock(&device->mutex);
    device->compiles = compiles;
    pthread_mutex_unlock(&device->mutex);
}

bool graph_device_is_compiling(graph_device *device) {
    pthread_mutex_lock(&device->mutex);
    const bool compiles = device->compiles;
    pthread_mutex_unlock(&device->mutex);
    return compiles;
}

// Checks the file, and creates a version if it has changed.
static version *load(graph_device *device) {
    graph_version *text = NULL;
    return graph_file_poll(&device->file, (int64_t)time(NULL), &text) ? create_version(&device->def, text) : NULL;
}

// Compiles the kernel of a version that may be shown already. Nobody destroys it meanwhile, because only this thread
// makes another one. One that cannot be compiled stays interpreted.
static void compile(graph_device *device, version *loaded) {
    lmb_error error;
    if (loaded != NULL && loaded->shown.graph != NULL && device->def.compiles) {
        note_compiling(device, true);
        if (lmb_gpu_graph_compile(loaded->shown.graph, &error) != LMB_OK) {
            terminal_error("limber-viewer: %s\n", error.message);
        }
        note_compiling(device, false);
    }
}

// Returns a version that nobody has polled, and that the new one replaces; or NULL.
static version *publish(graph_device *device, version *loaded) {
    version *replaced = NULL;
    if (loaded != NULL) {
        replaced = device->loaded;
        device->loaded = loaded;
    }
    return replaced;
}

static void follow_path(graph_device *device) {
    if (device->path[0] != '\0') {
        memcpy(device->file.graph.path, device->path, sizeof device->path);
        device->path[0] = '\0';
    }
}

static void wait_a_moment(graph_device *device) {
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_nsec += POLL_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&device->stops, &device->mutex, &until);
}

static void *follow(void *argument) {
    graph_device *device = argument;
    pthread_mutex_lock(&device->mutex);
    while (!device->ends) {
        follow_path(device);
        pthread_mutex_unlock(&device->mutex);
        version *loaded = load(device);
        pthread_mutex_lock(&device->mutex);
        version *replaced = publish(device, loaded);
        pthread_mutex_unlock(&device->mutex);
        destroy_version(device->def.device, replaced);
        compile(device, loaded);
        pthread_mutex_lock(&device->mutex);
        if (!device->ends) {
            wait_a_moment(device);
        }
    }
    pthread_mutex_unlock(&device->mutex);
    return NULL;
}

// ---- Frames.

static lmb_result start_thread(graph_device *device, lmb_error *error) {
    pthread_mutex_init(&device->mutex, NULL);
    pthread_cond_init(&device->stops, NULL);
    device->has_thread = !device->def.waits && pthread_create(&device->thread, NULL, follow, device) == 0;
    return device->has_thread || device->def.waits
               ? LMB_OK
               : viewer_fail(error, LMB_ERROR_MEMORY, "there are no more threads to compile graphs");
}

lmb_result graph_device_create(const graph_device_def *def, graph_version *first, const graph_file *file,
                               graph_device **device, lmb_error *error) {
    graph_device *created = calloc(1, sizeof *created);
    version *shown = create_version(def, first);
    *device = NULL;
    if (created == NULL || shown == NULL || shown->shown.batch == NULL) {
        if (created == NULL || shown == NULL) {
            viewer_fail(error, LMB_ERROR_MEMORY, "no memory for a graph");
        } else {
            *error = shown->shown.text->error;
        }
        destroy_version(def->device, shown);
        free(created);
        return error->result;
    }
    *created = (graph_device){.def = *def, .file = *file, .shown = shown};
    *device = created;
    return start_thread(created, error);
}

void graph_device_destroy(graph_device *device) {
    if (device == NULL) {
        return;
    }
    if (device->has_thread) {
        pthread_mutex_lock(&device->mutex);
        device->ends = true;
        pthread_cond_signal(&device->stops);
        pthread_mutex_unlock(&device->mutex);
        pthread_join(device->thread, NULL);
    }
    pthread_cond_destroy(&device->stops);
    pthread_mutex_destroy(&device->mutex);
    while (device->old != NULL) {
        version *next = device->old->next;
        destroy_version(device->def.device, device->old);
        device->old = next;
    }
    destroy_version(device->def.device, device->loaded);
    destroy_version(device->def.device, device->polled);
    destroy_version(device->def.device, device->shown);
    free(device);
}

void graph_device_follow(graph_device *device, const char *path) {
    pthread_mutex_lock(&device->mutex);
    snprintf(device->path, sizeof device->path, "%s", path);
    pthread_mutex_unlock(&device->mutex);
}

// Does not wait for a thread that compiles: it holds the mutex only to hand over what it has.
const graph_device_version *graph_device_poll(graph_device *device) {
    pthread_mutex_lock(&device->mutex);
    if (device->def.waits) {
        follow_path(device);
        destroy_version(device->def.device, publish(device, load(device)));
    }
    version *loaded = device->loaded;
    device->loaded = NULL;
    pthread_mutex_unlock(&device->mutex);
    if (loaded == NULL) {
        return NULL;
    }
    destroy_version(device->def.device, device->polled);
    device->polled = loaded;
    return &loaded->shown;
}

void graph_device_show(graph_device *device, uint32_t number) {
    // The last frame that uses the old version is the one before `number`. Its slot is free when a frame of that slot
    // begins again.
    device->shown->unused_from = number + device->def.frame_count - 1;
    device->shown->next = device->old;
    device->old = device->shown;
    device->polled->before = device->shown;
    device->shown = device->polled;
    device->polled = NULL;
}

const graph_device_version *graph_device_shown(const graph_device *device) {
    return &device->shown->shown;
}

lmb_result graph_device_begin(graph_device *device, uint32_t slot, uint32_t number, bool *is_first, lmb_error *error) {
    for (version **link = &device->old; *link != NULL;) {
        version *old = *link;
        if (number >= old->unused_from) {
            *link = old->next;
            destroy_version(device->def.device, old);
        } else {
            link = &old->next;
        }
    }
    version *shown = device->shown;
    lmb_gpu_graph_use_compiled(shown->shown.graph);
    *is_first = shown->upload_slot == slot;
    if (!*is_first) {
        return LMB_OK;
    }
    shown->upload_slot = NO_SLOT;
    return lmb_gpu_graph_uploaded(shown->shown.graph, error);
}

// Orders copies of the words of inertialization after everything that earlier commands do with them.
static void record_barrier(VkCommandBuffer commands) {
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

static void record_restored(VkCommandBuffer commands, const version *version, uint32_t place) {
    const lmb_gpu_span *inertia = &version->inertia;
    const VkBufferCopy copy = {place * inertia->size, inertia->offset, inertia->size};
    record_barrier(commands);
    vkCmdCopyBuffer(commands, version->kept.buffer, inertia->buffer, 1, &copy);
}

static void record_kept(VkCommandBuffer commands, const version *version, uint32_t place) {
    const lmb_gpu_span *inertia = &version->inertia;
    const VkBufferCopy copy = {inertia->offset, place * inertia->size, inertia->size};
    record_barrier(commands);
    vkCmdCopyBuffer(commands, inertia->buffer, version->kept.buffer, 1, &copy);
}

// Takes over all words that the graph before has kept.
static void record_taken_over(VkCommandBuffer commands, version *version) {
    const struct version *before = version->before;
    if (before != NULL && version->inertia.size > 0 && before->inertia.size == version->inertia.size &&
        before->shown.kept_frames == version->shown.kept_frames) {
        const VkBufferCopy copy = {0, 0, version->inertia.size * version->shown.kept_frames};
        record_barrier(commands);
        vkCmdCopyBuffer(commands, before->kept.buffer, version->kept.buffer, 1, &copy);
    }
    version->before = NULL;
}

lmb_result graph_device_record(graph_device *device, const graph_device_frame *frame, lmb_error *error) {
    version *shown = device->shown;
    const bool keeps = shown->inertia.size > 0;
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    info.commands = frame->commands;
    info.slot = frame->slot;
    info.poses_alone = true;
    info.profile = frame->profile;
    if (!shown->recorded) {
        if (lmb_gpu_graph_record_upload(shown->shown.graph, frame->commands, error)) {
            return error->result;
        }
        shown->upload_slot = frame->slot;
        record_taken_over(frame->commands, shown);
    } else if (keeps && frame->restored_place < shown->shown.kept_frames) {
        record_restored(frame->commands, shown, frame->restored_place);
    }
    shown->recorded = true;
    if (lmb_gpu_batch_record(shown->shown.batch, &info, error)) {
        return error->result;
    }
    if (keeps && frame->place < shown->shown.kept_frames) {
        record_kept(frame->commands, shown, frame->place);
    }
    return LMB_OK;
}
