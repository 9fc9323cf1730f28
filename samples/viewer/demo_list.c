// The list of demos, and how the demos that need more than sliders are steered.
#include "demo.h"

#include "play_clock.h"
#include "random.h"

#include <math.h>
#include <string.h>

#define BACK_SPEED 0.85f
#define SIDE_SPEED 0.6f
#define AIR_SECONDS 0.35

static const unsigned char jump_text[] = {
#include "jump.machine.inc"
};
static const unsigned char jump_script[] = {
#include "jump.script.inc"
};
static const unsigned char directional_text[] = {
#include "directional.json.inc"
};
static const unsigned char directional_script[] = {
#include "directional.script.inc"
};
static const unsigned char walk_run_text[] = {
#include "walk-run.json.inc"
};
static const unsigned char walk_run_script[] = {
#include "walk-run.script.inc"
};
static const unsigned char wave_text[] = {
#include "wave.json.inc"
};
static const unsigned char wave_script[] = {
#include "wave.script.inc"
};
static const unsigned char body_turn_text[] = {
#include "body-turn.json.inc"
};
static const unsigned char body_turn_script[] = {
#include "body-turn.script.inc"
};
static const unsigned char aim_text[] = {
#include "aim.json.inc"
};
static const unsigned char aim_script[] = {
#include "aim.script.inc"
};
static const unsigned char wander_text[] = {
#include "wander.json.inc"
};
static const unsigned char stairs_text[] = {
#include "stairs.json.inc"
};
static const unsigned char stairs_scene[] = {
#include "stairs.scene.inc"
};
static const unsigned char stairs_script[] = {
#include "stairs.script.inc"
};
static const unsigned char look_text[] = {
#include "look.json.inc"
};
static const unsigned char look_scene[] = {
#include "look.scene.inc"
};
static const unsigned char look_script[] = {
#include "look.script.inc"
};
static const unsigned char rail_text[] = {
#include "rail.json.inc"
};
static const unsigned char rail_scene[] = {
#include "rail.scene.inc"
};
static const unsigned char rail_script[] = {
#include "rail.script.inc"
};
static const unsigned char faces_text[] = {
#include "faces.json.inc"
};
static const unsigned char faces_scene[] = {
#include "faces.scene.inc"
};
static const unsigned char faces_script[] = {
#include "faces.script.inc"
};
static const unsigned char child_text[] = {
#include "child.json.inc"
};
static const unsigned char child_script[] = {
#include "child.script.inc"
};
static const unsigned char match_text[] = {
#include "match.json.inc"
};
static const unsigned char match_script[] = {
#include "match.script.inc"
};
static const unsigned char tail_text[] = {
#include "tail.json.inc"
};
static const unsigned char tail_scene[] = {
#include "tail.scene.inc"
};
static const unsigned char tail_script[] = {
#include "tail.script.inc"
};

// Moves a value towards a goal by at most one step, so that a body can follow a slider.
static float approach(float value, float goal, float step) {
    return value + fminf(fmaxf(goal - value, -step), step);
}

// Returns a speed in terms of the text, which uses the speeds of the mannequin's gaits: `walk` moves it from 0 to that
// of a walk, `run` on to that of a run.
static float text_speed(float walk, float run) {
    return walk * DEMO_WALK_SPEED + run * (DEMO_RUN_SPEED - DEMO_WALK_SPEED);
}

static void steer_gaits(demo *demo, double seconds) {
    demo->goal[0] = approach(demo->goal[0], demo->sliders[0], (float)seconds * 2.0f);
    float walk = fminf(demo->goal[0] / demo->walk_speed, 1.0f);
    float run = fminf(fmaxf((demo->goal[0] - demo->walk_speed) / (demo->run_speed - demo->walk_speed), 0.0f), 1.0f);
    demo_set_parameter(demo, 0, "speed", text_speed(walk, run));
}

// The ground comes near after some time in the air.
static void steer_jump(demo *demo, double seconds) {
    bool floats = strcmp(demo_state(demo, 0), "float") == 0;
    demo->goal[0] = floats ? demo->goal[0] + (float)seconds : 0.0f;
    if (demo->goal[0] > AIR_SECONDS) {
        demo_send(demo, 0, "NEAR_GROUND");
    }
}

// ---- Wandering: each character's will to walk varies, and it turns away from others and from the border of the place.

static float wave_of(uint32_t character, uint32_t purpose, double time) {
    float own = random_chance(character, 20 + purpose);
    return sinf((float)time * (0.25f + 0.3f * own) + 40.0f * own);
}

#define TURN 6.28318531f
static float turn_back(const demo *demo, uint32_t character) {
    const float *own = demo->people->list[character].position;
    float heading = demo->people->list[character].heading;
    if (hypotf(own[0], own[1]) < demo->crowd->radius) {
        return 0.0f;
    }
    float side = cosf(heading) * -own[0] + sinf(heading) * own[1];
    float ahead = -sinf(heading) * own[0] - cosf(heading) * own[1];
    return fminf(fmaxf(atan2f(side, ahead), -1.0f), 1.0f);
}

static void steer_wander(demo *demo, double seconds) {
    pedestrians_locate(demo->people);
    for (uint32_t i = 0; i < demo->crowd->count; i++) {
        float will = 0.45f + 0.35f * wave_of(i, 1, demo->time) + 0.3f * wave_of(i, 2, demo->time);
        float run = fminf(fmaxf(5.0f * (will - 0.85f), 0.0f), 1.0f);
        demo_walker *walker = &demo->walkers[i];
        pedestrian_avoidance others = pedestrian_avoid(demo->people, i);
        float turn = 0.5f * wave_of(i, 3, demo->time) + 1.3f * others.turn + turn_back(demo, i);
        float unit = demo->crowd->members[i].placement.scale * demo->crowd->character->unit;
        turn = fminf(fmaxf(turn, -1.2f), 1.2f) * fminf(walker->speed / demo->walk_speed, 1.0f);
        walker->desired = remainderf(walker->desired + turn * (float)seconds, TURN);
        demo_set_parameter(demo, i, "heading", walker->desired);
        demo_set_parameter(demo, i, "aside", others.left / unit);
        demo_set_parameter(demo, i, "along", others.ahead / unit);
        demo_set_parameter(demo, i, "will", will);
        demo_set_parameter(demo, i, "speed", text_speed(1.0f, run));
        demo_set_parameter(demo, i, "pace", demo->crowd->members[i].pace);
        if ((demo->number * 7919u + i * 104729u) % 1500u == 0u) {
            demo_send(demo, i, "MEET");
        }
    }
}

// ---- Motion matching: the first character does what the sliders say. All others go from place to place, some of them
// at a run, and around others; they say where they want to go, and no more.

static void steer_match(demo *demo, double seconds) {
    const float clock = (float)fmod(demo->time, PLAY_CLOCK_SECONDS); // of the feet
    pedestrians_locate(demo->people);
    pedestrians_walk(demo->people, 1, demo->number, (float)seconds);
    demo_set_parameter(demo, 0, "time", clock);
    for (uint32_t i = 1; i < demo->crowd->count; i++) {
        const demo_walker *walker = &demo->walkers[i];
        const float *asked = demo->people->list[i].velocity;
        const float unit = demo->crowd->members[i].placement.scale * demo->crowd->character->unit;
        const float c = cosf(walker->start.facing), s = sinf(walker->start.facing);
        demo_set_parameter(demo, i, "time", clock);
        // Parameters are along axes that are turned as the character was at its start.
        demo_set_parameter(demo, i, "x", (c * asked[0] - s * asked[1]) / unit);
        demo_set_parameter(demo, i, "z", (s * asked[0] + c * asked[1]) / unit);
    }
}

static const demo_kind kinds[] = {
    {.name = "directional",
     .title = "walks where x and z say",
     .text = directional_text,
     .size = sizeof directional_text,
     .script = directional_script,
     .script_size = sizeof directional_script,
     .characters = 1,
     .sliders = {{"x", -SIDE_SPEED, SIDE_SPEED, 0.0f}, {"z", -BACK_SPEED, DEMO_WALK_SPEED, 0.0f}},
     .slider_count = 2},
    {.name = "jump",
     .title = "jumps: tap or hold space",
     .text = jump_text,
     .size = sizeof jump_text,
     .script = jump_script,
     .script_size = sizeof jump_script,
     .characters = 1,
     .pressed = "JUMP_PRESS",
     .released = "JUMP_RELEASE",
     .steer = steer_jump},
    {.name = "walk-run",
     .title = "walk and run in phase",
     .text = walk_run_text,
     .size = sizeof walk_run_text,
     .script = walk_run_script,
     .script_size = sizeof walk_run_script,
     .characters = 1,
     .sliders = {{"speed", 0.0f, DEMO_RUN_SPEED, DEMO_WALK_SPEED}},
     .slider_count = 1,
     .steer = steer_gaits},
    {.name = "wave",
     .title = "waves over any gait: hold space",
     .text = wave_text,
     .size = sizeof wave_text,
     .script = wave_script,
     .script_size = sizeof wave_script,
     .characters = 1,
     .pressed = "WAVE",
     .released = "STOP",
     .sliders = {{"speed", 0.0f, DEMO_RUN_SPEED, DEMO_WALK_SPEED}},
     .slider_count = 1,
     .steer = steer_gaits},
    {.name = "body-turn",
     .title = "turns the body while walking",
     .text = body_turn_text,
     .size = sizeof body_turn_text,
     .script = body_turn_script,
     .script_size = sizeof body_turn_script,
     .characters = 1,
     .sliders = {{"turn", -1.0f, 1.0f, 0.0f}},
     .slider_count = 1},
    {.name = "aim",
     .title = "points, by a grid of nine poses",
     .text = aim_text,
     .size = sizeof aim_text,
     .script = aim_script,
     .script_size = sizeof aim_script,
     .characters = 1,
     .sliders = {{"side", -60.0f, 60.0f, 0.0f}, {"height", -40.0f, 40.0f, 0.0f}},
     .slider_count = 2,
     .hides_clips = true},
    {.name = "wander",
     .title = "each with a machine of its own",
     .text = wander_text,
     .size = sizeof wander_text,
     .characters = 2000,
     .spread = 1.6f,
     .steer = steer_wander},
    {.name = "match",
     .title = "takes chosen by motion matching: the first by x and z",
     .text = match_text,
     .size = sizeof match_text,
     .script = match_script,
     .script_size = sizeof match_script,
     .characters = 1000,
     .spread = 1.6f,
     .sliders = {{"x", -DEMO_RUN_SPEED, DEMO_RUN_SPEED, 0.0f}, {"z", -DEMO_RUN_SPEED, DEMO_RUN_SPEED, 0.0f}},
     .slider_count = 2,
     .mannequin = "mannequin-takes",
     .hides_clips = true,
     .steer = steer_match},
    {.name = "stairs",
     .title = "feet on stairs and slopes",
     .text = stairs_text,
     .size = sizeof stairs_text,
     .script = stairs_script,
     .script_size = sizeof stairs_script,
     .scene = stairs_scene,
     .scene_size = sizeof stairs_scene,
     .characters = 35,
     .hides_clips = true},
    {.name = "look",
     .title = "heads and eyes follow the camera",
     .text = look_text,
     .size = sizeof look_text,
     .script = look_script,
     .script_size = sizeof look_script,
     .scene = look_scene,
     .scene_size = sizeof look_scene,
     .characters = 15,
     .pressed = "AWAY",
     .released = "LOOK",
     .mannequin = "mannequin-face",
     .hides_clips = true},
    {.name = "rail",
     .title = "hands on a moving rail: hold space to let go",
     .text = rail_text,
     .size = sizeof rail_text,
     .script = rail_script,
     .script_size = sizeof rail_script,
     .scene = rail_scene,
     .scene_size = sizeof rail_scene,
     .characters = 5,
     .pressed = "LET_GO",
     .released = "TAKE",
     .hides_clips = true},
    {.name = "faces",
     .title = "faces of morph targets, skinned in compute",
     .text = faces_text,
     .size = sizeof faces_text,
     .script = faces_script,
     .script_size = sizeof faces_script,
     .scene = faces_scene,
     .scene_size = sizeof faces_scene,
     .characters = 40,
     .pressed = "WAVE",
     .released = "STOP",
     .mannequin = "mannequin-face",
     .skins = true,
     .hides_clips = true},
    {.name = "child",
     .title = "a child with the clips of an adult",
     .text = child_text,
     .size = sizeof child_text,
     .script = child_script,
     .script_size = sizeof child_script,
     .characters = 1,
     .sliders = {{"speed", 0.0f, DEMO_RUN_SPEED, DEMO_WALK_SPEED}},
     .slider_count = 1,
     .steer = steer_gaits,
     .mannequin = "mannequin-child",
     .source = "adult=mannequin"},
    {.name = "tail",
     .title = "a tail that swings",
     .text = tail_text,
     .size = sizeof tail_text,
     .script = tail_script,
     .script_size = sizeof tail_script,
     .scene = tail_scene,
     .scene_size = sizeof tail_scene,
     .characters = 1,
     .sliders = {{"speed", 0.0f, DEMO_RUN_SPEED, 0.0f}, {"heading", -2.0f, 2.0f, 0.0f}},
     .slider_count = 2,
     .steer = steer_gaits,
     .file = "Fox.glb",
     .hides_clips = true},
};

#define KIND_COUNT (sizeof kinds / sizeof *kinds)

const demo_kind *demo_find(const char *name) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

const char *demo_name(uint32_t index) {
    return index < KIND_COUNT ? kinds[index].name : NULL;
}
