// A motion-captured character from FBX files. The rig and the clips are copied, because the import owns them. Builds
// that read no files have no such actor.
#include "actor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LIMBER_BENCH_IMPORT

#include <limber/import.h>

static lmb_result find_clip(const lmb_import *import, const char *name, lmb_clip **clip, lmb_error *error) {
    for (uint32_t i = 0; i < lmb_import_get_content(import)->clip_count; i++) {
        const lmb_clip *found = lmb_import_get_content(import)->clips[i];
        if (strcmp(lmb_clip_get_info(found)->name, name) == 0) {
            size_t size;
            const void *block = lmb_clip_block(found, &size);
            return lmb_clip_open(block, size, NULL, clip, error);
        }
    }
    error->result = LMB_ERROR_FORMAT;
    snprintf(error->message, sizeof error->message, "the files have no clip '%s'", name);
    return error->result;
}

// Copies the rig, because the import owns it and is destroyed.
static lmb_result copy_rig(const lmb_rig *from, lmb_rig **rig, lmb_error *error) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(from);
    uint32_t joints = rig_def->joint_count;
    lmb_joint_def *defs = malloc(joints * sizeof *defs);
    if (defs == NULL) {
        return actor_no_memory(error);
    }
    for (uint32_t i = 0; i < joints; i++) {
        defs[i] = (lmb_joint_def){.name = rig_def->joints[i].name,
                                  .parent = rig_def->joints[i].parent,
                                  .rest = rig_def->joints[i].rest,
                                  .inverse_bind = rig_def->joints[i].inverse_bind,
                                  .has_inverse_bind = true,
                                  .radius = rig_def->joints[i].radius};
    }
    lmb_rig_def def = {.joints = defs, .joint_count = joints};
    lmb_result result = lmb_rig_create(&def, NULL, rig, error);
    free(defs);
    return result;
}

static lmb_result create_mask(actor *actor, lmb_error *error) {
    uint32_t joints = lmb_rig_get_def(actor->rig)->joint_count, chest = lmb_rig_find_joint(actor->rig, "Spine1");
    actor->upper_body = calloc(joints, 1);
    if (actor->upper_body == NULL) {
        return actor_no_memory(error);
    }
    for (uint32_t i = 0; i < joints; i++) {
        uint32_t parent = lmb_rig_get_def(actor->rig)->joints[i].parent;
        actor->upper_body[i] = i == chest || (parent != LMB_NONE && actor->upper_body[parent] != 0) ? 255 : 0;
    }
    return LMB_OK;
}

enum { FILES = 4, PATH_BYTES = 1024 };

// The folder of test characters is the build's, or the one that the environment names, where programs run elsewhere.
static void make_paths(char paths[FILES][PATH_BYTES]) {
    static const char *const names[FILES] = {"skeleton", "walk", "jog", "run"};
    const char *folder = getenv("LIMBER_ASSETS");
    for (int i = 0; i < FILES; i++) {
        snprintf(paths[i], PATH_BYTES, "%s/pab/%s.fbx", folder != NULL ? folder : LIMBER_ASSETS, names[i]);
    }
}

lmb_result actor_create_pab(actor *actor, lmb_error *error) {
    static const char *const names[ACTOR_CLIPS] = {"walk", "jog", "run", "walk"};
    char made[FILES][PATH_BYTES];
    make_paths(made);
    const char *const paths[FILES] = {made[0], made[1], made[2], made[3]};
    const lmb_import_def def = {.paths = paths, .path_count = FILES, .trusted = true};
    lmb_import *import = NULL;
    lmb_result result = lmb_import_create(&def, NULL, &import, error);
    if (result == LMB_OK) {
        result = copy_rig(lmb_import_get_content(import)->rig, &actor->rig, error);
    }
    for (uint32_t i = 0; i < ACTOR_CLIPS && result == LMB_OK; i++) {
        result = find_clip(import, names[i], &actor->clips[i], error);
    }
    lmb_import_destroy(import);
    return result == LMB_OK ? create_mask(actor, error) : result;
}

#else

lmb_result actor_create_pab(actor *actor, lmb_error *error) {
    (void)actor;
    error->result = LMB_ERROR_UNSUPPORTED;
    snprintf(error->message, sizeof error->message, "this build reads no files");
    return error->result;
}

#endif
