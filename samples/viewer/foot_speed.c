// Samples a clip and measures the velocity of its standing feet.
#include "foot_speed.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <limber/cpu.h>

#include "graphics.h"

#define SAMPLES 128u
// A foot stands while its height above its lowest point is at most this share of the character's height.
#define STANDING_SHARE 0.012f
#define SLOWEST 0.05f // metres per second: below this, the clip stands still

// The position of each contact at each sample: float [SAMPLES][CHARACTER_CONTACTS][3], metres.
typedef struct footsteps {
    float *positions;
    float seconds; // from one sample to the next
} footsteps;

static void find_places(const character *character, const float *palettes, footsteps *steps) {
    uint32_t joints = lmb_rig_joint_count(character->rig);
    for (uint32_t sample = 0; sample < SAMPLES; sample++) {
        for (uint32_t i = 0; i < character->contact_count; i++) {
            const character_contact *contact = &character->contacts[i];
            const float *m = palettes + ((size_t)sample * joints + contact->joint) * LMB_MATRIX_COMPONENTS;
            float *place = steps->positions + ((size_t)sample * CHARACTER_CONTACTS + i) * 3;
            for (size_t axis = 0; axis < 3; axis++) {
                const float *row = m + axis * 4;
                place[axis] = character->unit * (row[0] * contact->position[0] + row[1] * contact->position[1] +
                                                 row[2] * contact->position[2] + row[3]);
            }
        }
    }
}

static lmb_result run_clip(const character *character, const lmb_clip *clip, const lmb_graph *graph, footsteps *steps,
                           lmb_error *error) {
    float times[SAMPLES];
    lmb_cpu *cpu = NULL;
    float *palettes =
        malloc((size_t)SAMPLES * lmb_rig_joint_count(character->rig) * LMB_MATRIX_COMPONENTS * sizeof(float));
    if (palettes == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory to measure '%s'", lmb_clip_name(clip));
    }
    for (uint32_t i = 0; i < SAMPLES; i++) {
        times[i] = steps->seconds * (float)i;
    }
    const lmb_batch_def batch = {graph, SAMPLES, LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_inputs inputs = {.parameters = times};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_PALETTE] = palettes};
    lmb_result result = lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, error);
    if (result == LMB_OK) {
        result = lmb_cpu_run(cpu, &batch, &inputs, &outputs, error);
    }
    if (result == LMB_OK) {
        find_places(character, palettes, steps);
    }
    lmb_cpu_destroy(cpu);
    free(palettes);
    return result;
}

static lmb_result take_steps(const character *character, const lmb_clip *clip, footsteps *steps, lmb_error *error) {
    lmb_node_def node = lmb_default_node_def();
    lmb_graph *graph = NULL;
    node.op = LMB_OP_CLIP;
    node.clip = lmb_constant(0.0f);
    node.time = lmb_parameter(0);
    node.loop = true;
    const lmb_graph_def def = {
        .rig = character->rig, .clips = &clip, .clip_count = 1, .nodes = &node, .node_count = 1, .parameter_count = 1};
    lmb_result result = lmb_graph_create(&def, NULL, &graph, error);
    if (result == LMB_OK) {
        result = run_clip(character, clip, graph, steps, error);
    }
    lmb_graph_destroy(graph);
    return result;
}

static int compare_numbers(const void *a, const void *b) {
    float left = *(const float *)a, right = *(const float *)b;
    return (left > right) - (left < right);
}

static float lowest_of(const footsteps *steps, uint32_t contact) {
    float lowest = FLT_MAX;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        lowest = fminf(lowest, steps->positions[((size_t)i * CHARACTER_CONTACTS + contact) * 3 + 1]);
    }
    return lowest;
}

// Finds the median speed of a foot along an axis while it stands. Returns false if it never does.
static bool find_speed(const character *character, const footsteps *steps, uint32_t contact, size_t axis,
                       float *speed) {
    float speeds[SAMPLES];
    uint32_t count = 0;
    float limit = lowest_of(steps, contact) + STANDING_SHARE * character->height;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const float *from = steps->positions + ((size_t)i * CHARACTER_CONTACTS + contact) * 3;
        const float *to = steps->positions + ((size_t)((i + 1) % SAMPLES) * CHARACTER_CONTACTS + contact) * 3;
        if (from[1] < limit && to[1] < limit) {
            speeds[count++] = (from[axis] - to[axis]) / steps->seconds;
        }
    }
    qsort(speeds, count, sizeof *speeds, compare_numbers);
    *speed = count > 0 ? speeds[count / 2] : 0.0f;
    return count > 0;
}

// In a gallop animated by hand, the speeds of the feet differ. With their mean they slide least.
static float mean_speed(const character *character, const footsteps *steps, size_t axis) {
    float sum = 0.0f, speed;
    uint32_t feet = 0;
    for (uint32_t contact = 0; contact < character->contact_count; contact++) {
        if (find_speed(character, steps, contact, axis, &speed)) {
            sum += speed;
            feet++;
        }
    }
    return feet > 0 ? sum / (float)feet : 0.0f;
}

lmb_result stride_measure(const character *character, const lmb_clip *clip, float velocity[2], lmb_error *error) {
    footsteps steps = {.seconds = lmb_clip_duration(clip) / (float)SAMPLES};
    velocity[0] = velocity[1] = 0.0f;
    if (character->contact_count == 0 || !(steps.seconds > 0.0f)) {
        return LMB_OK;
    }
    steps.positions = malloc((size_t)SAMPLES * CHARACTER_CONTACTS * 3 * sizeof(float));
    if (steps.positions == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory to measure '%s'", lmb_clip_name(clip));
    }
    lmb_result result = take_steps(character, clip, &steps, error);
    if (result == LMB_OK) {
        velocity[0] = mean_speed(character, &steps, 0);
        velocity[1] = mean_speed(character, &steps, 2);
        if (hypotf(velocity[0], velocity[1]) < SLOWEST) {
            velocity[0] = velocity[1] = 0.0f;
        }
    }
    free(steps.positions);
    return result;
}
