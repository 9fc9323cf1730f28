// Prints a graph's program, not its descriptor, so that the text shows what runs: one line for each instruction, with
// the stack entries s0, s1 and so on that it takes and leaves, and its operands. Weights have no values yet. They are
// shown by the rule that computes them, which is searched by the index of the weight.
#include "program.h"
#include "rig/joint_limits.h"

#include "../../shaders/ops/operations.h"
#include "../../shaders/ops/weights.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_SIZE 320u

// An instruction in the table of operations.
typedef struct shape {
    const char *name;
    uint32_t popped; // poses that it takes from the stack
    uint32_t pushed; // poses that it leaves there
    uint32_t takes;
} shape;

static const shape shapes[] = {
#define SOURCE_SHAPE(NAME, name, code, takes) [code] = {#name, 0, 1, takes},
#define UNARY_SHAPE(NAME, name, code, takes) [code] = {#name, 1, 1, takes},
#define BINARY_SHAPE(NAME, name, code, takes) [code] = {#name, 2, 1, takes},
#define SUM_SHAPES(NAME, name, code, takes)                                                                            \
    [code] = {#name " begin", 0, 2, TAKES_NOTHING}, [(code) + 1u] = {#name " add", 3, 2, takes},                       \
    [(code) + 2u] = {#name " end", 2, 1, TAKES_NOTHING},
    EVERY_INSTRUCTION(SOURCE_SHAPE, UNARY_SHAPE, BINARY_SHAPE, SUM_SHAPES)
#undef SOURCE_SHAPE
#undef UNARY_SHAPE
#undef BINARY_SHAPE
#undef SUM_SHAPES
};

typedef struct line {
    const lmb_graph *graph;
    char text[LINE_SIZE];
    size_t length;
    const char *comma; // before the next operand
} line;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line->text + line->length, sizeof line->text - line->length, format, arguments);
    va_end(arguments);
    line->length += length > 0 ? (size_t)length : 0;
    line->length = line->length < sizeof line->text ? line->length : sizeof line->text - 1;
}

static void add_operand(line *line, const char *name) {
    add(line, "%s%s", line->comma, name);
    line->comma = ", ";
}

static void add_number(line *line, const char *name, uint32_t number) {
    add_operand(line, name);
    add(line, " %u", (unsigned)number);
}

static const char *parameter_name(const lmb_graph *graph, uint32_t parameter) {
    return graph->names != NULL ? lmb_graph_parameter_at(graph, parameter).name : "";
}

static void add_value(line *line, const char *name, const uint32_t *value) {
    add_operand(line, name);
    if (value[FIELD(VALUE, parameter)] == NO_PARAMETER) {
        add(line, " %.9g", (double)REAL(value[FIELD(VALUE, constant)]));
    } else if (parameter_name(line->graph, value[FIELD(VALUE, parameter)])[0] == '\0') {
        add(line, " p%u", (unsigned)value[FIELD(VALUE, parameter)]);
    } else {
        add(line, " %.60s", parameter_name(line->graph, value[FIELD(VALUE, parameter)]));
    }
    if (value[FIELD(VALUE, curve)] == CURVE_USER) {
        add(line, " curve of %u keys", (unsigned)value[FIELD(VALUE, curve) + 2] + 1);
    } else if (value[FIELD(VALUE, curve)] != CURVE_LINEAR) {
        add(line, " %s", lmb_curve_name((lmb_curve)value[FIELD(VALUE, curve)]));
    }
    const curve_record curve = load_curve(value, FIELD(VALUE, curve));
    if (curve.kind == CURVE_BEZIER) {
        add(line, " %.9g %.9g", (double)REAL(curve.first), (double)REAL(curve.second));
    }
}

static void add_mask(line *line, const lmb_graph *graph, const char *name, uint32_t offset) {
    const uint32_t words = (graph->info.joint_count + graph->info.channel_count + 3) / 4;
    const uint32_t mask = (offset - graph->program[FIELD(PROGRAM, masks)]) / words;
    if (mask < graph->mask_count) { // not the full mask of an override without a mask
        add_number(line, name, mask);
    }
}

// Returns the rule that writes a weight.
static const uint32_t *find_rule(const lmb_graph *graph, uint32_t index) {
    const uint32_t *rule = graph->program + graph->program[FIELD(PROGRAM, rules)];
    for (uint32_t i = 1; i < graph->program[FIELD(PROGRAM, rule_count)]; i++, rule += WORDS_OF(RULE)) {
        const uint32_t kind = rule[FIELD(RULE, kind)];
        const bool is_sum = kind >= RULE_WEIGHTED && kind != RULE_LEVEL && kind != RULE_PLANTED;
        const uint32_t first = rule[FIELD(RULE, local)], count = is_sum ? rule[FIELD(RULE, count)] : 1;
        if (index >= first && index < first + count) {
            break;
        }
    }
    return rule;
}

static void add_clip(line *line, const lmb_graph *graph, const uint32_t *at) {
    const uint32_t *program = graph->program,
                   *use = program + program[FIELD(PROGRAM, uses)] + at[FIELD(SAMPLE, source)] * WORDS_OF(USE);
    add_value(line, "clip", program + use[FIELD(USE, clip)]);
    add_value(line, "time", program + use[FIELD(USE, time)]);
    if (use[FIELD(USE, flags)] & CLIP_WARPS) {
        add_value(line, "rate", program + use[FIELD(USE, rate)]);
        add_value(line, "offset", program + use[FIELD(USE, offset)]);
    }
    add_operand(line, use[FIELD(USE, flags)] & CLIP_LOOPS ? "looped" : "clamped");
    if (at[FIELD(SAMPLE, weights)] != 0) {
        add_mask(line, graph, "joint weights", at[FIELD(SAMPLE, weights)]);
    }
}

static void add_layer(line *line, const lmb_graph *graph, const uint32_t *rule, uint32_t input) {
    const uint32_t *program = graph->program, inputs = rule[FIELD(RULE, count)] - 1;
    if (input == inputs) {
        add_operand(line, "what is left");
        return;
    }
    uint32_t place = 0, layer = 0;
    const uint32_t *at = program + rule[FIELD(RULE, table)];
    for (; at[FIELD(LAYER, from)] != input; place++, at += WORDS_OF(LAYER)) {
        layer += at[FIELD(LAYER, end)] == place + 1;
    }
    add_value(line, "fade", program + at[FIELD(LAYER, value)]);
    add_number(line, "layer", layer);
    add(line, " from above");
    if (at[FIELD(LAYER, mask)] != 0) {
        add_mask(line, graph, "mask", at[FIELD(LAYER, mask)]);
    }
}

static const char *const space_names[] = {[SPACE_TRIANGLES] = "triangles",
                                          [SPACE_GRID] = "grid",
                                          [SPACE_BANDS] = "freeform",
                                          [SPACE_POLAR_BANDS] = "directional",
                                          [SPACE_NEAREST] = "discrete"};

static void add_space(line *line, const uint32_t *program, const uint32_t *rule, uint32_t input) {
    const bool in_plane = rule[FIELD(RULE, kind)] == RULE_SPACE2D;
    if (in_plane) {
        add_operand(line, space_names[rule[FIELD(RULE, space)]]);
    }
    add_number(line, "input", input);
    add_value(line, in_plane ? "x" : "at", program + rule[FIELD(RULE, x)]);
    if (in_plane) {
        add_value(line, "y", program + rule[FIELD(RULE, y)]);
    }
}

static void add_weight(line *line, const lmb_graph *graph, uint32_t index) {
    const uint32_t *program = graph->program, *rule = find_rule(graph, index);
    const uint32_t input = index - rule[FIELD(RULE, local)];
    switch (rule[FIELD(RULE, kind)]) {
    case RULE_LAYERS:
    case RULE_JOINT_LAYERS:
        add_layer(line, graph, rule, input);
        break;
    case RULE_SPACE1D:
    case RULE_SPACE2D:
        add_space(line, program, rule, input);
        break;
    case RULE_WEIGHTED:
        add_value(line, "weight", program + program[rule[FIELD(RULE, table)] + input]);
        break;
    default:
        add_value(line, "weight", program + rule[FIELD(RULE, table)]);
        break;
    }
}

static void add_choices(line *line, uint32_t choices) {
    static const struct {
        uint32_t bit;
        const char *name;
    } names[] = {{CHOICE_NLERP, "nlerp"},
                 {CHOICE_LINEAR_SCALE, "linear scale"},
                 {CHOICE_AS_GIVEN, "not the shortest"},
                 {CHOICE_PARENT, "parent"},
                 {CHOICE_UNCLAMPED, "unclamped"},
                 {CHOICE_LAYERS, "by joint"},
                 {CHOICE_PROFILES, "by blend profile"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (choices & names[i].bit) {
            add_operand(line, names[i].name);
        }
    }
}

static void add_pose(line *line, const uint32_t *at) {
    if (at[FIELD(GIVEN, number)] == LMB_NONE) {
        add_operand(line, "no change");
        return;
    }
    add_number(line, at[FIELD(INSTRUCTION, operation)] == OPERATION_FIXED ? "static pose" : "buffer",
               at[FIELD(GIVEN, number)]);
}

static void add_joint_map(line *line, const lmb_graph *graph, uint32_t offset) {
    if (offset != 0 && is_retarget(graph->program, offset)) {
        add_number(line, "retarget", graph->program[offset + FIELD(JOINT_MAP, joints)] >> 16 & 0xffu);
    } else if (offset != 0) {
        add_number(line, "joint map", (offset - graph->joint_maps) / (WORDS_OF(JOINT_MAP) + graph->info.joint_count));
    }
}

static void add_operands(line *line, const lmb_graph *graph, const uint32_t *at, uint32_t takes) {
    if (takes & TAKES_CLIP) {
        add_clip(line, graph, at);
    }
    if (takes & TAKES_POSE) {
        add_pose(line, at);
    }
    if (takes & (TAKES_CLIP | TAKES_POSE)) {
        add_joint_map(line, graph, at[FIELD(SAMPLE, joint_map)]);
    }
    if (takes & TAKES_JOINT_MAP) {
        add_joint_map(line, graph, at[FIELD(TAKEN, joint_map)]);
    }
    if (takes & (TAKES_WEIGHT | TAKES_SHARE)) {
        add_weight(line, graph, at[FIELD(BLEND, weight)]);
    }
    if (takes & TAKES_CHOICE) {
        add_choices(line, at[FIELD(BLEND, choices)]);
    }
    if ((takes & TAKES_MASK) && (!(takes & TAKES_CHOICE) || (at[FIELD(BLEND, choices)] & CHOICE_MASKED))) {
        add_mask(line, graph, "mask", at[FIELD(BLEND, mask)]);
    }
    if (takes & TAKES_LIMITS) {
        const uint32_t words = lmb_limits_words(graph->info.joint_count, graph->info.channel_count);
        add_number(line, "joint limits", (at[FIELD(CLAMPED, table)] - graph->joint_limits) / words);
    }
    if (takes & TAKES_MIRROR) {
        add_operand(line, "across");
        add(line, " %c = 0", "xyz"[at[FIELD(MIRRORED, axis)]]);
    }
    if (takes & TAKES_AREA) {
        add_number(line, "area", at[FIELD(EXCHANGED, area)]);
    }
}

static void print_inertia(const lmb_graph *graph, void (*print)(void *user, const char *line), void *user) {
    line line = {.graph = graph, .comma = " "};
    add(&line, "      s0   %-14s s0", "inertialize");
    line.comma = ", ";
    const uint32_t duration[WORDS_OF(VALUE)] = {[FIELD(VALUE, parameter)] =
                                                    graph->program[FIELD(PROGRAM, inertia)] - 1 + LMB_INERTIA_DURATION,
                                                [FIELD(VALUE, curve)] = CURVE_LINEAR};
    add_value(&line, "duration", duration);
    print(user, line.text);
}

void lmb_graph_print(const lmb_graph *graph, void (*print)(void *user, const char *line), void *user) {
    const uint32_t *program = graph->program;
    uint32_t depth = 0, pass = 0;
    for (uint32_t i = 0; i < program[FIELD(PROGRAM, instruction_count)]; i++) {
        const uint32_t *at = program + program[FIELD(PROGRAM, instructions)] + i * WORDS_OF(INSTRUCTION);
        const shape *shape = &shapes[at[FIELD(INSTRUCTION, operation)]];
        uint32_t first = depth - shape->popped;
        line line = {.graph = graph, .comma = " "};
        add(&line, "%4u  s%-2u  %-14s", (unsigned)i, (unsigned)first, shape->name);
        for (uint32_t slot = first; slot < depth; slot++) {
            add(&line, " s%u", (unsigned)slot);
            line.comma = ", ";
        }
        add_operands(&line, graph, at, shape->takes);
        for (; line.length > 0 && line.text[line.length - 1] == ' '; line.length--) {
            line.text[line.length - 1] = '\0';
        }
        print(user, line.text);
        depth = first + shape->pushed;
        const bool last = pass + 1 == program[FIELD(PROGRAM, pass_count)];
        const bool ends = i + 1 == first_of_pass(program, pass + 1u);
        if (ends && program[FIELD(PROGRAM, inertia)] != 0 && pass == program[FIELD(PROGRAM, inertia_pass)]) {
            print_inertia(graph, print, user);
        }
        if (ends && !last) {
            line = (struct line){.graph = graph};
            add(&line, "      a%-2u  %-14s s0", (unsigned)pass++, "exchange");
            print(user, line.text);
            depth = 0;
        }
    }
}
