// Clips get motion tracks that are made here, because those of the actors have none. Rates and targets differ by
// character, so that neither players nor warps of two characters are at the same time.
#include "travel.h"

#include "crowd.h"
#include "random.h"

#include <math.h>

enum { RATE, TARGET_X, TARGET_Z, TARGET_HEADING, PARAMETERS };
_Static_assert((int)PARAMETERS == (int)TRAVEL_PARAMETERS, "as many as are named");

enum { WARPED_CLIP = 1 }; // the one with the largest weight

bool travel_has(workload_kind kind) {
    return kind >= WORKLOAD_ROOT_MOTION && kind <= WORKLOAD_FULL_ROTATION;
}

// Forwards at a clip's own speed, with a sway to the sides and some yaw; with all rotations it also rolls.
static void make_track(const lmb_clip *clip, uint32_t index, travel *travel, bool full_rotation) {
    const float distance = (1.5f + 1.5f * (float)index) * lmb_clip_get_info(clip)->duration;
    for (uint32_t i = 0; i < TRAVEL_KEYS; i++) {
        const float share = (float)i / (float)(TRAVEL_KEYS - 1), swing = sinf(6.2831853f * share);
        float *key = travel->keys[index][i], *rotation = travel->rotations[index][i];
        key[0] = 0.04f * swing;
        key[1] = 0.0f;
        key[2] = distance * share;
        key[3] = 0.1f * share + 0.05f * swing;
        rotation[0] = rotation[1] = 0.0f;
        rotation[2] = sinf(0.05f * swing);
        rotation[3] = cosf(0.05f * swing);
    }
    travel->tracks[index] = (lmb_motion_track){.key_count = TRAVEL_KEYS,
                                               .keys = travel->keys[index][0],
                                               .rotations = full_rotation ? travel->rotations[index][0] : NULL};
}

void travel_make(workload_kind kind, const actor *actor, travel *travel) {
    travel->motion = lmb_default_motion_def();
    travel->motion.full_rotation = kind == WORKLOAD_FULL_ROTATION;
    for (uint32_t i = 0; i < ACTOR_CLIPS; i++) {
        travel->players[i] = lmb_default_player_def();
        travel->players[i].rate = lmb_parameter(RATE);
        if (i < TRAVEL_CLIPS) {
            make_track(actor->clips[i], i, travel, travel->motion.full_rotation);
            travel->players[i].motion = &travel->tracks[i];
        }
    }
    if (kind == WORKLOAD_WARP) {
        travel->warp = lmb_default_warp_def();
        travel->warp.end = lmb_clip_get_info(actor->clips[WARPED_CLIP])->duration;
        travel->warp.target[0] = lmb_parameter(TARGET_X);
        travel->warp.target[2] = lmb_parameter(TARGET_Z);
        travel->warp.turns_to_heading = true;
        travel->warp.heading = lmb_parameter(TARGET_HEADING);
        travel->players[WARPED_CLIP].warps = &travel->warp;
        travel->players[WARPED_CLIP].warp_count = 1;
    }
}

// Targets move on a circle of 5 m at 1.5 m/s. Rates differ by up to a tenth, so that the clips' phases do.
void travel_fill(const lmb_graph *graph, uint32_t characters, uint32_t frame, float *parameters) {
    const size_t stride = lmb_graph_get_info(graph)->parameter_count;
    uint32_t state = 1;
    for (uint32_t i = 0; i < characters; i++) {
        const float phase = (float)(random_next(&state) % 4096) / 4096.0f;
        const float angle = 6.2831853f * phase + 0.3f * (float)(frame % 61440) / 60.0f;
        float *row = parameters + i * stride;
        row[RATE] = 0.9f + 0.2f * phase;
        row[TARGET_X] = 5.0f * sinf(angle);
        row[TARGET_Z] = 5.0f * cosf(angle);
        row[TARGET_HEADING] = angle + 1.5707963f;
    }
}
