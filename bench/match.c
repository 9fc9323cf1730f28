// limber-match-bench: what a search of a motion database takes, beside a loop over all of its rows, and what the
// control of a crowd takes whose machine matches motion, beside one that never searches.
//
//   limber-match-bench [ROWS]    50,000 by default
//
// The motion is made up (walk_takes.h). Each query is the pose of a random row and a random desired motion. Both ways
// run in turns, and have to find the same row: otherwise it exits with 1. The characters of the crowd search ten times
// a second, in turns, and are asked for another course every two thirds of a second. A machine has at most 64 states,
// so with more takes there is no crowd.
#include "clock.h"
#include "matching_takes.h"
#include "random.h"
#include "terminal.h"
#include "walk_takes.h"

#include <limber/graph.h>
#include <stdlib.h>

enum { MOST_TAKES = 131, SEARCHES = 500, TURNS = 7, CROWD = 500, FRAMES = 240 };

static lmb_result make_database(const lmb_rig *rig, const walk_take *takes, uint32_t count,
                                lmb_motion_database **database, lmb_error *error) {
    static lmb_motion_take defs[MOST_TAKES];
    const lmb_motion_database_def def = walk_database_def(rig, takes, count, defs);
    const double start = clock_thread_seconds();
    const lmb_result result = lmb_motion_database_create(&def, NULL, database, error);
    if (result == LMB_OK) {
        terminal_print("%u rows, made in %.2f s\n", (unsigned)lmb_motion_database_get_info(*database)->row_count,
                       clock_thread_seconds() - start);
    }
    return result;
}

static lmb_motion_search_def make_search(const lmb_motion_database *database, const walk_take *takes, uint32_t *state) {
    lmb_motion_search_def search = lmb_default_motion_search_def();
    search.current_row = random_next(state) % lmb_motion_database_get_info(database)->row_count;
    const lmb_motion_row row = lmb_motion_database_row(database, search.current_row);
    const float speed = 2.0f + 2.0f * walk_draw(state), angle = walk_draw(state);
    const lmb_desired_motion motion = {.velocity = {0.0f, takes[row.take].speeds[(uint32_t)(row.time * 30.0f + 0.5f)]},
                                       .desired_velocity = {speed * sinf(angle), speed * cosf(angle)},
                                       .desired_turn = angle,
                                       .half_life = 0.27f};
    const lmb_motion_path path = lmb_motion_database_path(database, &motion);
    lmb_motion_database_query(database, search.current_row, search.current_is_mirrored, &path, search.query);
    return search;
}

// Looks at all rows, as the header says.
static uint32_t search_all(const lmb_motion_database *database, const lmb_motion_search_def *search) {
    const uint32_t count = lmb_motion_database_get_info(database)->row_count;
    const double scale = (double)lmb_motion_database_get_info(database)->scale;
    const lmb_motion_row current = lmb_motion_database_row(database, search->current_row);
    int64_t best = INT64_MAX;
    uint32_t found = LMB_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const int16_t *numbers = lmb_motion_database_features(database, i);
        int32_t cost = 0;
        for (uint32_t k = 0; k < LMB_MOTION_ROW_SIZE; k++) {
            const int16_t difference = (int16_t)(search->query[k] - numbers[k]);
            cost += difference * difference;
        }
        const bool is_current = i == search->current_row;
        const int64_t less = is_current ? (int64_t)((double)search->current_bonus * scale * scale) : 0;
        const int64_t counts = cost > less ? cost - less : 0;
        if (counts < best) {
            const lmb_motion_row row = lmb_motion_database_row(database, i);
            const bool is_near =
                row.take == current.take && fabsf(row.time - current.time) < search->window + 0.5f / 30.0f;
            if (is_current || (row.can_be_found && !is_near)) {
                best = counts;
                found = i;
            }
        }
    }
    return found;
}

static int compare_numbers(const void *a, const void *b) {
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static int measure(const lmb_motion_database *database, const lmb_motion_search_def *searches) {
    double taken[2][TURNS];
    uint32_t jumps = 0, others = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        static lmb_motion_match matches[SEARCHES];
        double start = clock_thread_seconds();
        for (uint32_t i = 0; i < SEARCHES; i++) {
            matches[i] = lmb_motion_database_search(database, &searches[i]);
        }
        taken[0][turn] = clock_thread_seconds() - start;
        start = clock_thread_seconds();
        for (uint32_t i = 0; i < SEARCHES; i++) {
            others += search_all(database, &searches[i]) != matches[i].row;
            jumps += matches[i].row != searches[i].current_row;
        }
        taken[1][turn] = clock_thread_seconds() - start;
    }
    for (int way = 0; way < 2; way++) {
        qsort(taken[way], TURNS, sizeof **taken, compare_numbers);
    }
    const double search = 1e6 * taken[0][TURNS / 2] / SEARCHES, all = 1e6 * taken[1][TURNS / 2] / SEARCHES;
    terminal_print(
        "A search takes %.2f us, a loop over all rows %.1f us: %.0f times as long. %.0f %% of the queries jump.\n",
        search, all, all / search, 100.0 * jumps / (SEARCHES * TURNS));
    if (others > 0) {
        terminal_error("limber-match-bench: %u searches found another row\n", (unsigned)others);
    }
    return others > 0;
}

// ---- A crowd.

// The nodes of a machine whose states are takes.
typedef struct machine {
    lmb_motion_take takes[LMB_MAX_STATES];
    lmb_player_def players[LMB_MAX_STATES];
    lmb_state_def states[LMB_MAX_STATES];
    lmb_node_def nodes[LMB_MAX_STATES + 1];
    const lmb_clip *clips[LMB_MAX_STATES];
    lmb_matching_def matching;
    lmb_machine_def def;
} machine;

static lmb_result make_graph(const lmb_rig *rig, const walk_take *takes, uint32_t count,
                             const lmb_motion_database *database, float interval, lmb_graph **graph, lmb_error *error) {
    static machine made;
    static uint32_t poses[LMB_MAX_STATES];
    (void)walk_database_def(rig, takes, count, made.takes); // it fills the takes
    for (uint32_t i = 0; i < count; i++) {
        poses[i] = i;
        made.clips[i] = takes[i].clip;
    }
    matching_fill_states(made.takes, count, count, made.players, made.states, made.nodes);
    made.matching = matching_by_velocity(database);
    made.matching.interval = interval;
    made.matching.velocity_change = interval > 1.0f ? 1000.0f : made.matching.velocity_change;
    made.matching.heading_change = interval > 1.0f ? 3.14f : made.matching.heading_change;
    made.def = lmb_default_machine_def();
    made.def.states = made.states;
    made.def.state_count = count;
    made.def.matching = &made.matching;
    made.nodes[count] = lmb_machine_node(poses, &made.def);
    const lmb_motion_def motion = lmb_default_motion_def();
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = rig;
    def.clips = made.clips;
    def.clip_count = count;
    def.nodes = made.nodes;
    def.node_count = count + 1;
    def.parameter_count = 2;
    def.motion = &motion;
    return lmb_graph_create(&def, NULL, graph, error);
}

// Runs the control of the crowd, and returns seconds for a character's frame.
static lmb_result run_crowd(const lmb_graph *graph, double *seconds, lmb_error *error) {
    const uint32_t row = lmb_graph_get_info(graph)->parameter_count;
    uint32_t state = 7;
    lmb_control_frame frame = lmb_default_control_frame();
    frame.state = calloc(CROWD, lmb_graph_get_info(graph)->state_words * sizeof(uint32_t));
    frame.parameters = calloc(CROWD, row * sizeof(float));
    frame.character_count = CROWD;
    frame.step = LMB_TICKS_PER_SECOND / 60;
    lmb_result result = LMB_OK;
    const bool has_memory = frame.state != NULL && frame.parameters != NULL;
    double start = 0.0;
    for (; has_memory && frame.number < FRAMES && result == LMB_OK; frame.number++) {
        for (uint32_t i = 0; i < CROWD; i++) {
            const float speed = 2.0f + 2.0f * walk_draw(&state), angle = 3.1f * walk_draw(&state);
            if (i % 40 == frame.number % 40) {
                frame.parameters[i * row] = speed * sinf(angle);
                frame.parameters[i * row + 1] = speed * cosf(angle);
            }
        }
        start = frame.number == FRAMES / 4 ? clock_thread_seconds() : start;
        result = lmb_control_run(graph, &frame, 0, CROWD, error);
    }
    *seconds = (clock_thread_seconds() - start) / ((FRAMES - FRAMES / 4) * CROWD);
    free(frame.state);
    free(frame.parameters);
    return has_memory ? result : LMB_ERROR_MEMORY;
}

static lmb_result measure_crowd(const lmb_rig *rig, const walk_take *takes, uint32_t count,
                                const lmb_motion_database *database, lmb_error *error) {
    double seconds[2] = {0.0, 0.0};
    lmb_result result = LMB_OK;
    for (int i = 0; i < 2 && result == LMB_OK; i++) {
        lmb_graph *graph = NULL;
        result = make_graph(rig, takes, count, database, i == 0 ? 0.1f : 10.0f, &graph, error);
        result = result == LMB_OK ? run_crowd(graph, &seconds[i], error) : result;
        lmb_graph_destroy(graph);
    }
    if (result == LMB_OK) {
        terminal_print("The control of a crowd takes %.2f us a character and frame, %.2f us if nobody searches.\n",
                       1e6 * seconds[0], 1e6 * seconds[1]);
    }
    return result;
}

int main(int count, char **arguments) {
    const long rows = count > 1 ? strtol(arguments[1], NULL, 10) : 50000;
    if (count > 2 || rows < WALK_KEYS || rows > MOST_TAKES * WALK_KEYS) {
        terminal_error("limber-match-bench: give a number of rows from %d to %d\n", WALK_KEYS, MOST_TAKES * WALK_KEYS);
        return 2;
    }
    static walk_take takes[MOST_TAKES];
    static lmb_motion_search_def searches[SEARCHES];
    const uint32_t take_count = (uint32_t)rows / WALK_KEYS;
    uint32_t state = 1;
    lmb_rig *rig = NULL;
    lmb_motion_database *database = NULL;
    lmb_error error;
    lmb_result result = walk_make_rig(&rig, &error);
    for (uint32_t i = 0; i < take_count && result == LMB_OK; i++) {
        result = walk_make_take(rig, &takes[i], &state, &error);
    }
    result = result == LMB_OK ? make_database(rig, takes, take_count, &database, &error) : result;
    int status = 1;
    if (result == LMB_OK) {
        for (uint32_t i = 0; i < SEARCHES; i++) {
            searches[i] = make_search(database, takes, &state);
        }
        status = measure(database, searches);
        if (take_count <= LMB_MAX_STATES) {
            result = measure_crowd(rig, takes, take_count, database, &error);
        }
    }
    if (result != LMB_OK) {
        status = 1;
        terminal_error("limber-match-bench: %s\n", error.message);
    }
    lmb_motion_database_destroy(database);
    for (uint32_t i = 0; i < take_count; i++) {
        lmb_clip_destroy(takes[i].clip);
    }
    lmb_rig_destroy(rig);
    return status;
}
