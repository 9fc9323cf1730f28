// Creates the mannequin: its rig, clips and mask.
#include "mannequin.h"

#include "mannequin_clips.h"
#include "mannequin_joints.h"
#include "mannequin_memory.h"

struct mannequin {
    lmb_host host;
    lmb_rig *rig;
    lmb_clip *clips[MANNEQUIN_CLIP_COUNT];
    uint8_t upper_body[JOINT_COUNT];
};

static void fill_mask(uint8_t mask[JOINT_COUNT]) {
    for (uint32_t i = 0; i < JOINT_COUNT; i++) {
        mask[i] = i >= CHEST && i < LEFT_LEG ? 255 : 0;
    }
    mask[SPINE_LOWER] = 70;
    mask[SPINE_UPPER] = 165;
}

static lmb_result fill(mannequin *mannequin, lmb_error *error) {
    lmb_result result = joints_create_rig(&mannequin->host, &mannequin->rig, error);
    for (int i = 0; result == LMB_OK && i < MANNEQUIN_CLIP_COUNT; i++) {
        result = clips_create((mannequin_clip_id)i, mannequin->rig, &mannequin->host, &mannequin->clips[i], error);
    }
    fill_mask(mannequin->upper_body);
    return result;
}

lmb_result mannequin_create(const lmb_host *host, mannequin **result, lmb_error *error) {
    lmb_host resolved = memory_host(host);
    mannequin *created = memory_take(&resolved, 1, sizeof *created);
    if (created == NULL) {
        return memory_missing(error);
    }
    created->host = resolved;
    lmb_result code = fill(created, error);
    if (code != LMB_OK) {
        mannequin_destroy(created);
        return code;
    }
    *result = created;
    return LMB_OK;
}

void mannequin_destroy(mannequin *mannequin) {
    if (mannequin == NULL) {
        return;
    }
    for (int i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
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
    return (unsigned)id < MANNEQUIN_CLIP_COUNT ? mannequin->clips[id] : NULL;
}

const uint8_t *mannequin_upper_body_mask(const mannequin *mannequin) {
    return mannequin->upper_body;
}
