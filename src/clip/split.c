// Replaces clips of a list by parts of them: first all parts are cut, then the list is spread out from its end.
#include "split.h"

#include "base/host.h"

#include <string.h>

static uint32_t find(const lmb_clip *const *clips, uint32_t count, const char *name) {
    uint32_t i = 0;
    while (i < count && strcmp(lmb_clip_get_info(clips[i])->name, name) != 0) {
        i++;
    }
    return i;
}

static lmb_result cut(const lmb_rig *rig, const lmb_clip_split *split, const lmb_host *host,
                      const lmb_clip *const *clips, uint32_t clip_count, lmb_clip **part, lmb_error *error) {
    const uint32_t clip = split->clip != NULL ? find(clips, clip_count, split->clip) : clip_count;
    return clip == clip_count ? lmb_fail(error, LMB_ERROR_ARGUMENT, "there is no such clip")
                              : lmb_clip_cut(rig, clips[clip], &split->part, host, part, error);
}

// Moves clips up, the last one first, and puts parts in the place of those that splits name. What is before the place
// of the next clip has not changed yet.
static uint32_t spread(const lmb_clip_split *splits, uint32_t split_count, const lmb_clip **clips, uint32_t clip_count,
                       lmb_clip *const *parts) {
    uint32_t count = clip_count + split_count;
    for (uint32_t i = 0; i < split_count; i++) {
        bool is_first = true;
        for (uint32_t k = 0; k < i && is_first; k++) {
            is_first = strcmp(splits[k].clip, splits[i].clip) != 0;
        }
        count -= is_first;
    }
    uint32_t at = count;
    for (uint32_t i = clip_count; i-- > 0;) {
        const lmb_clip *clip = clips[i];
        const bool is_first = find(clips, i, lmb_clip_get_info(clip)->name) == i;
        bool is_split = false;
        for (uint32_t k = split_count; k-- > 0 && is_first;) {
            if (strcmp(splits[k].clip, lmb_clip_get_info(clip)->name) == 0) {
                clips[--at] = parts[k];
                is_split = true;
            }
        }
        if (!is_split) {
            clips[--at] = clip;
        }
    }
    return count;
}

lmb_result lmb_clips_split(const lmb_rig *rig, const lmb_clip_split *splits, uint32_t split_count, const lmb_host *host,
                           const lmb_clip **clips, uint32_t *clip_count, lmb_clip **parts, lmb_error *error) {
    memset(parts, 0, split_count * sizeof(lmb_clip *));
    for (uint32_t i = 0; i < split_count; i++) {
        lmb_error found;
        const lmb_result result = cut(rig, &splits[i], host, clips, *clip_count, &parts[i], &found);
        if (result != LMB_OK) {
            return lmb_fail(error, result, "part '%.80s' of '%.80s': %.300s",
                            splits[i].part.name != NULL ? splits[i].part.name : "",
                            splits[i].clip != NULL ? splits[i].clip : "", found.message);
        }
    }
    *clip_count = spread(splits, split_count, clips, *clip_count, parts);
    return LMB_OK;
}
