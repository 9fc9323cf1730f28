// A grid of cells finds neighbours: each has one of those who are in it, which is enough to turn away from it.
#include "pedestrians.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "random.h"

#define TURN 6.28318531f
#define GOLDEN_ANGLE 2.39996323f
#define NOBODY UINT32_MAX
#define CELL 1.4f // metres
#define ELBOW_ROOM 0.6f
#define SIDESTEP_SPEED 0.4f
#define ARRIVAL 0.8f // metres
#define RUN_WAY 6.0f // from which on those run who do
#define ANSWER 0.15f // seconds in which most of a change is asked for

// Returns an offset of at most 0.16 to both sides.
static float offset_of(uint32_t member, uint32_t purpose) {
    return -0.16f + 0.32f * random_chance(member, purpose);
}

void pedestrian_place(uint32_t member, float spacing, float position[2]) {
    const float radius = 0.58f * spacing * sqrtf((float)member), angle = GOLDEN_ANGLE * (float)member;
    position[0] = radius * cosf(angle) + spacing * offset_of(member, 3);
    position[1] = radius * sinf(angle) + spacing * offset_of(member, 4);
}

static uint32_t cell_of(const pedestrians *people, float place) {
    const float cell = floorf(place / (CELL * people->room)) + 0.5f * (float)PEDESTRIANS_CELLS;
    return (uint32_t)(int32_t)cell % PEDESTRIANS_CELLS;
}

void pedestrians_locate(pedestrians *people) {
    memset(people->cells, 0xff, sizeof people->cells);
    for (uint32_t i = 0; i < people->count; i++) {
        const float *place = people->list[i].position;
        people->cells[cell_of(people, place[1]) * PEDESTRIANS_CELLS + cell_of(people, place[0])] = i;
    }
}

pedestrian_avoidance pedestrian_avoid(const pedestrians *people, uint32_t index) {
    const float *own = people->list[index].position;
    const float c = cosf(people->list[index].heading), s = sinf(people->list[index].heading);
    pedestrian_avoidance result = {0};
    for (uint32_t i = 0; i < 9; i++) {
        const uint32_t row = (cell_of(people, own[1]) + PEDESTRIANS_CELLS + i / 3 - 1) % PEDESTRIANS_CELLS;
        const uint32_t column = (cell_of(people, own[0]) + PEDESTRIANS_CELLS + i % 3 - 1) % PEDESTRIANS_CELLS;
        const uint32_t other = people->cells[row * PEDESTRIANS_CELLS + column];
        if (other == NOBODY || other == index) {
            continue;
        }
        const float *place = people->list[other].position;
        const float x = place[0] - own[0], z = place[1] - own[1];
        const float left = c * x - s * z, ahead = s * x + c * z, distance = hypotf(x, z);
        const float apart = distance / people->room;
        if (apart < ELBOW_ROOM && distance > 0.01f) {
            result.left -= left / distance * SIDESTEP_SPEED;
            result.ahead -= ahead / distance * SIDESTEP_SPEED;
        }
        if (ahead > 0.0f && apart < 1.6f) {
            result.turn += (left > 0.0f ? -1.0f : 1.0f) * (1.6f - apart);
        }
    }
    return result;
}

static void choose_goal(const pedestrians *people, uint32_t index, uint32_t frame) {
    pedestrian *own = &people->list[index];
    const uint32_t purpose = 30 + 2 * (frame / 64);
    const float angle = TURN * random_chance(index, purpose), chance = random_chance(index, purpose + 1);
    const float way = people->radius * sqrtf(chance);
    own->goal[0] = way * sinf(angle);
    own->goal[1] = way * cosf(angle);
    own->waits = 2.0f * chance - 0.5f;
}

// Stores the velocity at which it would like to go at once.
static void choose_velocity(const pedestrians *people, uint32_t index, uint32_t frame, float seconds,
                            float velocity[2]) {
    pedestrian *own = &people->list[index];
    const float x = own->goal[0] - own->position[0], z = own->goal[1] - own->position[1], way = hypotf(x, z);
    velocity[0] = velocity[1] = 0.0f;
    if (way < ARRIVAL) {
        own->waits -= seconds;
        if (own->waits < 0.0f) {
            choose_goal(people, index, frame);
        }
        return;
    }
    const pedestrian_avoidance others = pedestrian_avoid(people, index);
    const float turn = fminf(fmaxf(1.2f * others.turn, -1.2f), 1.2f), heading = atan2f(x, z) + turn;
    const float speed = index % 5 == 0 && way > RUN_WAY ? people->run_speed : people->walk_speed;
    const float c = cosf(own->heading), s = sinf(own->heading);
    velocity[0] = speed * sinf(heading) + c * others.left + s * others.ahead;
    velocity[1] = speed * cosf(heading) - s * others.left + c * others.ahead;
}

void pedestrians_walk(pedestrians *people, uint32_t first, uint32_t frame, float seconds) {
    for (uint32_t i = first; i < people->count; i++) {
        float velocity[2];
        if (frame == 0) {
            choose_goal(people, i, frame);
        }
        choose_velocity(people, i, frame, seconds, velocity);
        for (size_t k = 0; k < 2; k++) {
            float *own = &people->list[i].velocity[k];
            *own += (velocity[k] - *own) * (1.0f - expf(-seconds / ANSWER));
        }
    }
}
