// `limber graph`: prints the machines of a graph, as text or for Graphviz; a graph as JSON; or the schema of graphs.
#include "command.h"
#include "terminal.h"

#include "base/host.h"
#include "base/number.h"
#include "control/moving.h"

#include <limber/explain.h>
#include <limber/snapshot.h>
#include <stdlib.h>
#include <string.h>

typedef struct printing {
    const lmb_graph *graph;
    const lmb_moving *moving; // its players and machines
    bool is_dot;              // inside a label, between quotes
} printing;

static void put(const printing *p, const char *text) {
    if (!p->is_dot) {
        terminal_print("%s", text);
        return;
    }
    for (size_t left = strlen(text); left > 0;) {
        const terminal_character character = terminal_read(text, left);
        const bool quoted = character.shown[0] == '"' || character.shown[0] == '\\';
        terminal_print("%s%.*s", quoted ? "\\" : "", (int)character.length, character.shown);
        text += character.size;
        left -= character.size;
    }
}

// ---- The conditions of a transition.

static void put_value(const printing *p, lmb_value value);

static void put_computed(const printing *p, const lmb_computed_def *computed) {
    for (uint32_t i = 0; i < lmb_computed_input_count(computed->kind); i++) {
        terminal_print("%s", i == 0 ? "(" : ", ");
        put_value(p, computed->inputs[i]);
    }
    terminal_print(")");
}

// Prints a parameter's name, or for a computed parameter its kind and inputs.
static void put_parameter(const printing *p, uint32_t parameter) {
    static const char *const kinds[LMB_COMPUTED_COUNT] = {"add", "subtract", "multiply", "min",
                                                          "max", "clamp",    "remap"};
    const lmb_graph_def *def = p->moving->def;
    for (uint32_t i = 0; i < def->computed_count; i++) {
        if (def->computed[i].parameter == parameter) {
            terminal_print("%s", kinds[def->computed[i].kind]);
            put_computed(p, &def->computed[i]);
            return;
        }
    }
    put(p, lmb_graph_parameter_at(p->graph, parameter).name);
}

static void put_curve(lmb_curve curve) {
    terminal_print("%s", lmb_curve_name(curve));
    if (curve >= LMB_CURVE_USER) {
        terminal_print(" curve %u", (unsigned)curve - (unsigned)LMB_CURVE_USER);
    }
}

static void put_value(const printing *p, lmb_value value) {
    if (value.curve != LMB_CURVE_LINEAR) {
        put_curve(value.curve);
        terminal_print("(");
    }
    if (value.kind == LMB_VALUE_CONSTANT) {
        terminal_print("%g", (double)value.constant);
    } else {
        put_parameter(p, value.parameter);
    }
    terminal_print("%s", value.curve != LMB_CURVE_LINEAR ? ")" : "");
}

static bool joins(const lmb_term *term) {
    return term->kind == LMB_TERM_AND || term->kind == LMB_TERM_OR;
}

// Returns where the condition that ends with a term begins.
static uint32_t begin_of(const lmb_term *terms, uint32_t end) {
    for (uint32_t open = 1;; end--) {
        open = joins(&terms[end]) ? open + 1 : open - 1;
        if (open == 0) {
            return end;
        }
    }
}

static void put_left(const printing *p, const lmb_term *term) {
    if (term->operand == LMB_OPERAND_VALUE) {
        put_value(p, term->left);
        return;
    }
    terminal_print("%s", lmb_operand_name(term->operand));
    if (lmb_operand_is_place(term->operand)) {
        terminal_print(" of ");
        put(p, lmb_graph_player_at(p->graph, p->moving->player_of[term->player_node]).name);
    } else if (term->operand == LMB_OPERAND_STATE) {
        terminal_print(" of ");
        put(p, lmb_graph_machine_at(p->graph, p->moving->machine_of[term->machine_node]).name);
    } else if (term->operand == LMB_OPERAND_TRIGGER) {
        terminal_print(" ");
        put(p, lmb_graph_event_name(p->graph, term->event));
    }
}

// Prints a condition, in parentheses if it is inside one of the other kind.
static void put_condition(const printing *p, const lmb_term *terms, uint32_t end, lmb_term_kind outer) {
    const lmb_term *term = &terms[end];
    if (!joins(term)) {
        put_left(p, term);
        terminal_print(" %s ", lmb_term_kind_name(term->kind));
        if (term->operand == LMB_OPERAND_STATE && term->right.kind == LMB_VALUE_CONSTANT &&
            term->right.constant >= 0.0f && term->right.constant < (float)LMB_MAX_STATES) {
            put(p, lmb_graph_state_name(p->graph, p->moving->machine_of[term->machine_node],
                                        (uint32_t)term->right.constant));
        } else {
            put_value(p, term->right);
        }
        return;
    }
    terminal_print("%s", term->kind == outer ? "" : "(");
    put_condition(p, terms, begin_of(terms, end - 1) - 1, term->kind);
    terminal_print(" %s ", lmb_term_kind_name(term->kind));
    put_condition(p, terms, end - 1, term->kind);
    terminal_print("%s", term->kind == outer ? "" : ")");
}

static void put_needs(const printing *p, const lmb_transition_def *transition) {
    const char *space = "";
    if (transition->event != LMB_NONE) {
        put(p, lmb_graph_event_name(p->graph, transition->event));
        space = " ";
    }
    if (transition->at_end) {
        terminal_print("%sEND", space);
        space = " ";
    }
    if (transition->after >= 0.0f) {
        terminal_print("%safter %g", space, (double)transition->after);
        space = " ";
    }
    if (transition->term_count > 0) {
        terminal_print("%swhen ", space);
        const lmb_term *last = &transition->terms[transition->term_count - 1];
        put_condition(p, transition->terms, transition->term_count - 1, last->kind);
    }
}

// ---- Text.

static void print_transitions(const printing *p, uint32_t machine, uint32_t from) {
    const lmb_machine_def *def = &p->moving->machines[machine].def;
    for (uint32_t i = 0; i < def->transition_count; i++) {
        const lmb_transition_def *transition = &def->transitions[i];
        if (transition->from != from) {
            continue;
        }
        terminal_print("    ");
        put_needs(p, transition);
        terminal_print(" -> ");
        put(p, lmb_graph_state_name(p->graph, machine, transition->to));
        const bool inertialized = transition->kind == LMB_FADE_INERTIALIZED;
        terminal_print(", fade %g ", (double)transition->fade);
        if (inertialized) {
            terminal_print("inertialized");
        } else {
            put_curve(transition->curve);
        }
        if (!inertialized && transition->curve == LMB_CURVE_BEZIER) {
            terminal_print(" %g %g", (double)transition->curve_control[0], (double)transition->curve_control[1]);
        }
        terminal_print("%s", transition->kind == LMB_FADE_FROZEN ? " frozen" : "");
        terminal_print("%s", transition->to_self ? ", to-self" : "");
        if (transition->start == LMB_START_PHASE) {
            terminal_print(", start at phase %g", (double)transition->start_phase);
        }
        terminal_print("%s", transition->start == LMB_START_SYNC ? ", start in sync" : "");
        if (transition->travel_cost != 1) {
            terminal_print(", travel-cost %u", (unsigned)transition->travel_cost);
        }
        if (transition->priority != 0) {
            terminal_print(", priority %d", (int)transition->priority);
        }
        terminal_print("\n");
    }
}

static bool leaves_any(const lmb_machine_def *def) {
    for (uint32_t i = 0; i < def->transition_count; i++) {
        if (def->transitions[i].from == LMB_NONE) {
            return true;
        }
    }
    return false;
}

static const char *print_players(const printing *p, uint32_t machine, uint32_t state) {
    static const char *const ends[LMB_END_COUNT] = {"loops", "holds", "once", "ping-pong"};
    const char *comma = ": ";
    for (uint32_t i = 0; i < p->moving->player_count; i++) {
        const lmb_moving_player *player = &p->moving->players[i];
        if (player->machine == machine && player->state == state) {
            terminal_print("%s", comma);
            put(p, lmb_graph_player_at(p->graph, i).name);
            terminal_print(" %s", ends[player->def->end]);
            if (player->def->repetitions > 0) {
                terminal_print(" %u times", (unsigned)player->def->repetitions);
            }
            if (player->def->random_offset) {
                terminal_print(" from a random time");
            }
            comma = ", ";
        }
    }
    return comma;
}

// Prints a state's events. `before` precedes the first one, `between` the others. Returns what precedes what follows.
static const char *put_events(const printing *p, const lmb_state_def *state, const char *before, const char *between) {
    const char *const what[] = {"entry", "exit", "travel"};
    const uint32_t events[] = {state->entry_event, state->exit_event, state->travel_event};
    for (int i = 0; i < 3; i++) {
        if (events[i] != LMB_NONE) {
            terminal_print("%s%s ", before, what[i]);
            put(p, lmb_graph_event_name(p->graph, events[i]));
            before = between;
        }
    }
    return before;
}

static void print_state(const printing *p, uint32_t machine, uint32_t state) {
    const lmb_state_def *def = &p->moving->machines[machine].def.states[state];
    terminal_print("  ");
    put(p, lmb_graph_state_name(p->graph, machine, state));
    terminal_print("%s", state == 0 ? " (initial)" : "");
    const char *before = put_events(p, def, print_players(p, machine, state), ", ");
    if (def->restart) {
        terminal_print("%srestarts", before);
    }
    terminal_print("\n");
}

static void print_machine(const printing *p, uint32_t machine) {
    const lmb_moving_machine *from = &p->moving->machines[machine];
    const lmb_machine_def *def = &from->def;
    terminal_print("machine ");
    put(p, lmb_graph_machine_at(p->graph, machine).name);
    if (from->machine != LMB_NONE) {
        terminal_print(", within the state ");
        put(p, lmb_graph_state_name(p->graph, from->machine, from->state));
        terminal_print(" of ");
        put(p, lmb_graph_machine_at(p->graph, from->machine).name);
    }
    terminal_print("\n");
    for (uint32_t state = 0; state < def->state_count; state++) {
        print_state(p, machine, state);
        print_transitions(p, machine, state);
    }
    if (leaves_any(def)) {
        terminal_print("  any\n");
        print_transitions(p, machine, LMB_NONE);
    }
}

// ---- Graphviz. A state is a node. A machine inside a state is a cluster, connected by a dashed edge.

static void draw_machine(const printing *p, uint32_t machine);

static void draw_label(const printing *p, const char *text) {
    terminal_print("label=\"");
    put(p, text);
    terminal_print("\"");
}

static void draw_state(const printing *p, uint32_t machine, uint32_t state) {
    terminal_print("m%us%u [label=\"", machine, state);
    put(p, lmb_graph_state_name(p->graph, machine, state));
    put_events(p, &p->moving->machines[machine].def.states[state], "\\n", "\\n");
    terminal_print("\"];\n");
}

static void draw_states(const printing *p, uint32_t machine) {
    const lmb_machine_def *def = &p->moving->machines[machine].def;
    for (uint32_t state = 0; state < def->state_count; state++) {
        draw_state(p, machine, state);
    }
    terminal_print("m%u [label=\"\", shape=point];\nm%u -> m%us0;\n", machine, machine, machine);
    if (leaves_any(def)) {
        terminal_print("m%uany [label=\"any\", style=dotted];\n", machine);
    }
}

static void draw_transitions(const printing *p, uint32_t machine) {
    const lmb_machine_def *def = &p->moving->machines[machine].def;
    for (uint32_t i = 0; i < def->transition_count; i++) {
        const lmb_transition_def *transition = &def->transitions[i];
        if (transition->from == LMB_NONE) {
            terminal_print("m%uany", machine);
        } else {
            terminal_print("m%us%u", machine, transition->from);
        }
        terminal_print(" -> m%us%u [label=\"", machine, transition->to);
        put_needs(p, transition);
        terminal_print("\"];\n");
    }
}

static void draw_inner(const printing *p, uint32_t machine) {
    for (uint32_t i = machine + 1; i < p->moving->machine_count; i++) {
        if (p->moving->machines[i].machine == machine) {
            draw_machine(p, i);
            terminal_print("m%us%u -> m%u [style=dashed, arrowhead=none];\n", machine, p->moving->machines[i].state, i);
        }
    }
}

static void draw_machine(const printing *p, uint32_t machine) {
    terminal_print("subgraph cluster_%u {\n", machine);
    draw_label(p, lmb_graph_machine_at(p->graph, machine).name);
    terminal_print(";\n");
    draw_states(p, machine);
    draw_transitions(p, machine);
    draw_inner(p, machine);
    terminal_print("}\n");
}

static void draw(const printing *p) {
    terminal_print("digraph limber {\nnode [shape=box, style=rounded];\n");
    for (uint32_t i = 0; i < p->moving->machine_count; i++) {
        if (p->moving->machines[i].machine == LMB_NONE) {
            draw_machine(p, i);
        }
    }
    terminal_print("}\n");
}

// ---- The command.

static void print_user_curve(const lmb_curve_def *curve, uint32_t index) {
    terminal_print("user curve %u:", (unsigned)index);
    for (uint32_t i = 0; i < curve->key_count; i++) {
        const lmb_curve_key *key = &curve->keys[i];
        terminal_print("%s %g %g", i == 0 ? "" : ",", (double)key->x, (double)key->y);
        if (key->in[0] != 0.0f || key->in[1] != 0.0f) {
            terminal_print(" in %g %g", (double)key->in[0], (double)key->in[1]);
        }
        if (key->out[0] != 0.0f || key->out[1] != 0.0f) {
            terminal_print(" out %g %g", (double)key->out[0], (double)key->out[1]);
        }
        terminal_print("%s", key->stepped ? " stepped" : "");
    }
    terminal_print("\n");
}

static void print(const printing *p) {
    for (uint32_t i = 0; i < p->moving->machine_count; i++) {
        print_machine(p, i);
    }
    for (uint32_t i = 0; i < p->moving->def->curve_count; i++) {
        print_user_curve(&p->moving->def->curves[i], i);
    }
}

typedef struct graph_command {
    subject subject;
    bool as_dot;
    bool as_json;
    bool check;
    bool state;
    bool schema;
} graph_command;

static int print_schema(void) {
    const size_t size = lmb_graph_json_schema(NULL, 0) + 1;
    char *text = malloc(size);
    lmb_error error = {0};
    lmb_result result = LMB_OK;
    if (text == NULL) {
        result = lmb_fail(&error, LMB_ERROR_MEMORY, "out of memory");
    } else {
        lmb_graph_json_schema(text, size);
        terminal_print_lines(stdout, text);
    }
    free(text);
    return command_end("graph", result, &error);
}

// Writes the graph, or the machine if its text is all of it.
static lmb_result write_json(const subject *subject, char *text, size_t room, size_t *size, lmb_error *error) {
    return subject->graph_text != NULL ? lmb_graph_json_write(subject->def, NULL, text, room, size, error)
                                       : lmb_machine_json_write(&subject->machine, NULL, text, room, size, NULL, error);
}

// Prints JSON with line breaks. Unprintable characters are in its strings, and become escapes of JSON.
static void put_json(const char *text) {
    for (size_t left = strlen(text); left > 0;) {
        const terminal_character character = terminal_read(text, left);
        const unsigned point = character.code_point;
        if (point == '\n') {
            terminal_print("\n");
        } else if (terminal_is_printable(point)) {
            terminal_print("%.*s", (int)character.length, character.shown);
        } else if (point < 0x10000) {
            terminal_print("\\u%04x", point);
        } else {
            terminal_print("\\u%04x\\u%04x", 0xd7c0 + (point >> 10), 0xdc00 + (point & 0x3ff));
        }
        text += character.size;
        left -= character.size;
    }
}

static lmb_result print_json(const subject *subject, lmb_error *error) {
    size_t size = 0;
    lmb_result result = write_json(subject, NULL, 0, &size, error);
    char *text = result == LMB_OK ? calloc(size + 1, 1) : NULL;
    if (result == LMB_OK && text == NULL) {
        result = lmb_fail(error, LMB_ERROR_MEMORY, "out of memory");
    } else if (result == LMB_OK) {
        result = write_json(subject, text, size, &size, error);
        put_json(text);
    }
    free(text);
    return result;
}

// Prints the fingerprint, and the bytes that a character keeps from frame to frame.
static void print_state_sizes(const lmb_graph *graph) {
    const lmb_state_sizes sizes = lmb_graph_state_sizes(graph);
    const struct {
        const char *name;
        uint32_t words;
    } rows[] = {{"character", sizes.character},
                {"smoothed parameters", sizes.smoothed},
                {"players", sizes.players},
                {"machines and fades", sizes.machines},
                {"character motion", sizes.motion},
                {"inertialization", sizes.inertialization + sizes.joints},
                {"chains and feet", sizes.chains_and_feet}};
    const uint64_t words = (uint64_t)lmb_graph_get_info(graph)->state_words + lmb_graph_get_info(graph)->inertia_words;
    terminal_print("fingerprint 0x%016llx\na character keeps %llu bytes\n",
                   (unsigned long long)lmb_graph_fingerprint(graph), (unsigned long long)words * 4);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].words > 0) {
            terminal_print("%8llu  %s\n", (unsigned long long)rows[i].words * 4, rows[i].name);
        }
    }
}

// Counts the parameters that the host sets.
static uint32_t count_own_parameters(const lmb_graph *graph) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < lmb_graph_get_info(graph)->parameter_count; i++) {
        count += !lmb_graph_parameter_at(graph, i).is_written;
    }
    return count;
}

static lmb_result print_graph(subject *subject, lmb_error *error) {
    const bool as_dot = ((graph_command *)subject)->as_dot;
    if (((graph_command *)subject)->schema) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "--schema needs no other argument");
    }
    if (((graph_command *)subject)->as_json) {
        subject->place = subject->text_name;
        subject_warn(subject);
        return print_json(subject, error);
    }
    lmb_moving moving;
    lmb_graph *graph;
    if (lmb_graph_create(subject->def, NULL, &graph, error)) {
        return error->result;
    }
    subject->place = subject->text_name;
    if (((graph_command *)subject)->check) {
        subject_warn(subject);
        terminal_print("good: %u poses, %u parameters, %u events, %u machines\n", (unsigned)subject->def->node_count,
                       (unsigned)count_own_parameters(graph), (unsigned)lmb_graph_get_info(graph)->event_count,
                       (unsigned)lmb_graph_get_info(graph)->machine_count);
        lmb_graph_destroy(graph);
        return LMB_OK;
    }
    if (((graph_command *)subject)->state) {
        subject_warn(subject);
        print_state_sizes(graph);
        lmb_graph_destroy(graph);
        return LMB_OK;
    }
    lmb_result result =
        lmb_graph_get_info(graph)->machine_count == 0
            ? lmb_fail(error, LMB_ERROR_ARGUMENT,
                       "it has no machine; --check checks any graph, and 'limber eval --print' prints it")
            : lmb_moving_create(subject->def, NULL, &moving, error);
    if (result == LMB_OK) {
        const printing p = {.graph = graph, .moving = &moving, .is_dot = as_dot};
        subject_warn(subject);
        (as_dot ? draw : print)(&p);
        lmb_moving_release(&moving);
    }
    lmb_graph_destroy(graph);
    return result;
}

int command_graph(int argc, char **argv) {
    graph_command command = {.subject = {.needs_graph = true}};
    subject *subject = &command.subject;
    const option options[] = {
        OPTION_GRAPH(subject),
        OPTION_MACHINE(subject),
        OPTION_POSE(subject),
        OPTION_CHARACTER(subject),
        OPTION_NAMES(subject),
        OPTION_SKELETON(subject),
        OPTION_SCALES(subject),
        OPTION_SPLIT(subject),
        OPTION_BVH_UNIT(subject),
        {"--dot", OPTION_FLAG, &command.as_dot, NULL, "print a graph for Graphviz"},
        {"--json", OPTION_FLAG, &command.as_json, NULL, "print the graph as JSON"},
        {"--check", OPTION_FLAG, &command.check, NULL, "only check the graph, and print its warnings and what it has"},
        {"--state", OPTION_FLAG, &command.state, NULL, "print what a character keeps"},
        {"--schema", OPTION_FLAG, &command.schema, NULL, "print the JSON schema of graphs"},
        {0}};
    const usage usage = {
        .command = "limber graph",
        .synopsis = "FILE... --graph FILE|JSON [--machine FILE] [--pose NAME=CLIP@TIME ...]\n"
                    "                    [--check|--dot|--json|--state]\n"
                    "       limber graph FILE... --machine FILE [--check|--dot|--json|--state]\n"
                    "       limber graph --schema",
        .text =
            "Prints the state machines of a graph, as include/limber/graph_json.h and machine.h describe them: their\n"
            "states, the clips that play in them, and the transitions. With --dot, 'dot -Tsvg' draws it. Where a\n"
            "text is wrong, every mistake is reported with its place. With --json, prints a machine's text alone as\n"
            "JSON; and a graph without anything that advances by itself, with what has its default left out. With "
            "--schema,\n"
            "prints the JSON schema with which editors complete and check graphs. With --state, prints the graph's\n"
            "fingerprint, and the bytes that a character keeps from frame to frame. With --check, only checks a "
            "graph,\n"
            "with a machine or without, and prints its warnings and what it has.\n" CHARACTER_HELP,
        .options = options,
        .files = OPTION_SOME_FILES};
    if (argc == 1 && strcmp(argv[0], "--schema") == 0) {
        return print_schema();
    }
    return subject_command(subject, &usage, argc, argv, print_graph);
}
