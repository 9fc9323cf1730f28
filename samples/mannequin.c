// Creates the mannequin: its rig, clips and mask.
#include "mannequin.h"

#include "mannequin_clips.h"
#include "mannequin_face.h"
#include "mannequin_joints.h"
#include "mannequin_memory.h"

#include <string.h>

#define MOST_MORE 4u // clips of channels, or takes
_Static_assert((unsigned)FACE_CHANNELS <= MOST_MORE && MANNEQUIN_TAKES <= MOST_MORE, "more clips");

struct mannequin {
    lmb_host host;
    lmb_rig *rig;
    joints_kind kind;
    lmb_clip *clips[MANNEQUIN_CLIP_COUNT + MOST_MORE];
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

// The clips that follow those of every mannequin.
static lmb_result create_another(const mannequin *mannequin, uint32_t index, lmb_clip **clip, lmb_error *error) {
    return mannequin->kind == JOINTS_WITH_FACE
               ? clips_create_of_channel(index, mannequin->rig, &mannequin->host, clip, error)
               : takes_create_clip(index + 1, mannequin->rig, &mannequin->host, clip, error);
}

static lmb_result fill(mannequin *mannequin, uint32_t clip_count, lmb_error *error) {
    const lmb_host *host = &mannequin->host;
    lmb_result result = joints_create_rig(mannequin->kind, host, &mannequin->rig, error);
    mannequin->clip_count = clip_count;
    for (uint32_t i = 0; result == LMB_OK && i < clip_count; i++) {
        lmb_clip **clip = &mannequin->clips[i];
        result = i < MANNEQUIN_CLIP_COUNT ? clips_create((mannequin_clip_id)i, mannequin->rig, host, clip, error)
                                          : create_another(mannequin, i - MANNEQUIN_CLIP_COUNT, clip, error);
    }
    fill_mask(mannequin->upper_body);
    return result;
}

static lmb_result create(const lmb_host *host, joints_kind kind, uint32_t clip_count, mannequin **result,
                         lmb_error *error) {
    lmb_host resolved = memory_host(host);
    mannequin *created = memory_take(&resolved, 1, sizeof *created);
    if (created == NULL) {
        return memory_missing(error);
    }
    created->host = resolved;
    created->kind = kind;
    lmb_result code = fill(created, clip_count, error);
    if (code != LMB_OK) {
        mannequin_destroy(created);
        return code;
    }
    *result = created;
    return LMB_OK;
}

lmb_result mannequin_create(const lmb_host *host, mannequin **result, lmb_error *error) {
    return create(host, JOINTS_PLAIN, MANNEQUIN_CLIP_COUNT, result, error);
}

lmb_result mannequin_create_with_face(const lmb_host *host, mannequin **result, lmb_error *error) {
    return create(host, JOINTS_WITH_FACE, MANNEQUIN_CLIP_COUNT + FACE_CHANNELS, result, error);
}

lmb_result mannequin_create_with_takes(const lmb_host *host, mannequin **result, lmb_error *error) {
    return create(host, JOINTS_WITH_STEPS, MANNEQUIN_CLIP_COUNT + MANNEQUIN_TAKES, result, error);
}

lmb_result mannequin_create_child(const lmb_host *host, mannequin **result, lmb_error *error) {
    return create(host, JOINTS_OF_CHILD, 0, result, error);
}

mannequin_creator *mannequin_find_creator(const char *name) {
    return strcmp(name, "mannequin") == 0         ? mannequin_create
           : strcmp(name, "mannequin-face") == 0  ? mannequin_create_with_face
           : strcmp(name, "mannequin-takes") == 0 ? mannequin_create_with_takes
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
    return mannequin->kind == JOINTS_WITH_FACE;
}

bool mannequin_is_child(const mannequin *mannequin) {
    return mannequin->kind == JOINTS_OF_CHILD;
}

uint32_t mannequin_clip_count(const mannequin *mannequin) {
    return mannequin->clip_count;
}

const uint8_t *mannequin_upper_body_mask(const mannequin *mannequin) {
    return mannequin->upper_body;
}
