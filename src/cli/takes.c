#include "takes.h"

#include "base/open_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TURNS 0.35f  // radians: a clip that turns by more is not in place
#define TRAVELS 3.0f // times the threshold: a clip that stays closer to its beginning is in place

#define MOST_SLIDE 0.5f // of a walk: feet that slide by more take other steps
#define SIDEWAYS 0.1f   // times the speed along z: below that a clip moves along z alone

static lmb_result no_memory(lmb_error *error) {
    return lmb_fail(error, LMB_ERROR_MEMORY, "no memory");
}

void take_list_place(const lmb_rig *rig, uint32_t joint, float place[3]) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    lmb_affine model = lmb_affine_from_transform(rig_def->joints[joint].rest);
    for (uint32_t k = rig_def->joints[joint].parent; k != LMB_NONE; k = rig_def->joints[k].parent) {
        model = lmb_affine_multiply(lmb_affine_from_transform(rig_def->joints[k].rest), model);
    }
    for (int axis = 0; axis < 3; axis++) {
        place[axis] = model.m[axis][3];
    }
}

float take_list_height(const lmb_rig *rig) {
    float low = HUGE_VALF, high = -HUGE_VALF, place[3];
    for (uint32_t joint = 0; joint < lmb_rig_get_def(rig)->joint_count; joint++) {
        take_list_place(rig, joint, place);
        const bool counts = !lmb_rig_get_def(rig)->joints[joint].is_extra;
        low = counts ? fminf(low, place[1]) : low;
        high = counts ? fmaxf(high, place[1]) : high;
    }
    return high > low ? high - low : 1.0f;
}

static const char *clip_name_at(const void *character, uint32_t index) {
    return lmb_clip_get_info(((const character_file *)character)->clips[index])->name;
}

static lmb_result check_names(const character_file *character, const char *option, const option_texts *names,
                              lmb_error *error) {
    lmb_error found;
    for (uint32_t i = 0; i < names->count; i++) {
        if (command_find_name("no clip", names->values[i], strlen(names->values[i]), clip_name_at, character,
                              character->clip_count, &found) == LMB_NONE) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "%s %.100s: %.300s", option, names->values[i], found.message);
        }
    }
    return LMB_OK;
}

static bool is_listed(const option_texts *names, const char *name) {
    bool found = false;
    for (uint32_t i = 0; i < names->count; i++) {
        found = found || strcmp(names->values[i], name) == 0;
    }
    return found;
}

// Takes the clips that are asked for, or all but additives. Of several with the same name a graph plays the first.
static lmb_result choose_clips(take_list *list, const character_file *character, lmb_error *error) {
    list->sources = lmb_arena_allocate(&list->pool, character->clip_count, sizeof *list->sources);
    list->takes = lmb_arena_allocate(&list->pool, character->clip_count, sizeof *list->takes);
    if (list->pool.failed) {
        return no_memory(error);
    }
    for (uint32_t i = 0; i < character->clip_count; i++) {
        const char *name = clip_name_at(character, i);
        const bool is_short = lmb_clip_get_info(character->clips[i])->duration < list->min_seconds;
        bool taken = list->chosen.count > 0 ? is_listed(&list->chosen, name)
                                            : !is_short && !lmb_clip_get_info(character->clips[i])->is_additive;
        list->left_out += list->chosen.count == 0 && is_short;
        for (uint32_t k = 0; k < i; k++) {
            taken = taken && strcmp(name, clip_name_at(character, k)) != 0;
        }
        if (taken) {
            list->sources[list->count++].clip = character->clips[i];
        }
    }
    return list->count > 0 ? LMB_OK : lmb_fail(error, LMB_ERROR_ARGUMENT, "it has no clips");
}

static lmb_result find_joint(take_list *list, const lmb_rig *rig, lmb_error *error) {
    list->extracted = lmb_default_root_motion_def();
    list->extracted.reference = LMB_MOTION_REFERENCE_REST_POSE;
    if (list->joint_name != NULL) {
        list->extracted.joint = lmb_rig_find_joint(rig, list->joint_name);
        return list->extracted.joint != LMB_NONE
                   ? LMB_OK
                   : lmb_fail(error, LMB_ERROR_ARGUMENT, "--joint: no joint '%.100s'", list->joint_name);
    }
    const lmb_clip **clips = lmb_arena_allocate(&list->pool, list->count, sizeof *clips);
    for (uint32_t i = 0; clips != NULL && i < list->count; i++) {
        clips[i] = list->sources[i].clip;
    }
    return clips == NULL ? no_memory(error)
                         : lmb_root_motion_find_joint(rig, clips, list->count, &list->extracted, NULL,
                                                      &list->extracted.joint, error);
}

static bool travels(const lmb_motion_track *track, float threshold) {
    bool travels = false;
    for (uint32_t i = 1; i < track->key_count; i++) {
        const float *key = track->keys + (size_t)i * 4;
        const float x = key[0] - track->keys[0], z = key[2] - track->keys[2], yaw = key[3] - track->keys[3];
        travels = travels || sqrtf(x * x + z * z) > TRAVELS * threshold || fabsf(yaw) > TURNS;
    }
    return travels;
}

static lmb_result make_take(take_list *list, uint32_t index, const lmb_rig *rig, float threshold, lmb_error *error) {
    take_source *source = &list->sources[index];
    lmb_motion_take *take = &list->takes[index];
    const char *name = lmb_clip_get_info(source->clip)->name;
    lmb_error found;
    float gap = 0.0f;
    lmb_result result = lmb_root_motion_extract(rig, source->clip, &list->extracted, NULL, &source->motion, &found);
    *take = lmb_default_motion_take();
    if (result == LMB_OK && travels(lmb_root_motion_track(source->motion), threshold)) {
        take->clip = lmb_root_motion_clip(source->motion);
        take->motion = lmb_root_motion_track(source->motion);
    } else if (result == LMB_OK) {
        lmb_root_motion_destroy(source->motion);
        source->motion = NULL;
        take->clip = source->clip;
        lmb_foot_speed speed;
        result = lmb_root_motion_measure_feet(rig, take->clip, NULL, &speed, &found);
        const bool walks = result == LMB_OK && speed.slide <= MOST_SLIDE;
        const bool is_sideways = fabsf(speed.velocity[0]) > SIDEWAYS * fabsf(speed.velocity[2]);
        take->velocity[0] = walks && is_sideways ? speed.velocity[0] : 0.0f;
        take->velocity[2] = walks ? speed.velocity[2] : 0.0f;
    }
    if (result == LMB_OK) {
        result = lmb_motion_take_measure_gap(rig, take->clip, NULL, &gap, &found);
    }
    take->loop = !is_listed(&list->played_once, name) && (is_listed(&list->looped, name) || gap < threshold / 2.0f);
    return result == LMB_OK ? LMB_OK : lmb_fail(error, result, "clip '%.100s': %.300s", name, found.message);
}

lmb_result take_list_find(take_list *list, const character_file *character, float threshold, lmb_error *error) {
    const bool failed = check_names(character, "--clip", &list->chosen, error) ||
                        check_names(character, "--loop", &list->looped, error) ||
                        check_names(character, "--once", &list->played_once, error) ||
                        choose_clips(list, character, error) || find_joint(list, character->rig, error);
    lmb_result result = failed ? error->result : LMB_OK;
    for (uint32_t i = 0; result == LMB_OK && i < list->count; i++) {
        result = make_take(list, i, character->rig, threshold, error);
    }
    return result;
}

void take_list_release(take_list *list) {
    for (uint32_t i = 0; list->sources != NULL && i < list->count; i++) {
        lmb_root_motion_destroy(list->sources[i].motion);
    }
    lmb_arena_release(&list->pool);
    free(list->chosen.values);
    free(list->looped.values);
    free(list->played_once.values);
}

const char *take_list_name(const take_list *list, uint32_t take) {
    return lmb_clip_get_info(list->sources[take].clip)->name;
}

const char *take_list_moves(const take_list *list, uint32_t take) {
    const lmb_motion_take *own = &list->takes[take];
    const bool walks = own->velocity[0] != 0.0f || own->velocity[2] != 0.0f;
    return own->motion != NULL ? "itself" : walks ? "by feet" : "-";
}

static void write_motion(const take_list *list, uint32_t take, const lmb_rig *rig, json *json) {
    const lmb_motion_take *own = &list->takes[take];
    if (list->sources[take].motion != NULL) {
        json_begin_object(json, "motion");
        json_text(json, "joint", lmb_rig_get_def(rig)->joints[list->extracted.joint].name);
        json_text(json, "reference", "rest-pose");
        json_end_object(json);
    } else if (own->velocity[0] != 0.0f) {
        const float seconds = lmb_clip_get_info(own->clip)->duration;
        const float keys[2][4] = {{0.0f}, {own->velocity[0] * seconds, 0.0f, own->velocity[2] * seconds, 0.0f}};
        json_begin_array(json, "motion");
        json_floats(json, NULL, keys[0], 4);
        json_floats(json, NULL, keys[1], 4);
        json_end_array(json);
    } else if (own->velocity[2] != 0.0f) {
        json_float(json, "velocity", own->velocity[2]);
    }
}

void take_list_write_pose(const take_list *list, uint32_t take, const lmb_motion_part *part, const lmb_rig *rig,
                          json *json) {
    json_begin_object(json, "pose");
    json_text(json, "op", "clip");
    json_text(json, "clip", take_list_name(list, take));
    if (part != NULL) {
        json_float(json, "from", part->start);
        json_float(json, "to", part->end);
    }
    json_begin_object(json, "play");
    json_text(json, "end", part == NULL && list->takes[take].loop ? "loop" : "hold");
    write_motion(list, take, rig, json);
    json_end_object(json);
    json_end_object(json);
}

lmb_result take_list_write(const char *path, void (*write)(const void *data, FILE *stream), const void *data,
                           lmb_error *error) {
    const char *why;
    FILE *stream = lmb_open_file(path, LMB_OPEN_WRITE, &why);
    if (stream == NULL) {
        return lmb_fail(error, LMB_ERROR_FILE, "%s: %s", path, why);
    }
    write(data, stream);
    const bool written = !ferror(stream);
    return fclose(stream) == 0 && written ? LMB_OK : lmb_fail(error, LMB_ERROR_FILE, "%s: %s", path, strerror(errno));
}
