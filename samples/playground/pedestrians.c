// The crowd of the page "match", as WebAssembly. src/crowd.ts reads and writes the list.
#include "../pedestrians.h"

#include <emscripten.h>
#include <math.h>

#include "random.h"

#define MOST 1000u
#define SPACING 1.6f // metres

static pedestrian list[MOST];
static pedestrians people = {.list = list, .room = 1.0f, .walk_speed = 1.25f, .run_speed = 3.0f};
static uint32_t frame;

// Begins with a number of them at their first places. Returns the list.
EMSCRIPTEN_KEEPALIVE pedestrian *begin(uint32_t count) {
    people.count = count < MOST ? count : MOST;
    people.radius = SPACING * sqrtf((float)people.count);
    frame = 0;
    for (uint32_t i = 0; i < people.count; i++) {
        list[i] = (pedestrian){.heading = 6.28f * random_chance(i, 20)};
        pedestrian_place(i, SPACING, list[i].position);
    }
    return list;
}

// Sets where all want to go, but the first.
EMSCRIPTEN_KEEPALIVE void walk(float seconds) {
    pedestrians_locate(&people);
    pedestrians_walk(&people, 1, frame++, seconds);
}
