// Characters of one graph go on in another one: to the bit if only the order of its parts differs, and as transfer.h
// says if parts are lost, new, or of another length. Whatever the two graphs, results are valid states that run.
#include "failing_host.h"
#include "refusal.h"
#include "walkers.h"

#include <limber/transfer.h>
#include <math.h>

enum { ROWS = 3, WORDS = 300 };

// A clip that plays in a machine, or in the group "steps".
#define CLIP(NAME) "{'op':'clip','clip':'" NAME "','play':{}}"
#define GROUPED(NAME) "{'op':'clip','clip':'" NAME "','play':{'group':'steps'}}"
#define LINK(TO, EVENT) "{'to':'" TO "','event':'" EVENT "','fade':0.5}"
#define STATE(NAME, POSE, LINKS) "{'name':'" NAME "','pose':" POSE ",'transitions':[" LINKS "]}"
#define MACHINE(STATES) "{'op':'machine','name':'body','states':[" STATES "]}"

#define STAND STATE("stand", CLIP("stand"), LINK("walk", "go"))
#define WALK STATE("walk", CLIP("walk"), LINK("hop", "jump") "," LINK("stand", "stop"))
#define HOP STATE("hop", CLIP("hop"), LINK("stand", "stop"))
#define SPEED "{'param':'speed','default':1,'smooth':0.5}"
// A machine beside a pose, moved by a smoothed parameter.
#define GRAPH(STATES, OTHER)                                                                                           \
    "{'op':'blend','weight':{'param':'share','default':0.25},'character-motion':{'velocity':[0,0," SPEED "]},"         \
    "'a':" MACHINE(STATES) ",'b':" OTHER "}"

static const char *const first_text = GRAPH(STAND "," WALK "," HOP, GROUPED("hop"));
// The same with states and inputs in another order: indices of states, transitions, players and parameters differ.
static const char *const other_text =
    "{'op':'blend','character-motion':{'velocity':[0,0," SPEED
    "]},'a':" GROUPED("hop") ",'b':" MACHINE(STAND "," HOP "," WALK) ",'weight':{'param':'share','default':0.25}}";

// A crowd on the CPU, whose control alone runs.
typedef struct crowd {
    lmb_graph *graph;
    uint32_t words, parameter_count, number;
    uint32_t states[ROWS * WORDS];
    float parameters[ROWS * 16];
} crowd;

static crowd *crowd_create(const char *text) {
    crowd *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->graph = walker_graph_of(text);
    c->words = lmb_graph_get_info(c->graph)->state_words;
    c->parameter_count = lmb_graph_get_info(c->graph)->parameter_count;
    assert_true(c->words <= WORDS && c->parameter_count <= 16);
    for (uint32_t i = 0; i < ROWS; i++) {
        lmb_graph_defaults(c->graph, c->parameters + (size_t)i * c->parameter_count);
    }
    return c;
}

static void crowd_destroy(crowd *c) {
    lmb_graph_destroy(c->graph);
    free(c);
}

static const uint32_t *row_of(const crowd *c, uint32_t row) {
    return c->states + (size_t)row * c->words;
}

static float *parameter(crowd *c, uint32_t row, const char *name) {
    return c->parameters + (size_t)row * c->parameter_count + lmb_graph_find_parameter(c->graph, name);
}

static void step(crowd *c, const char *event) {
    lmb_event events[ROWS];
    lmb_control_frame frame = lmb_default_control_frame();
    lmb_error error = {0};
    for (uint32_t i = 0; i < ROWS; i++) { // each row in its turn
        events[i] = (lmb_event){i, lmb_graph_find_event(c->graph, event)};
    }
    frame.step = LMB_TICKS_PER_SECOND / 50;
    frame.number = c->number++;
    frame.character_count = ROWS;
    frame.state = c->states;
    frame.parameters = c->parameters;
    frame.events = events;
    frame.event_count = event != NULL && lmb_graph_find_event(c->graph, event) != LMB_NONE ? ROWS : 0;
    if (lmb_control_run(c->graph, &frame, 0, ROWS, &error) != LMB_OK ||
        lmb_state_check(c->graph, c->states, ROWS, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}

static void steps(crowd *c, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        step(c, NULL);
    }
}

static lmb_character_words words_of(crowd *c) {
    return (lmb_character_words){.states = c->states, .row_count = ROWS, .count = ROWS};
}

static lmb_graph_transfer *create(const crowd *from, const crowd *to) {
    lmb_graph_transfer *transfer = NULL;
    lmb_error error = {0};
    if (lmb_graph_transfer_create(from->graph, to->graph, NULL, &transfer, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return transfer;
}

static void run(const lmb_graph_transfer *transfer, crowd *from, crowd *to) {
    const lmb_character_words old = words_of(from), own = words_of(to);
    lmb_error error = {0};
    if (lmb_graph_transfer_run(transfer, &old, &own, &error) != LMB_OK ||
        lmb_state_check(to->graph, to->states, ROWS, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    lmb_graph_transfer_parameters(transfer, from->parameters, to->parameters, ROWS);
    to->number = from->number;
}

// Converts all rows and expects these losses, a list that ends with NULL.
static void transfer(crowd *from, crowd *to, const char *const *lost) {
    lmb_graph_transfer *transfer = create(from, to);
    uint32_t count = 0;
    for (; lost[count] != NULL; count++) {
        assert_string_equal(lmb_graph_transfer_lost(transfer, count), lost[count]);
    }
    assert_int_equal(lmb_graph_transfer_lost_count(transfer), count);
    assert_string_equal(lmb_graph_transfer_lost(transfer, count), "");
    run(transfer, from, to);
    lmb_graph_transfer_destroy(transfer);
}

static const char *const nothing[] = {NULL};

static uint32_t find_state(const crowd *c, const char *name) {
    uint32_t found = LMB_NONE;
    for (uint32_t i = 0; i < lmb_graph_machine_at(c->graph, 0).state_count; i++) {
        found = strcmp(lmb_graph_state_name(c->graph, 0, i), name) == 0 ? i : found;
    }
    return found;
}

static const char *current(const crowd *c, uint32_t row) {
    return lmb_graph_state_name(c->graph, 0, lmb_state_current(c->graph, row_of(c, row), 0));
}

static float weight(const crowd *c, uint32_t row, const char *state) {
    const uint32_t index = find_state(c, state);
    return index != LMB_NONE ? lmb_state_weight(c->graph, row_of(c, row), 0, index) : 0.0f;
}

static uint64_t place(const crowd *c, uint32_t row, const char *clip) {
    for (uint32_t i = 0; i < lmb_graph_get_info(c->graph)->player_count; i++) {
        if (strcmp(lmb_graph_player_at(c->graph, i).name, clip) == 0) {
            return lmb_state_player(c->graph, row_of(c, row), i).ticks;
        }
    }
    return UINT64_MAX;
}

// What a host sees of both crowds.
static void expect_same(const crowd *a, const crowd *b) {
    static const char *const states[] = {"stand", "walk", "hop"};
    for (uint32_t i = 0; i < ROWS; i++) {
        const lmb_motion own = lmb_state_motion(a->graph, row_of(a, i)),
                         other = lmb_state_motion(b->graph, row_of(b, i));
        assert_string_equal(current(a, i), current(b, i));
        assert_memory_equal(&own, &other, sizeof own);
        for (size_t k = 0; k < sizeof states / sizeof *states; k++) {
            assert_true(weight(a, i, states[k]) == weight(b, i, states[k]));
        }
        for (size_t k = 0; k < 2; k++) { // there are two players of "hop"
            assert_int_equal(place(a, i, states[k]), place(b, i, states[k]));
        }
    }
}

static void an_equal_graph_continues_with_the_same_words(void **state) {
    (void)state;
    walkers *a = walkers_create(walker_graph(), LMB_CPU_REFERENCE);
    walkers *b = walkers_create(walker_graph(), LMB_CPU_REFERENCE);
    lmb_graph_transfer *transfer = NULL;
    lmb_error error = {0};
    for (uint32_t frame = 0; frame < 40; frame++) {
        walkers_run(a, frame, walkers_in_order, WALKERS_ROWS - 1); // the last one has not begun
    }
    assert_int_equal(lmb_graph_transfer_create(a->graph, b->graph, NULL, &transfer, &error), LMB_OK);
    assert_int_equal(lmb_graph_transfer_lost_count(transfer), 0);
    const lmb_character_words from = walkers_words(a), to = walkers_words(b);
    assert_int_equal(lmb_graph_transfer_run(transfer, &from, &to, &error), LMB_OK);
    assert_memory_equal(a->states, b->states, sizeof *a->states * WALKERS_ROWS * a->state_words);
    assert_memory_equal(a->inertia, b->inertia, sizeof *a->inertia * WALKERS_ROWS * a->inertia_words);
    assert_memory_equal(a->reached, b->reached, sizeof a->reached);

    // The same through a snapshot.
    const size_t size = lmb_snapshot_size(a->graph, WALKERS_ROWS);
    uint32_t *saved = calloc(2, size), *converted = saved + size / sizeof *saved;
    assert_int_equal(lmb_snapshot_save(a->graph, &from, 7, saved, size, &error), LMB_OK);
    assert_int_equal(lmb_graph_transfer_snapshot(transfer, saved, size, converted, size, &error), LMB_OK);
    assert_memory_equal(saved, converted, size);
    CHECK_REFUSAL(lmb_graph_transfer_snapshot(transfer, saved, size, converted, size - 1, &error), &error,
                  LMB_ERROR_LIMIT, "graph transfer: ", "room");
    CHECK_REFUSAL(lmb_graph_transfer_snapshot(transfer, saved, size - 4, converted, size, &error), &error,
                  LMB_ERROR_FORMAT, "snapshot: ", "characters");
    free(saved);
    lmb_graph_transfer_destroy(transfer);
    walkers_destroy(a);
    walkers_destroy(b);
}

// Rows are at different frames: row 1 jumps earlier than row 2.
static crowd *play(const char *text, uint32_t frames) {
    crowd *c = crowd_create(text);
    for (uint32_t i = 0; i < ROWS; i++) {
        *parameter(c, i, "speed") = 1.0f + (float)i;
        *parameter(c, i, "share") = 0.5f;
    }
    step(c, NULL);
    step(c, "go");
    steps(c, 30); // the fade of 25 frames is over
    step(c, "jump");
    steps(c, frames);
    return c;
}

static void states_in_another_order_go_on(void **state) {
    (void)state;
    for (uint32_t frames = 0; frames < 40; frames += 7) { // in the fade, and after it
        crowd *from = play(first_text, frames), *to = crowd_create(other_text);
        transfer(from, to, nothing);
        for (uint32_t i = 0; i < ROWS; i++) {
            assert_true(*parameter(to, i, "share") == 0.5f && *parameter(to, i, "speed") == 1.0f + (float)i);
        }
        assert_string_equal(current(to, 0), "hop");
        expect_same(from, to);
        for (uint32_t i = 0; i < 60; i++) {
            step(from, i == 20 ? "stop" : NULL);
            step(to, i == 20 ? "stop" : NULL);
            expect_same(from, to);
        }
        crowd_destroy(from);
        crowd_destroy(to);
    }
}

static void what_is_lost_is_said_and_begins_anew(void **state) {
    (void)state;
    static const char *const without_hop =
        GRAPH(STATE("stand", CLIP("stand"), LINK("walk", "go")) "," STATE("walk", CLIP("walk"), LINK("stand", "stop")),
              CLIP("stand"));
    crowd *from = play(first_text, 5), *to = crowd_create(without_hop);
    // The players come first: one of each hop. "stand" that plays beside the machine is new.
    static const char *const all[] = {"player of clip \"hop\"", "player of clip \"hop\" in group \"steps\"",
                                      "machine \"body\": state \"hop\"", NULL};
    assert_string_equal(current(from, 0), "hop");
    transfer(from, to, all);
    assert_string_equal(current(to, 0), "stand");
    assert_true(weight(to, 0, "stand") == 1.0f && weight(to, 0, "walk") == 0.0f);
    assert_int_equal(place(to, 0, "walk"), place(from, 0, "walk")); // its player goes on
    const lmb_motion own = lmb_state_motion(from->graph, row_of(from, 2)),
                     other = lmb_state_motion(to->graph, row_of(to, 2));
    assert_true(own.position[2] > 1.0);
    assert_memory_equal(&own, &other, sizeof own);
    steps(to, 40);
    crowd_destroy(from);
    crowd_destroy(to);
}

// The current state is there, but the transition that fades to it is not.
static void a_fade_without_its_transition_ends(void **state) {
    (void)state;
    static const char *const text =
        GRAPH(STAND "," STATE("walk", CLIP("walk"), LINK("stand", "stop")) "," HOP, GROUPED("hop"));
    crowd *from = play(first_text, 5), *to = crowd_create(text);
    assert_true(weight(from, 0, "walk") > 0.0f && weight(from, 0, "hop") > 0.0f);
    transfer(from, to, nothing);
    assert_string_equal(current(to, 0), "hop");
    assert_true(weight(to, 0, "hop") == 1.0f && weight(to, 0, "walk") == 0.0f);
    steps(to, 40);
    crowd_destroy(from);
    crowd_destroy(to);
}

// The position is kept in ticks, or as a part of a clip of another length.
static void players_keep_their_position(void **state) {
    (void)state;
    lmb_clip *const original = walker_clips[1];
    crowd *from = play(first_text, 5);
    const float times[2] = {0.0f, 0.25f}, moves[6] = {0};
    const lmb_track_def track = {1, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, moves};
    const lmb_clip_def def = {.name = "walk", .tracks = &track, .track_count = 1};
    assert_int_equal(lmb_clip_create(walker_rig, &def, NULL, &walker_clips[1], NULL), LMB_OK);
    crowd *to = crowd_create(first_text);
    transfer(from, to, nothing);
    for (uint32_t i = 0; i < ROWS; i++) {
        const double part = (double)place(from, i, "walk") / LMB_TICKS_PER_SECOND;
        const double own = (double)place(to, i, "walk") / (0.25 * LMB_TICKS_PER_SECOND);
        assert_true(part > 0.1 && fabs(own - part) < 1e-8);
        assert_int_equal(place(from, i, "hop"), place(to, i, "hop"));
    }
    crowd_destroy(from);
    crowd_destroy(to);
    lmb_clip_destroy(walker_clips[1]);
    walker_clips[1] = original;
}

#define WAITS(TO) "{'to':'" TO "','after':1,'fade':0,'when':{'trigger':'go'}}"
#define DRAWS "{'to':['stand','walk'],'event':'stop','fade':0.2}"

// A trigger that waits goes on waiting, and draws go on, also where indices of states, events and machines are others.
static void triggers_and_draws_go_on(void **state) {
    (void)state;
    crowd *from =
        crowd_create(MACHINE(STATE("stand", CLIP("stand"), WAITS("walk")) "," STATE("walk", CLIP("walk"), DRAWS)));
    crowd *to =
        crowd_create(MACHINE(STATE("stand", CLIP("stand"), "{'to':'walk','event':'other'}," WAITS("walk")) "," STATE(
            "walk", CLIP("walk"), "{'to':'stand','when':{'trigger':'never'}}," DRAWS)));
    step(from, "go");
    transfer(from, to, nothing);
    const lmb_word_range old = lmb_graph_get_info(from->graph)->seed_words,
                         own = lmb_graph_get_info(to->graph)->seed_words;
    assert_true(old.count == 1 && own.count == 1 && old.first != own.first);
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_int_equal(row_of(from, i)[old.first], row_of(to, i)[own.first]);
    }
    assert_string_equal(current(to, 0), "stand");
    for (uint32_t i = 0; i < 200; i++) {
        assert_string_equal(current(to, 0), current(from, 0));
        step(from, i % 9 == 8 ? "stop" : i == 150 ? "go" : NULL);
        step(to, i % 9 == 8 ? "stop" : i == 150 ? "go" : NULL);
    }
    assert_string_equal(current(to, 0), current(from, 0));
    crowd_destroy(from);
    crowd_destroy(to);
}

#define BEGINS(NAME, MORE) "{'op':'clip','clip':'" NAME "','play':{" MORE "}}"

// The draw of a player goes on. One that is new is seeded by its character's row.
static void players_draw_on(void **state) {
    (void)state;
    crowd *from =
        crowd_create(MACHINE(STATE("walk", BEGINS("walk", "'offset':'random'"),
                                   LINK("stand", "stop")) "," STATE("stand", BEGINS("stand", ""), LINK("walk", "go"))));
    crowd *to = crowd_create(MACHINE(STATE("stand", BEGINS("stand", "'offset':'random'"), LINK("walk", "go")) "," STATE(
        "walk", BEGINS("walk", "'offset':'random'"), LINK("stand", "stop"))));
    step(from, NULL);
    transfer(from, to, nothing);
    const lmb_word_range old = lmb_graph_get_info(from->graph)->seed_words,
                         own = lmb_graph_get_info(to->graph)->seed_words;
    assert_true(old.count == 1 && own.count == 2);
    uint32_t seeded[ROWS * WORDS];
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t *seeds = seeded + i * WORDS;
        assert_int_equal(lmb_state_set_seed(to->graph, seeds, i, NULL), LMB_OK);
        assert_int_equal(row_of(to, i)[own.first], seeds[own.first]);
        assert_int_equal(row_of(to, i)[own.first + 1], row_of(from, i)[old.first]);
        assert_true(i == 0 || row_of(to, i)[own.first] != row_of(to, 0)[own.first]);
    }
    crowd_destroy(from);
    crowd_destroy(to);
}

// A trigger or a draw that no condition of the machine asks any more is lost. Those of a lost machine are not named.
static void lost_triggers_and_draws_are_said(void **state) {
    (void)state;
    static const char *const without_any = MACHINE(
        STATE("stand", CLIP("stand"), LINK("walk", "go")) "," STATE("walk", CLIP("walk"), LINK("stand", "stop")));
    static const char *const other_trigger =
        MACHINE(STATE("stand", CLIP("stand"), "{'to':'walk','when':{'trigger':'stop'}}") "," STATE(
            "walk", CLIP("walk"), "{'to':['stand','walk'],'event':'go'}"));
    static const char *const no_machine = "{'op':'clip','clip':'walk'}";
    static const char *const lost[][3] = {{"trigger \"go\" of machine \"body\"", "draw of machine \"body\"", NULL},
                                          {"trigger \"go\" of machine \"body\"", NULL}};
    const char *const edits[] = {without_any, other_trigger};
    for (int i = 0; i < 2; i++) {
        crowd *from =
            crowd_create(MACHINE(STATE("stand", CLIP("stand"), WAITS("walk")) "," STATE("walk", CLIP("walk"), DRAWS)));
        crowd *to = crowd_create(edits[i]);
        step(from, "go");
        transfer(from, to, lost[i]);
        step(to, NULL);
        assert_string_equal(current(to, 0), "stand");
        crowd_destroy(to);
        to = crowd_create(no_machine);
        lmb_graph_transfer *none = create(from, to);
        for (uint32_t k = 0; k < lmb_graph_transfer_lost_count(none); k++) {
            assert_null(strstr(lmb_graph_transfer_lost(none, k), "of machine"));
        }
        lmb_graph_transfer_destroy(none);
        crowd_destroy(from);
        crowd_destroy(to);
    }
}

static const char *const texts[] = {
    GRAPH(STAND "," WALK "," HOP, GROUPED("hop")),
    GRAPH(HOP "," STAND "," WALK, CLIP("hop")),
    GRAPH(STATE("stand", CLIP("stand"), LINK("stand", "go")), GROUPED("walk")),
    // Other ways to play, and a machine of another name.
    "{'op':'machine','name':'body','states':[{'name':'walk','pose':{'op':'clip','clip':'walk','play':{'end':'ping-pong'"
    ","
    "'delay':0.5}}},{'name':'hop','pose':{'op':'clip','clip':'hop','play':{'end':'hold'}},'transitions':[" LINK(
        "walk", "stop") "]}]}",
    "{'op':'machine','name':'legs','update-every':3,'states':[" STAND "," WALK "," HOP "]}",
    "{'op':'machine','name':'body','states':[{'name':'walk','pose':{'op':'clip','clip':'walk','play':{'repetitions':2,"
    "'drops-out':true}},'transitions':[{'to':'hop','event':'jump','fade':0.2,'kind':'inertialized'}]},{'name':'hop',"
    "'pose':" MACHINE(STAND "," WALK "," HOP) "}]}",
    "{'op':'clip','clip':'walk','play':{'end':'ping-pong','rate':0.7}}",
    WALKER_GRAPH("walk", "hop", "jump", "land", "0.25"),
    MACHINE(STATE("stand", CLIP("stand"), WAITS("walk")) "," STATE("walk", CLIP("walk"), DRAWS)),
};
enum { TEXTS = sizeof texts / sizeof *texts };

// From each graph to each other one, at several times.
static void every_pair_of_graphs_gives_states_that_run(void **state) {
    (void)state;
    static const char *const events[] = {"go", NULL, "jump", "stop", "jump", NULL, "go"};
    for (uint32_t pair = 0; pair < TEXTS * TEXTS; pair++) {
        crowd *from = crowd_create(texts[pair / TEXTS]), *to = crowd_create(texts[pair % TEXTS]);
        lmb_graph_transfer *transfer = create(from, to);
        uint32_t *inertia = calloc(2 * ROWS, WALKERS_INERTIA * sizeof *inertia), reached[2][ROWS] = {{0}};
        for (uint32_t i = 0; i < 90; i++) {
            step(from, events[i / 11 % 7]);
            if (i % 4 == 0) {
                lmb_character_words old = words_of(from), own = words_of(to);
                old.inertia = inertia;
                old.reached = reached[0];
                own.inertia = inertia + ROWS * WALKERS_INERTIA;
                own.reached = reached[1];
                lmb_error error = {0};
                if (lmb_graph_transfer_run(transfer, &old, &own, &error) != LMB_OK ||
                    lmb_state_check(to->graph, to->states, ROWS, &error) != LMB_OK) {
                    fail_msg("%u to %u, frame %u: %s", pair / TEXTS, pair % TEXTS, i, error.message);
                }
                to->number = from->number;
                step(to, "jump");
                steps(to, 2);
            }
        }
        free(inertia);
        lmb_graph_transfer_destroy(transfer);
        crowd_destroy(from);
        crowd_destroy(to);
    }
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    crowd *from = play(first_text, 1), *to = crowd_create(other_text);
    lmb_graph_transfer *transfer = (lmb_graph_transfer *)(uintptr_t)from; // must become NULL
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_graph_transfer_create(NULL, to->graph, NULL, &transfer, &error), &error, LMB_ERROR_ARGUMENT,
                  "graph transfer: ", "NULL");
    assert_null(transfer);
    CHECK_REFUSAL(lmb_graph_transfer_create(from->graph, to->graph, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "graph transfer: ", "NULL");
    transfer = create(from, to);
    lmb_character_words old = words_of(from), own = words_of(to);
    CHECK_REFUSAL(lmb_graph_transfer_run(NULL, &old, &own, &error), &error, LMB_ERROR_ARGUMENT,
                  "graph transfer: ", "NULL");
    CHECK_REFUSAL(lmb_graph_transfer_run(transfer, NULL, &own, &error), &error, LMB_ERROR_ARGUMENT,
                  "graph transfer: ", "NULL");
    own.count = ROWS - 1;
    CHECK_REFUSAL(lmb_graph_transfer_run(transfer, &old, &own, &error), &error, LMB_ERROR_ARGUMENT,
                  "graph transfer: ", "3 old characters, and 2 new ones");
    own.count = ROWS;
    own.first = 1;
    CHECK_REFUSAL(lmb_graph_transfer_run(transfer, &old, &own, &error), &error, LMB_ERROR_ARGUMENT,
                  "graph transfer: ", "new character 3 of 3");
    own.first = 0;
    own.states = NULL;
    CHECK_REFUSAL(lmb_graph_transfer_run(transfer, &old, &own, &error), &error, LMB_ERROR_ARGUMENT,
                  "graph transfer: ", "states");
    own.states = to->states;
    from->states[(size_t)2 * from->words] = 77; // it neither has begun nor has not
    CHECK_REFUSAL(lmb_graph_transfer_run(transfer, &old, &own, &error), &error, LMB_ERROR_FORMAT, "control: ", "begun");
    for (uint32_t i = 0; i < ROWS * to->words; i++) {
        assert_int_equal(to->states[i], 0);
    }
    lmb_graph_transfer_destroy(transfer);
    lmb_graph_transfer_destroy(NULL);
    crowd_destroy(from);
    crowd_destroy(to);
}

static lmb_result create_and_destroy(const lmb_host *host, lmb_error *error, void *user) {
    const crowd *const *pair = user;
    lmb_graph_transfer *transfer = NULL;
    const lmb_result result = lmb_graph_transfer_create(pair[0]->graph, pair[1]->graph, host, &transfer, error);
    assert_true((result == LMB_OK) == (transfer != NULL));
    lmb_graph_transfer_destroy(transfer);
    return result;
}

static void memory_that_runs_out_is_reported(void **state) {
    (void)state;
    const crowd *pair[2] = {crowd_create(texts[0]), crowd_create(texts[2])};
    failing_host_try_all(create_and_destroy, pair);
    crowd_destroy((crowd *)(uintptr_t)pair[0]);
    crowd_destroy((crowd *)(uintptr_t)pair[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_equal_graph_continues_with_the_same_words),
        cmocka_unit_test(states_in_another_order_go_on),
        cmocka_unit_test(what_is_lost_is_said_and_begins_anew),
        cmocka_unit_test(a_fade_without_its_transition_ends),
        cmocka_unit_test(players_keep_their_position),
        cmocka_unit_test(triggers_and_draws_go_on),
        cmocka_unit_test(players_draw_on),
        cmocka_unit_test(lost_triggers_and_draws_are_said),
        cmocka_unit_test(every_pair_of_graphs_gives_states_that_run),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(memory_that_runs_out_is_reported),
    };
    return cmocka_run_group_tests_name("transfer", tests, walker_set_up, walker_tear_down);
}
