// Places the members of a crowd, and advances their phases and weights.
#include "crowd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../pedestrians.h"
#include "graphics.h"
#include "random.h"

#define TURN 6.28318531f
#define REACTION 3.0 // per second: how fast everybody changes to a chosen clip

static float between(float low, float high, float share) {
    return low + (high - low) * share;
}

static const float plain_tints[][3] = {{0.90f, 0.84f, 0.74f}, {0.86f, 0.42f, 0.27f}, {0.22f, 0.52f, 0.56f},
                                       {0.93f, 0.66f, 0.24f}, {0.36f, 0.42f, 0.60f}, {0.52f, 0.62f, 0.36f}};

static void set_tint(const character *character, uint32_t index, float tint[3]) {
    float light = between(0.88f, 1.05f, random_chance(index, 1));
    const size_t tint_count = sizeof plain_tints / sizeof *plain_tints;
    size_t choice = (size_t)(random_chance(index, 2) * (float)tint_count);
    for (size_t i = 0; i < 3; i++) {
        tint[i] = light * (character->plain ? plain_tints[choice][i] : 1.0f);
    }
}

// Places members evenly, without rows, and almost round for any number. Chances here have purposes up to 16.
static void set_placement(const crowd *crowd, uint32_t index, float spacing, crowd_placement *placement) {
    pedestrian_place(index, spacing, placement->position);
    // Roughly towards +Z: the sum of two random numbers favours the middle.
    float turn = 0.22f + between(-0.45f, 0.45f, 0.5f * (random_chance(index, 5) + random_chance(index, 6)));
    placement->heading[0] = cosf(turn);
    placement->heading[1] = sinf(turn);
    placement->scale = between(0.94f, 1.06f, random_chance(index, 7));
    set_tint(crowd->character, index, placement->tint);
}

static void set_member(const crowd *crowd, uint32_t index, float spacing, crowd_member *member) {
    set_placement(crowd, index, spacing, &member->placement);
    for (uint32_t i = 0; i < CHARACTER_BASES; i++) {
        member->phases[i] = random_chance(index, 8 + i);
    }
    member->pace = between(0.92f, 1.08f, random_chance(index, 12));
    const float count = (float)crowd->character->base_count;
    // Walking is more frequent than standing or running; other clips are equally frequent.
    member->mood = crowd->character->blends
                       ? (count - 1.0f) * 0.5f * (random_chance(index, 13) + random_chance(index, 14))
                       : count * random_chance(index, 13);
    member->swing = TURN * random_chance(index, 15);
    member->waves = random_chance(index, 16) < 0.12f;
}

lmb_result crowd_create(const character *character, uint32_t count, crowd *crowd, lmb_error *error) {
    *crowd = (struct crowd){.character = character, .count = count, .chosen = LMB_NONE};
    crowd->members = calloc(count, sizeof *crowd->members);
    if (crowd->members == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for %u characters", count);
    }
    crowd_place(crowd);
    return LMB_OK;
}

void crowd_place(crowd *crowd) {
    const character *character = crowd->character;
    float spacing = fmaxf(1.45f * character->width, 0.55f * character->height);
    for (uint32_t i = 0; i < crowd->count; i++) {
        set_member(crowd, i, spacing, &crowd->members[i]);
    }
    crowd->radius = 0.58f * spacing * sqrtf((float)(crowd->count - 1));
}

void crowd_destroy(crowd *crowd) {
    free(crowd->members);
    *crowd = (struct crowd){0};
}

void crowd_place_single(crowd *crowd) {
    if (crowd->count == 1) {
        crowd->members[0].placement =
            (crowd_placement){.scale = 1.0f, .tint = {0.90f, 0.62f, 0.42f}, .heading = {1.0f, 0.0f}};
    }
}

float crowd_follow_motion(const crowd *crowd, const crowd_start *start, const lmb_motion *motion,
                          crowd_placement *placement) {
    const double unit = (double)placement->scale * (double)crowd->character->unit;
    const double left = unit * motion->position[0], ahead = unit * motion->position[2];
    const double c = cos((double)start->facing), s = sin((double)start->facing);
    const float heading = start->facing + (float)motion->yaw;
    placement->position[0] = start->position[0] + (float)(c * left + s * ahead);
    placement->position[1] = start->position[1] + (float)(c * ahead - s * left);
    placement->heading[0] = cosf(heading);
    placement->heading[1] = sinf(heading);
    return heading;
}

void crowd_matrix(const crowd *crowd, const crowd_placement *placement, float matrix[LMB_MATRIX_COMPONENTS]) {
    const float size = placement->scale * crowd->character->unit;
    const float c = size * placement->heading[0], s = size * placement->heading[1];
    const float rows[3][3] = {{c, 0.0f, s}, {0.0f, size, 0.0f}, {-s, 0.0f, c}};
    const float place[3] = {placement->position[0], placement->lift, placement->position[1]};
    for (size_t row = 0; row < 3; row++) {
        float *target = matrix + 4 * row;
        target[3] = place[row];
        for (size_t k = 0; k < 3; k++) {
            target[k] = rows[row][k];
            target[3] -= rows[row][k] * crowd->character->origin[k];
        }
    }
}

// The placement is that of the character's origin.
void crowd_place_by(const crowd *crowd, const float matrix[LMB_MATRIX_COMPONENTS], crowd_placement *placement) {
    const float size = fmaxf(hypotf(matrix[0], matrix[2]), 1e-6f);
    float place[3];
    for (size_t row = 0; row < 3; row++) {
        const float *m = matrix + 4 * row, *origin = crowd->character->origin;
        place[row] = m[0] * origin[0] + m[1] * origin[1] + m[2] * origin[2] + m[3];
    }
    placement->scale = size / crowd->character->unit;
    placement->heading[0] = matrix[0] / size;
    placement->heading[1] = matrix[2] / size;
    placement->position[0] = place[0];
    placement->position[1] = place[2];
    placement->lift = place[1];
}

static float own_mood(const crowd *crowd, const crowd_member *member) {
    return member->mood + 0.25f * sinf((float)(0.35 * crowd->time) + member->swing);
}

// The member's own weights are triangular weights around its mood; a chosen clip replaces them.
static void find_weights(const crowd *crowd, const crowd_member *member, float weights[CHARACTER_BASES]) {
    uint32_t count = crowd->character->base_count;
    float mood = fminf(fmaxf(own_mood(crowd, member), 0.0f), count > 0 ? (float)(count - 1) : 0.0f);
    float turned = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        turned += crowd->shares[i];
    }
    for (uint32_t i = 0; i < CHARACTER_BASES; i++) {
        const float blended = fmaxf(0.0f, 1.0f - fabsf(mood - (float)i));
        const float own = i >= count ? 0.0f : crowd->character->blends ? blended : i == (uint32_t)member->mood;
        weights[i] = (1.0f - turned) * own + crowd->shares[i];
    }
}

// Returns the duration of one cycle of the shared phase in seconds: the weighted mean of the gaits' durations.
static double gait_duration(const character *character, const float weights[CHARACTER_BASES]) {
    double sum = 0.0;
    double total = 0.0;
    for (uint32_t i = 0; i < character->base_count; i++) {
        if (character->gait[i]) {
            double weight = weights[i] + 1e-3;
            sum += weight * lmb_clip_get_info(character->bases[i])->duration;
            total += weight;
        }
    }
    return total > 0.0 ? sum / total : 1.0;
}

// Clips differ in the height of their lowest point.
static void put_on_ground(const character *character, const float weights[CHARACTER_BASES],
                          crowd_placement *placement) {
    placement->lift = 0.0f;
    for (uint32_t i = 0; i < character->base_count; i++) {
        placement->lift -= placement->scale * weights[i] * character->ground[i];
    }
}

static void advance_member(const crowd *crowd, crowd_member *member, double seconds) {
    const character *character = crowd->character;
    float weights[CHARACTER_BASES];
    find_weights(crowd, member, weights);
    put_on_ground(character, weights, &member->placement);
    double shared = gait_duration(character, weights);
    uint32_t first_gait = LMB_NONE;
    for (uint32_t i = 0; i < character->base_count; i++) {
        double duration = character->gait[i] ? shared : lmb_clip_get_info(character->bases[i])->duration;
        if (character->gait[i] && first_gait != LMB_NONE) {
            member->phases[i] = member->phases[first_gait];
        } else if (duration > 0.0) {
            member->phases[i] = fmod(member->phases[i] + seconds * member->pace / duration, 1.0);
        }
        if (character->gait[i] && first_gait == LMB_NONE) {
            first_gait = i;
        }
    }
}

static void approach(float *value, float goal, double seconds) {
    float step = (float)(REACTION * seconds);
    *value += fminf(fmaxf(goal - *value, -step), step);
}

void crowd_advance(crowd *crowd, double seconds) {
    crowd->time += seconds;
    for (uint32_t i = 0; i < CHARACTER_BASES; i++) {
        approach(&crowd->shares[i], i == crowd->chosen ? 1.0f : 0.0f, seconds);
    }
    approach(&crowd->wave_share, crowd->all_wave ? 1.0f : 0.0f, seconds);
    for (uint32_t i = 0; i < crowd->count; i++) {
        advance_member(crowd, &crowd->members[i], seconds);
    }
}

static float time_in(const lmb_clip *clip, double seconds) {
    double duration = clip != NULL ? lmb_clip_get_info(clip)->duration : 0.0;
    return duration > 0.0 ? (float)fmod(seconds, duration) : 0.0f;
}

static void write_member(const crowd *crowd, const crowd_member *member, float *parameters) {
    const character *character = crowd->character;
    find_weights(crowd, member, parameters + PARAMETER_BASE_WEIGHT);
    for (uint32_t i = 0; i < CHARACTER_BASES; i++) {
        double duration = i < character->base_count ? lmb_clip_get_info(character->bases[i])->duration : 0.0;
        parameters[PARAMETER_BASE_TIME + i] = (float)(member->phases[i] * duration);
    }
    double own_time = crowd->time * member->pace + member->swing;
    float now_and_then = fminf(fmaxf(0.5f + 2.0f * sinf((float)(0.5 * own_time)), 0.0f), 1.0f);
    parameters[PARAMETER_WAVE_TIME] = time_in(character->wave, own_time);
    parameters[PARAMETER_WAVE_WEIGHT] = fmaxf(member->waves ? now_and_then : 0.0f, crowd->wave_share);
    parameters[PARAMETER_BREATH_TIME] = time_in(character->breath, own_time);
    parameters[PARAMETER_BREATH_WEIGHT] = 1.0f;
    parameters[PARAMETER_LEAN_TIME] = time_in(character->lean, 0.4 * own_time);
    parameters[PARAMETER_LEAN_WEIGHT] = 0.35f * fminf(member->mood, 1.0f);
}

void crowd_write_parameters(const crowd *crowd, float *parameters) {
    for (uint32_t i = 0; i < crowd->count; i++) {
        write_member(crowd, &crowd->members[i], parameters + (size_t)i * PARAMETER_COUNT);
    }
}
