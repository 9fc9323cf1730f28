// Creates the actor of a kind and compresses its clips.
#include "actor.h"

#include <stdio.h>
#include <stdlib.h>

const char *actor_kind_name(actor_kind kind) {
    static const char *const names[ACTOR_KIND_COUNT] = {"procedural", "mannequin", "pab"};
    return names[kind];
}

lmb_result actor_no_memory(lmb_error *error) {
    error->result = LMB_ERROR_MEMORY;
    snprintf(error->message, sizeof error->message, "no memory for rig and clips");
    return error->result;
}

static lmb_result compress(actor *actor, lmb_error *error) {
    lmb_result result = LMB_OK;
    for (int i = 0; i < ACTOR_CLIPS && result == LMB_OK; i++) {
        lmb_clip *source = actor->clips[i];
        lmb_clip *smaller;
        result = lmb_clip_compress(actor->rig, source, NULL, NULL, &smaller, NULL, error);
        if (result == LMB_OK) {
            actor->clips[i] = smaller;
            lmb_clip_destroy(source);
        }
    }
    return result;
}

lmb_result actor_create(actor_kind kind, uint32_t joints, bool compressed, actor *actor, lmb_error *error) {
    *actor = (struct actor){.compressed = compressed};
    lmb_result result = kind == ACTOR_PROCEDURAL  ? actor_create_procedural(joints, actor, error)
                        : kind == ACTOR_MANNEQUIN ? actor_create_mannequin(joints, actor, error)
                                                  : actor_create_pab(actor, error);
    if (result == LMB_OK && lmb_rig_get_def(actor->rig)->joint_count != joints) {
        error->result = LMB_ERROR_LIMIT;
        snprintf(error->message, sizeof error->message, "%s has %u joints, not %u", actor_kind_name(kind),
                 (unsigned)lmb_rig_get_def(actor->rig)->joint_count, (unsigned)joints);
        return error->result;
    }
    return result == LMB_OK && compressed ? compress(actor, error) : result;
}

void actor_destroy(actor *actor) {
    for (int i = 0; i < ACTOR_CLIPS; i++) {
        lmb_clip_destroy(actor->clips[i]);
    }
    lmb_rig_destroy(actor->rig);
    free(actor->upper_body);
    *actor = (struct actor){0};
}
