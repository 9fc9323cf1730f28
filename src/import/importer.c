// Errors, notes and memory of an import.
#include "importer.h"

#include "gltf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A file needs memory for floats decoded from packed bytes, three vertices for each triangle without normals, growing
// arrays and their copies. 64 bytes for each byte read are more than their sum. The budget's base leaves room for
// meshes that many nodes share.
#define BUDGET_PER_BYTE 64u

// Returns the last 160 bytes of a long path, which distinguish files best, so that the message has room.
static const char *shown_name(const lmb_importer *importer, const char **dots) {
    size_t length = strlen(importer->name);
    *dots = length > 160 ? "..." : "";
    return length > 160 ? importer->name + length - 160 : importer->name;
}

bool lmb_importer_fail(lmb_importer *importer, lmb_result result, const char *format, ...) {
    char reason[sizeof importer->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    const char *dots;
    const char *name = shown_name(importer, &dots);
    importer->result = lmb_fail(importer->error, result, "%s%s: %s", dots, name, reason);
    if (importer->error != NULL) {
        lmb_text_make_line(importer->error->message);
    }
    return false;
}

bool lmb_importer_fail_memory(lmb_importer *importer) {
    const lmb_budget *budget = &importer->import->budget;
    if (budget->exceeded) {
        return lmb_importer_fail(importer, LMB_ERROR_LIMIT,
                                 "its content would take more than the %zu MiB that a file of this size is given",
                                 budget->limit >> 20);
    }
    return lmb_importer_fail(importer, LMB_ERROR_MEMORY, "the host has no memory");
}

void *lmb_importer_allocate(lmb_importer *importer, lmb_pool *pool, size_t count, size_t size) {
    void *memory = lmb_pool_allocate(pool, count, size);
    if (memory == NULL) {
        lmb_importer_fail_memory(importer);
    }
    return memory;
}

void *lmb_importer_scratch(lmb_importer *importer, size_t count, size_t size) {
    return lmb_importer_allocate(importer, &importer->scratch, count, size);
}

void *lmb_importer_keep(lmb_importer *importer, size_t count, size_t size) {
    return lmb_importer_allocate(importer, &importer->import->pool, count, size);
}

bool lmb_importer_append(lmb_importer *importer, lmb_pool *pool, void *array, uint32_t *count, const void *element,
                         size_t size) {
    return lmb_pool_append(pool, array, count, element, size) || lmb_importer_fail_memory(importer);
}

char *lmb_importer_copy_text(lmb_importer *importer, lmb_pool *pool, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = lmb_importer_allocate(importer, pool, size, 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

bool lmb_importer_fail_inner(lmb_importer *importer, const char *place, const lmb_error *error) {
    if (error->result == LMB_ERROR_MEMORY) {
        return lmb_importer_fail_memory(importer);
    }
    // To the caller of an import, the file is invalid, not an argument.
    lmb_result result = error->result == LMB_ERROR_ARGUMENT ? LMB_ERROR_FORMAT : error->result;
    return lmb_importer_fail(importer, result, "%s: %s", place, error->message);
}

bool lmb_importer_note(lmb_importer *importer, const char *format, ...) {
    char line[768];
    const char *dots;
    const char *name = shown_name(importer, &dots);
    int place = snprintf(line, sizeof line, "%s%s: ", dots, name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + place, sizeof line - (size_t)place, format, arguments);
    va_end(arguments);
    lmb_text_make_line(line);
    lmb_import *import = importer->import;
    char *note = lmb_importer_copy_text(importer, &import->pool, importer->adds_clips ? line : line + place);
    if (note == NULL ||
        !lmb_importer_append(importer, &import->pool, &import->notes, &import->note_count, &note, sizeof note)) {
        return false;
    }
    lmb_host_log(&import->budget.host, LMB_LOG_WARNING, "%s", line);
    return true;
}

bool lmb_importer_note_names(lmb_importer *importer, const char *what, lmb_name_list *names) {
    return names->count == 0 || lmb_importer_note(importer, "%s: %s", what, lmb_name_list_text(names));
}

static bool create_rig(lmb_importer *importer, const lmb_rig_def *def) {
    lmb_host host = lmb_pool_host(&importer->import->pool);
    lmb_error error;
    return lmb_rig_create(def, &host, &importer->import->rig, &error) == LMB_OK ||
           lmb_importer_fail_inner(importer, "rig", &error);
}

bool lmb_importer_create_rig(lmb_importer *importer, lmb_joint_def *joints, uint32_t joint_count,
                             const lmb_channel_def *channels, uint32_t channel_count) {
    const lmb_rig_def def = {
        .joints = joints, .joint_count = joint_count, .channels = channels, .channel_count = channel_count};
    if (!create_rig(importer, &def)) {
        return false;
    }
    if (importer->exact_scales) {
        return true;
    }
    if (!lmb_scale_noise_round_rest(importer, joints, joint_count)) {
        return false;
    }
    if (importer->noise.rests == 0) {
        return true;
    }
    lmb_rig_destroy(importer->import->rig);
    importer->import->rig = NULL;
    return create_rig(importer, &def);
}

bool lmb_importer_keep_clip(lmb_importer *importer, lmb_clip *clip) {
    lmb_import *import = importer->import;
    if (!lmb_importer_append(importer, &import->pool, &import->clips, &import->clip_count, &clip, sizeof clip)) {
        lmb_clip_destroy(clip);
        return false;
    }
    return true;
}

static bool is_taken(const lmb_import *import, const char *name, uint32_t count) {
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
        found = strcmp(lmb_clip_get_info(import->clips[i])->name, name) == 0;
    }
    return found;
}

// Gives a clip the name of its file, without folder and ending, if an earlier file has one of its own name: files of
// one motion each often call it alike.
static bool choose_name(lmb_importer *importer, lmb_clip_def *def) {
    const lmb_import *import = importer->import;
    if (def->name == NULL || !is_taken(import, def->name, importer->earlier_clips)) {
        return true;
    }
    char *name = lmb_importer_copy_text(importer, &importer->scratch, lmb_gltf_base_name(importer->name));
    if (name == NULL) {
        return false;
    }
    char *ending = strrchr(name, '.');
    if (ending != NULL && ending > name) {
        *ending = '\0';
    }
    if (is_taken(import, name, import->clip_count)) {
        return true;
    }
    const char *own = def->name;
    def->name = name;
    return lmb_importer_note(importer, "animation '%.100s' is called '%.100s', as an earlier file has one of its name",
                             own, name);
}

bool lmb_importer_add_clip(lmb_importer *importer, const char *place, const lmb_clip_def *def) {
    lmb_host host = lmb_pool_host(&importer->import->pool);
    lmb_error error;
    lmb_clip *clip;
    lmb_clip_def rounded = *def;
    lmb_track_def *tracks = NULL;
    if (!importer->exact_scales && !lmb_scale_noise_round_clip(importer, &rounded, &tracks)) {
        return false;
    }
    if (!choose_name(importer, &rounded)) {
        return false;
    }
    if (lmb_clip_create(importer->import->rig, &rounded, &host, &clip, &error) != LMB_OK) {
        return lmb_importer_fail_inner(importer, place, &error);
    }
    lmb_pool_release(&importer->scratch, tracks);
    return lmb_importer_keep_clip(importer, clip);
}

bool lmb_importer_decode(lmb_importer *importer, size_t bytes) {
    lmb_budget *budget = &importer->import->budget;
    if (bytes > budget->limit - budget->decoded) {
        return lmb_importer_fail(importer, LMB_ERROR_LIMIT,
                                 "decoding what its parts share for each of them takes more than the %zu MiB that a"
                                 " file of this size is given",
                                 budget->limit >> 20);
    }
    budget->decoded += bytes;
    return true;
}

void lmb_importer_add_source(lmb_importer *importer, size_t bytes) {
    lmb_budget *budget = &importer->import->budget;
    size_t room = SIZE_MAX - budget->limit;
    budget->limit += bytes > room / BUDGET_PER_BYTE ? room : bytes * BUDGET_PER_BYTE;
}
