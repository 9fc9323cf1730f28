// Creates the mannequin: its rig, clips and mask.
#include "mannequin.h"

#include "mannequin_clips.h"
#include "mannequin_face.h"
#include "mannequin_joints.h"
#include "mannequin_memory.h"

#include <string.h>

struct mannequin {
    lmb_host host;
    lmb_rig *rig;
    lmb_clip *clips[MANNEQUIN_CLIP_COUNT + FACE_CHANNELS];
    uint32_t clip_count;
    uint8_t upper_body[FACE_JOINT_COUNT];
};

static void fill_mask(uint8_t mask[FACE_JOINT_COUNT]) {
    for (uint32_t i = 0; i < FACE_JOINT_COUNT; i++) {
        mask[i] = (i >= CHEST && i < LEFT_LEG) || i >= JOINT_COUNT ? 255 : 0;
    }
    mask[SPINE_LOWER] = 70;
    mask[SPINE_UPPER] = 165;
}

static lmb_result fill(mannequin *mannequin, joints_kind kind, lmb_error *error) {
    static const uint32_t clip_counts[] = {[JOINTS_PLAIN] = MANNEQUIN_CLIP_COUNT,
                                           [JOINTS_WITH_FACE] = MANNEQUIN_CLIP_COUNT + FACE_CHANNELS,
                                           [JOINTS_OF_CHILD] = 0};
    const lmb_host *host = &mannequin->host;
    lmb_result result = joints_create_rig(kind, host, &mannequin->rig, error);
    mannequin->clip_count = clip_counts[kind];
    for (uint32_t i = 0; result == LMB_OK && i < mannequin->clip_count; i++) {
        lmb_clip **clip = &mannequin->clips[i];
        result = i < MANNEQUIN_CLIP_COUNT
                     ? clips_create((mannequin_clip_id)i, mannequin->rig, host, clip, error)
                     : clips_create_of_channel(i - MANNEQUIN_CLIP_COUNT, mannequin->rig, host, clip, error);
    }
    fill_mask(mannequin->upper_body);
    return result;
}

static lmb_result create(const lmb_host *host, joints_kind kind, mannequin **result, lmb_error *error) {
    lmb_host resolved = memory_host(host);
    mannequin *created = memory_take(&resolved, 1, sizeof *created);
    if (created == NULL) {
        return memory_missing(error);
    }
    created->host = resolved;
    lmb_result code = fill(created, kind, error);
    if (code != LMB_OK) {
        mannequin_destroy(created);
        return code;
    }
    *result = created;
    return LMB_OK;
}

lmb_result mannequin_create(const lmb_host *host, mannequin **result, lmb_error *error) {
    return create(host, JOINTS_PLAIN, result, error);
}

lmb_result mannequin_create_with_face(const lmb_host *host, mannequin **result, lmb_error *error) {
    return create(host, JOINTS_WITH_FACE, result, error);
}

lmb_result mannequin_create_child(const lmb_host *host, mannequin **result, lmb_error *error) {
    return create(host, JOINTS_OF_CHILD, result, error);
}

mannequin_creator *mannequin_find_creator(const char *name) {
    return strcmp(name, "mannequin") == 0         ? mannequin_create
           : strcmp(name, "mannequin-face") == 0  ? mannequin_create_with_face
           : strcmp(name, "mannequin-child") == 0 ? mannequin_create_child
                                                  : NULL;
}

void mannequin_destroy(mannequin *mannequin) {
    if (mannequin == NULL) {
        return;
    }
    for (uint32_t i = 0; i < mannequin->clip_count; i++) {
        lmb_clip_destroy(mannequin->clips[i]);
    }
    lmb_rig_destroy(mannequin->rig);
    lmb_host host = mannequin->host;
    memory_give(&host, mannequin);
}

const lmb_rig *mannequin_rig(const mannequin *mannequin) {
    return mannequin->rig;
}

const lmb_clip *mannequin_clip(const mannequin *mannequin, mannequin_clip_id id) {
    return (unsigned)id < mannequin->clip_count ? mannequin->clips[id] : NULL;
}

bool mannequin_has_face(const mannequin *mannequin) {
    return mannequin->clip_count > MANNEQUIN_CLIP_COUNT;
}

bool mannequin_is_child(const mannequin *mannequin) {
    return mannequin->clip_count == 0;
}

uint32_t mannequin_clip_count(const mannequin *mannequin) {
    return mannequin->clip_count;
}

const uint8_t *mannequin_upper_body_mask(const mannequin *mannequin) {
    return mannequin->upper_body;
}
