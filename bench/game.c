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

const uint32_t game_additives[GAME_ADDITIVES] = {17, 2};

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
    const uint32_t leaning = add_additive(to, whole, game_additives[0], LEAN);
    add_additive(to, leaning, game_additives[1], BREATH);
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

// What a character does in a frame.
typedef struct traits {
    float times[CLIPS];
    uint32_t states[2];
    float share; // of the second state
    float speed, side, mix, upper, aim, lean, breath;
} traits;

// A fifth of the characters fade between two states. A quarter aims, a quarter leans and a half breathes.
static traits draw_traits(const workload *workload, uint32_t character, uint32_t frame) {
    uint32_t state = character * 2654435761u + 1u;
    random_next(&state);
    traits drawn;
    for (uint32_t clip = 0; clip < CLIPS; clip++) {
        const float duration = lmb_clip_get_info(workload->clips[clip])->duration;
        drawn.times[clip] = fmodf(draw(&state) * duration + (float)frame / 60.0f, duration);
    }
    drawn.states[0] = random_next(&state) % STATES;
    drawn.states[1] = random_next(&state) % STATES;
    drawn.share = random_next(&state) % 5 == 0 ? draw(&state) : 0.0f;
    drawn.speed = 2.0f * draw(&state);
    drawn.side = 2.0f * draw(&state) - 1.0f;
    drawn.mix = draw(&state);
    drawn.upper = random_next(&state) % 4 == 0 ? 1.0f : 0.0f;
    drawn.aim = 4.0f * draw(&state);
    drawn.lean = random_next(&state) % 4 == 0 ? draw(&state) : 0.0f;
    drawn.breath = random_next(&state) % 2 == 0 ? 1.0f : 0.0f;
    return drawn;
}

static void fill_character(const workload *workload, uint32_t character, uint32_t frame, float *parameters) {
    const traits drawn = draw_traits(workload, character, frame);
    memcpy(parameters, drawn.times, sizeof drawn.times);
    parameters[CLIPS + drawn.states[0]] += 1.0f - drawn.share;
    parameters[CLIPS + drawn.states[1]] += drawn.share;
    parameters[SPEED] = drawn.speed;
    parameters[SIDE] = drawn.side;
    parameters[MIX] = drawn.mix;
    parameters[UPPER] = drawn.upper;
    parameters[AIM] = drawn.aim;
    parameters[LEAN] = drawn.lean;
    parameters[BREATH] = drawn.breath;
}

void game_fill(const workload *workload, uint32_t characters, uint32_t frame, float *parameters) {
    memset(parameters, 0, (size_t)characters * PARAMETERS * sizeof *parameters);
    for (uint32_t i = 0; i < characters; i++) {
        fill_character(workload, i, frame, parameters + (size_t)i * PARAMETERS);
    }
}

typedef struct uses {
    const traits *traits;
    game_use *each;
    uint32_t count;
} uses;

static void use_clip(uses *to, game_layer layer, uint32_t clip, float weight) {
    if (weight > 0.0f) {
        to->each[to->count++] = (game_use){layer, clip, to->traits->times[clip], weight};
    }
}

static void use_line(uses *to, game_layer layer, uint32_t first, uint32_t count, float x, float weight) {
    const uint32_t left = (uint32_t)x < count - 1 ? (uint32_t)x : count - 2;
    const float right = fminf(x - (float)left, 1.0f);
    use_clip(to, layer, first + left, weight * (1.0f - right));
    use_clip(to, layer, first + left + 1, weight * right);
}

// Triangles of the places in add_space(), with y at least 0.
static void use_plane(uses *to, float x, float y, float weight) {
    const float aside = fabsf(x), between = 2.0f * (1.0f - aside) - y;
    const uint32_t side = x < 0.0f ? 4 : 5;
    if (aside + y <= 1.0f) {
        use_clip(to, GAME_BODY, 0, weight * (1.0f - aside - y));
        use_clip(to, GAME_BODY, 1, weight * y);
        use_clip(to, GAME_BODY, side, weight * aside);
    } else if (between >= 0.0f) {
        use_clip(to, GAME_BODY, 1, weight * between);
        use_clip(to, GAME_BODY, 2, weight * (aside + y - 1.0f));
        use_clip(to, GAME_BODY, side, weight * aside);
    } else { // the nearest point of the hull
        const float along = fminf((1.0f - aside + 2.0f * y) / 5.0f, 1.0f);
        use_clip(to, GAME_BODY, 2, weight * along);
        use_clip(to, GAME_BODY, side, weight * (1.0f - along));
    }
}

static void use_state(uses *to, uint32_t state, float weight) {
    static const uint32_t clips[STATES] = {6, 0, 7, 8, 9, 0, 0, 13, 0, 16};
    switch (state) {
    case 1:
        use_plane(to, to->traits->side, to->traits->speed, weight);
        break;
    case 5:
        use_line(to, GAME_BODY, 10, 2, to->traits->mix, weight);
        break;
    case 6:
        use_line(to, GAME_BODY, 12, 3, to->traits->speed, weight);
        break;
    case 8:
        use_line(to, GAME_BODY, 13, 3, to->traits->speed, weight);
        break;
    default:
        use_clip(to, GAME_BODY, clips[state], weight);
        break;
    }
}

uint32_t game_find_uses(const workload *workload, uint32_t character, uint32_t frame, game_use found[GAME_USES]) {
    const traits drawn = draw_traits(workload, character, frame);
    uses to = {&drawn, found, 0};
    if (drawn.states[0] == drawn.states[1]) {
        use_state(&to, drawn.states[0], 1.0f);
    } else {
        use_state(&to, drawn.states[0], 1.0f - drawn.share);
        use_state(&to, drawn.states[1], drawn.share);
    }
    use_line(&to, GAME_UPPER, 3, 5, drawn.aim, drawn.upper);
    use_clip(&to, GAME_ADDITIVE, game_additives[0], drawn.lean);
    use_clip(&to, GAME_ADDITIVE, game_additives[1], drawn.breath);
    return to.count;
}
