// As in divergent.c, each character draws from its index alone what it does. In most characters the inputs of most
// blend spaces, of the layer and of the additives have no weight, and an evaluator may leave them out.
#include "game.h"

#include "divergent.h"
#include "random.h"

#include <math.h>
#include <string.h>

enum { CLIPS = 18, STATES = 10, MOST_NODES = 48 };

// Parameters: a time for each clip, a weight for each state, then these.
enum { SPEED = CLIPS + STATES, SIDE, MIX, UPPER, AIM, LEAN, BREATH, PARAMETERS };

typedef struct nodes {
    lmb_node_def defs[MOST_NODES];
    uint32_t count;
} nodes;

static uint32_t add(nodes *to, lmb_node_def node) {
    to->defs[to->count] = node;
    return to->count++;
}

static uint32_t add_clip(nodes *to, uint32_t clip) {
    return add(to, lmb_clip_node(clip, lmb_parameter(clip)));
}

// A blend space of some clips, on a line or in the plane.
static uint32_t add_space(nodes *to, uint32_t first, uint32_t count, uint32_t x, uint32_t y) {
    static const float places[6][2] = {{0, 0}, {0, 1}, {0, 2}, {0, -1}, {-1, 0}, {1, 0}};
    lmb_node_def node = lmb_default_node_def();
    node.op = y == LMB_NONE ? LMB_OP_SPACE1D : LMB_OP_SPACE2D;
    node.input_count = count;
    node.coordinates[0] = lmb_parameter(x);
    node.coordinates[1] = y == LMB_NONE ? lmb_constant(0.0f) : lmb_parameter(y);
    for (uint32_t i = 0; i < count; i++) {
        node.inputs[i] = add_clip(to, first + i);
        node.positions[i][0] = y == LMB_NONE ? (float)i : places[i][0];
        node.positions[i][1] = places[i][1];
    }
    return add(to, node);
}

static uint32_t add_states(nodes *to) {
    lmb_node_def states = lmb_default_node_def();
    states.op = LMB_OP_WEIGHTED;
    states.input_count = STATES;
    uint32_t *input = states.inputs;
    *input++ = add_clip(to, 6);                  // standing
    *input++ = add_space(to, 0, 6, SIDE, SPEED); // walking in all directions
    *input++ = add_clip(to, 7);                  // turning
    *input++ = add_clip(to, 8);
    *input++ = add_clip(to, 9); // taking off
    const uint32_t up = add_clip(to, 10), down = add_clip(to, 11);
    *input++ = add(to, lmb_blend_node(up, down, lmb_parameter(MIX))); // in the air
    *input++ = add_space(to, 12, 3, SPEED, LMB_NONE);                 // landing
    *input++ = add_clip(to, 13);                                      // crouching
    *input++ = add_space(to, 13, 3, SPEED, LMB_NONE);                 // crouched walking
    *input++ = add_clip(to, 16);                                      // hit
    for (uint32_t i = 0; i < STATES; i++) {
        states.weights[i] = lmb_parameter(CLIPS + i);
    }
    return add(to, states);
}

static uint32_t add_additive(nodes *to, uint32_t base, uint32_t clip, uint32_t weight) {
    lmb_node_def difference = lmb_default_node_def();
    difference.op = LMB_OP_MAKE_ADDITIVE;
    difference.input_count = 2;
    difference.inputs[0] = add_clip(to, clip);
    difference.inputs[1] = add(to, lmb_default_node_def());
    const uint32_t made = add(to, difference);
    return add(to, lmb_additive_node(base, made, lmb_parameter(weight)));
}

static void make_nodes(nodes *to) {
    to->count = 0;
    const uint32_t body = add_states(to), aimed = add_space(to, 3, 5, AIM, LMB_NONE);
    const uint32_t whole = add(to, lmb_masked_node(body, aimed, 0, lmb_parameter(UPPER)));
    const uint32_t leaning = add_additive(to, whole, 17, LEAN);
    add_additive(to, leaning, 2, BREATH);
}

lmb_result game_create(workload *workload, lmb_error *error) {
    lmb_result result = divergent_create_clips(workload, CLIPS, error);
    nodes nodes;
    make_nodes(&nodes);
    const uint8_t *mask = workload->actor->upper_body;
    const lmb_graph_def def = {.rig = workload->actor->rig,
                               .clips = (const lmb_clip *const *)workload->clips,
                               .clip_count = workload->clip_count,
                               .masks = &mask,
                               .mask_count = 1,
                               .nodes = nodes.defs,
                               .node_count = nodes.count,
                               .parameter_count = PARAMETERS};
    return result == LMB_OK ? lmb_graph_create(&def, NULL, &workload->graph, error) : result;
}

static float draw(uint32_t *state) {
    return (float)(random_next(state) % 1024) / 1024.0f;
}

// A fifth of the characters fade between two states. A quarter aims, a quarter leans and a half breathes.
static void fill_character(const workload *workload, uint32_t character, uint32_t frame, float *parameters) {
    uint32_t state = character * 2654435761u + 1u;
    random_next(&state);
    for (uint32_t clip = 0; clip < CLIPS; clip++) {
        const float duration = lmb_clip_get_info(workload->clips[clip])->duration;
        parameters[clip] = fmodf(draw(&state) * duration + (float)frame / 60.0f, duration);
    }
    const uint32_t from = random_next(&state) % STATES, to = random_next(&state) % STATES;
    const float share = random_next(&state) % 5 == 0 ? draw(&state) : 0.0f;
    parameters[CLIPS + from] += 1.0f - share;
    parameters[CLIPS + to] += share;
    parameters[SPEED] = 2.0f * draw(&state);
    parameters[SIDE] = 2.0f * draw(&state) - 1.0f;
    parameters[MIX] = draw(&state);
    parameters[UPPER] = random_next(&state) % 4 == 0 ? 1.0f : 0.0f;
    parameters[AIM] = 4.0f * draw(&state);
    parameters[LEAN] = random_next(&state) % 4 == 0 ? draw(&state) : 0.0f;
    parameters[BREATH] = random_next(&state) % 2 == 0 ? 1.0f : 0.0f;
}

void game_fill(const workload *workload, uint32_t characters, uint32_t frame, float *parameters) {
    memset(parameters, 0, (size_t)characters * PARAMETERS * sizeof *parameters);
    for (uint32_t i = 0; i < characters; i++) {
        fill_character(workload, i, frame, parameters + (size_t)i * PARAMETERS);
    }
}
