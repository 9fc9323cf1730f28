// Runs on the CPU: checks arguments, and skins the characters one after the other.
#include "skin.h"

#include "base/cpu_path.h"

#include "../../shaders/ops/skin_layout.h"

// NULL if this build lacks the path.
#define FUNCTION(lanes) [LMB_CPU_SIMD_##lanes] = lmb_skin_simd_##lanes##_run,
static lmb_skin_function *const functions[LMB_CPU_PATH_COUNT] = {[LMB_CPU_REFERENCE] = lmb_skin_simd_1_run,
                                                                 LMB_SIMD_PATHS(FUNCTION)};

static lmb_result check_run(const lmb_skin *skin, lmb_cpu_path path, const lmb_skin_run_info *info, lmb_error *error) {
    if (skin == NULL || info == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "skin: %s is NULL", skin == NULL ? "the mesh" : "the run's info");
    }
    if (!lmb_cpu_has(path)) {
        return lmb_fail(error, (unsigned)path < LMB_CPU_PATH_COUNT ? LMB_ERROR_UNSUPPORTED : LMB_ERROR_ARGUMENT,
                        "skin '%.80s': this machine does not have the path '%s'", skin->name, lmb_cpu_path_name(path));
    }
    const lmb_skin_layout *layout = &info->layout;
    const bool packed = layout->packed && info->list != NULL;
    lmb_result result = lmb_skin_check_layout(skin, layout, packed ? info->list_count : layout->palette_count, error);
    if (result != LMB_OK) {
        return result;
    }
    if (info->list == NULL && info->list_count > 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "skin '%.80s': a list of %u characters is NULL", skin->name,
                        (unsigned)info->list_count);
    }
    for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        if (layout->streams[i].format != LMB_SKIN_FORMAT_NONE && info->streams[i] == NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "skin '%.80s': the stream of %s is NULL", skin->name,
                            lmb_skin_output_name((lmb_skin_output)i));
        }
    }
    const bool previous = layout->streams[LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS].format != LMB_SKIN_FORMAT_NONE;
    const bool current = lmb_skin_needs_current(layout);
    const bool morphs = lmb_skin_get_info(skin)->has_targets;
    const char *missing = current && info->palette == NULL                        ? "the palette is"
                          : previous && info->previous_palette == NULL            ? "the previous palette is"
                          : current && morphs && info->channels == NULL           ? "the channels are"
                          : previous && morphs && info->previous_channels == NULL ? "the previous channels are"
                                                                                  : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "skin '%.80s': %s NULL", skin->name, missing);
    }
    return LMB_OK;
}

// Returns the data of a character in an array that may be NULL.
static const float *floats_of(const float *first, uint32_t within, size_t floats) {
    return first != NULL ? first + within * floats : NULL;
}

// Skins a character of the span.
static void skin_character(const lmb_skin *skin, const lmb_skin_run_info *info, lmb_skin_function *function,
                           uint32_t character, uint32_t slot) {
    const lmb_skin_layout *layout = &info->layout;
    const size_t floats = (size_t)lmb_skin_get_info(skin)->joint_count * lmb_skin_joint_floats(layout->method);
    const size_t channels = skin->block[FIELD(SKIN, channels)];
    const uint32_t within = character - layout->first_character;
    lmb_skin_job job = {.block = skin->block,
                        .layout = layout,
                        .palette = floats_of(info->palette, within, floats),
                        .previous_palette = floats_of(info->previous_palette, within, floats),
                        .channels = floats_of(info->channels, within, channels),
                        .previous_channels = floats_of(info->previous_channels, within, channels),
                        .refused = info->refused_sums};
    for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        if (layout->streams[i].format != LMB_SKIN_FORMAT_NONE) {
            const size_t bytes = lmb_skin_character_bytes(skin, layout, (lmb_skin_output)i);
            job.strides[i] = lmb_skin_stride(layout, (lmb_skin_output)i);
            job.streams[i] = (char *)info->streams[i] + slot * bytes;
        }
    }
    function(&job);
}

static void skin_characters(const lmb_skin *skin, const lmb_skin_run_info *info, lmb_skin_function *function) {
    const lmb_skin_layout *layout = &info->layout;
    const uint32_t count = info->list != NULL ? info->list_count : layout->palette_count;
    uint32_t refused = 0;
    for (uint32_t place = 0; place < count; place++) {
        const uint32_t character = info->list != NULL ? info->list[place] : layout->first_character + place;
        const uint32_t within = character - layout->first_character; // an index before the span wraps
        refused += character >= layout->character_count && layout->first_character == 0;
        if (character < layout->character_count && within < layout->palette_count) {
            skin_character(skin, info, function, character, layout->packed ? place : within);
        }
    }
    if (info->refused_sums != NULL) {
        info->refused_sums[LMB_REFUSED_CHARACTER] += refused;
    }
}

lmb_result lmb_skin_run(const lmb_skin *skin, lmb_cpu_path path, const lmb_skin_run_info *info, lmb_error *error) {
    lmb_result result = check_run(skin, path, info, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_environment callers;
    lmb_environment_enter(&callers);
    skin_characters(skin, info, functions[lmb_cpu_resolve(path)]);
    lmb_environment_leave(&callers);
    return LMB_OK;
}
