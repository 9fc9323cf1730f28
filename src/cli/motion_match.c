// `limber motion-match`: makes a graph that matches motion of the clips of a character, and says what they lack.
#include "command.h"
#include "takes.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOW 0.14f        // share of the height: joints below are of feet
#define MIN_SECONDS 0.1f // two moments, and what is left out at the end
#define MIDDLE 0.01f     // share of the height: from there on a joint is on a side
#define BANDS 8u         // of speeds, up to the fastest row
#define TURNING 0.5f     // radians a second: from there on a row turns
#define STANDING 0.1f    // of the height a second: below a row stands
#define SPAN 4u          // keys of the root motion over which a speed is measured

typedef enum way { FORWARDS, BACKWARDS, LEFT, RIGHT, TURNS_LEFT, TURNS_RIGHT, WAYS } way;
static const char *const way_names[WAYS] = {"forwards",     "backwards",    "to the left",
                                            "to the right", "turning left", "turning right"};

typedef struct matching {
    subject subject; // the first member
    const char *path;
    const char *database_path; // or NULL
    const char *names[3];      // of the joints, or NULL
    bool is_mirrored;          // moments count mirrored, too
    take_list list;
    uint32_t joints[3]; // left foot, right foot, hips
    lmb_motion_database *database;
    float fastest, band;
    uint32_t standing, rows[BANDS][WAYS];
} matching;

// ---- Feet and hips.

static bool is_below(const lmb_rig *rig, uint32_t joint, uint32_t ancestor) {
    while (joint != LMB_NONE && joint != ancestor) {
        joint = lmb_rig_get_def(rig)->joints[joint].parent;
    }
    return joint == ancestor;
}

// Returns the nearest joint that both are below, or that is one of them; LMB_NONE if there is none.
static uint32_t find_common(const lmb_rig *rig, uint32_t a, uint32_t b) {
    while (a != LMB_NONE && !is_below(rig, b, a)) {
        a = lmb_rig_get_def(rig)->joints[a].parent;
    }
    return a;
}

// What is low and on one side of the rest pose.
typedef struct corner {
    float limit, middle; // heights below are low; up to so far from x = 0 is no side
    bool is_left;
} corner;

static bool is_in(const lmb_rig *rig, uint32_t joint, const corner *c) {
    float place[3];
    if (joint == LMB_NONE || lmb_rig_get_def(rig)->joints[joint].is_extra) {
        return false;
    }
    take_list_place(rig, joint, place);
    return place[1] <= c->limit && (c->is_left ? place[0] : -place[0]) > c->middle;
}

// Finds the foot of a side: the nearest joint above all of a limb that are low there; of several limbs, as of hands
// that are low, too, that with the lowest joint.
static uint32_t find_foot(const lmb_rig *rig, bool is_left) {
    const uint32_t count = lmb_rig_get_def(rig)->joint_count;
    const float height = take_list_height(rig);
    float lowest = HUGE_VALF, place[3];
    for (uint32_t joint = 0; joint < count; joint++) {
        take_list_place(rig, joint, place);
        lowest = lmb_rig_get_def(rig)->joints[joint].is_extra ? lowest : fminf(lowest, place[1]);
    }
    const corner c = {lowest + LOW * height, MIDDLE * height, is_left};
    uint32_t foot = LMB_NONE;
    float own_lowest = HUGE_VALF;
    for (uint32_t joint = 0; joint < count; joint++) {
        if (!is_in(rig, joint, &c)) {
            continue;
        }
        take_list_place(rig, joint, place);
        const uint32_t common = foot == LMB_NONE ? joint : find_common(rig, foot, joint);
        if (is_in(rig, common, &c)) {
            foot = common;
            own_lowest = fminf(own_lowest, place[1]);
        } else if (place[1] < own_lowest) {
            foot = joint;
            own_lowest = place[1];
        }
    }
    return foot;
}

static lmb_result find_joints(matching *m, lmb_error *error) {
    static const char *const options[] = {"--left-foot", "--right-foot", "--hips"};
    const lmb_rig *rig = m->subject.character.rig;
    for (int i = 0; i < 3; i++) {
        m->joints[i] = m->names[i] != NULL ? lmb_rig_find_joint(rig, m->names[i])
                       : i < 2             ? find_foot(rig, i == 0)
                                           : find_common(rig, m->joints[0], m->joints[1]);
        if (m->joints[i] == LMB_NONE && m->names[i] != NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "%s: no joint '%.100s'", options[i], m->names[i]);
        }
        if (m->joints[i] == LMB_NONE) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT,
                            "the rest pose does not show which joint that is: name it with %s", options[i]);
        }
    }
    return LMB_OK;
}

// Refuses a rig whose feet are not mirror images of each other by their names, or whose hips have another one.
static lmb_result check_partners(const matching *m, lmb_error *error) {
    const lmb_rig *rig = m->subject.character.rig;
    uint32_t *partners = calloc(lmb_rig_get_def(rig)->joint_count, sizeof *partners);
    lmb_error found;
    lmb_result result = LMB_OK;
    if (partners == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for the partners of joints");
    }
    if (lmb_rig_find_mirror(rig, NULL, partners, &found) != LMB_OK) {
        result = lmb_fail(error, found.result, "--mirrored: %s", found.message);
    } else if (partners[m->joints[0]] == m->joints[0]) {
        result = lmb_fail(error, LMB_ERROR_ARGUMENT,
                          "--mirrored: the name of '%.100s' does not say what is its mirror image",
                          lmb_rig_get_def(rig)->joints[m->joints[0]].name);
    } else if (partners[m->joints[0]] != m->joints[1] || partners[m->joints[2]] != m->joints[2]) {
        const uint32_t joint = m->joints[partners[m->joints[0]] != m->joints[1] ? 0 : 2];
        result =
            lmb_fail(error, LMB_ERROR_ARGUMENT, "--mirrored: by their names, '%.100s' is the mirror image of '%.100s'",
                     lmb_rig_get_def(rig)->joints[joint].name, lmb_rig_get_def(rig)->joints[partners[joint]].name);
    }
    free(partners);
    return result;
}

// ---- What the takes have.

typedef struct movement {
    float forward, left, turn; // a second
} movement;

static movement movement_at(const lmb_motion_take *take, float time) {
    movement found = {take->velocity[2], take->velocity[0], 0.0f};
    if (take->motion != NULL) {
        const uint32_t last = take->motion->key_count - 1, span = last < SPAN ? last : SPAN;
        const float rate = (float)last / lmb_clip_get_info(take->clip)->duration, at = time * rate;
        const uint32_t key = at < (float)(last - span) ? (uint32_t)at : last - span;
        const float *from = take->motion->keys + (size_t)key * 4, *to = from + (size_t)span * 4;
        const float x = to[0] - from[0], z = to[2] - from[2], yaw = 0.5f * (from[3] + to[3]);
        const float each = rate / (float)span;
        found.forward = (x * sinf(yaw) + z * cosf(yaw)) * each;
        found.left = (x * cosf(yaw) - z * sinf(yaw)) * each;
        found.turn = (to[3] - from[3]) * each;
    }
    return found;
}

static float speed_of(const movement *m) {
    return hypotf(m->forward, m->left);
}

static way way_of(const movement *m) {
    if (fabsf(m->left) > fabsf(m->forward)) {
        return m->left > 0.0f ? LEFT : RIGHT;
    }
    return m->forward < 0.0f ? BACKWARDS : m->turn > TURNING ? TURNS_LEFT : m->turn < -TURNING ? TURNS_RIGHT : FORWARDS;
}

static void count_row(matching *m, const movement *at) {
    const uint32_t band = (uint32_t)(speed_of(at) / m->band);
    m->rows[band < BANDS ? band : BANDS - 1][way_of(at)]++;
}

static void count_rows(matching *m) {
    const uint32_t count = lmb_motion_database_get_info(m->database)->row_count;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < count; i++) {
            const lmb_motion_row row = lmb_motion_database_row(m->database, i);
            const movement at = movement_at(&m->list.takes[row.take], row.time);
            const movement mirrored = {at.forward, -at.left, -at.turn};
            const float speed = speed_of(&at);
            m->fastest = fmaxf(m->fastest, speed);
            if (pass == 1 && speed <= STANDING * take_list_height(m->subject.character.rig)) {
                m->standing++;
            } else if (pass == 1) {
                count_row(m, &at);
                if (m->is_mirrored) {
                    count_row(m, &mirrored);
                }
            }
        }
        m->band = fmaxf(m->fastest / BANDS, 1e-6f);
    }
}

static void print_takes(const matching *m) {
    terminal_print("clip                      moves   loops   seconds\n");
    for (uint32_t i = 0; i < m->list.count; i++) {
        terminal_print("%-24s %-8s %5s %9.2f\n", take_list_name(&m->list, i), take_list_moves(&m->list, i),
                       m->list.takes[i].loop ? "yes" : "no",
                       (double)lmb_clip_get_info(m->list.takes[i].clip)->duration);
    }
    if (m->list.left_out > 0) {
        terminal_print("left out as shorter than %g s: %u\n", (double)MIN_SECONDS, (unsigned)m->list.left_out);
    }
}

// Prints the speeds that no moment has that moves in a way; of backwards and sideways only if none does.
static void print_missing(const matching *m, way way, uint32_t count) {
    const bool is_main = way == FORWARDS || way == TURNS_LEFT || way == TURNS_RIGHT;
    bool any = false;
    for (uint32_t i = 0, end = 0; i < BANDS && count > 0 && is_main; i = end + 1) {
        for (end = i; end < BANDS && m->rows[end][way] == 0; end++) {
        }
        if (end > i) {
            terminal_print("%s %.2f to %.2f", any ? "," : "no moment goes at", (double)((float)i * m->band),
                           (double)((float)end * m->band));
            any = true;
        }
    }
    if (count == 0 || any) {
        terminal_print(any ? " a second %s\n" : "no moment goes %s\n", way_names[way]);
    }
}

// Prints how many moments move how, and what is missing: a search finds nothing there.
static void print_rows(const matching *m) {
    uint32_t all[WAYS] = {0};
    if (!(m->fastest > 0.0f)) {
        return;
    }
    terminal_print("\n%u moments, of which %u stand%s\nspeed         ",
                   (unsigned)lmb_motion_database_get_info(m->database)->row_count, (unsigned)m->standing,
                   m->is_mirrored ? "; the others count mirrored, too" : "");
    for (int k = 0; k < WAYS; k++) {
        terminal_print(" %13s", way_names[k]);
    }
    for (uint32_t i = 0; i < BANDS; i++) {
        terminal_print("\n%5.2f to %5.2f", (double)((float)i * m->band), (double)((float)(i + 1) * m->band));
        for (int k = 0; k < WAYS; k++) {
            terminal_print(" %13u", (unsigned)m->rows[i][k]);
            all[k] += m->rows[i][k];
        }
    }
    terminal_print("\n");
    if (m->standing == 0) {
        terminal_print("no moment stands: a character that is to stop will step on\n");
    }
    for (int k = 0; k < WAYS; k++) {
        print_missing(m, (way)k, all[k]);
    }
}

// ---- The graph.

static void write_matching(const matching *m, json *json) {
    static const char *const members[] = {"left-foot", "right-foot", "hips"}, *const parameters[] = {"x", "z"};
    const float most = ceilf(m->fastest * 2.0f) / 2.0f;
    json_begin_object(json, "matching");
    for (int i = 0; i < 3; i++) {
        json_text(json, members[i], lmb_rig_get_def(m->subject.character.rig)->joints[m->joints[i]].name);
    }
    json_begin_array(json, "velocity");
    for (int i = 0; i < 2; i++) {
        json_begin_object(json, NULL);
        json_text(json, "param", parameters[i]);
        json_float(json, "min", -most);
        json_float(json, "max", most);
        json_end_object(json);
    }
    json_end_array(json);
    if (m->is_mirrored) {
        json_bool(json, "mirrored", true);
    }
    json_end_object(json);
}

static void write_graph(const void *data, FILE *stream) {
    const matching *m = data;
    json json = json_begin(stream);
    json_text(&json, "op", "machine");
    json_text(&json, "name", "motion");
    json_bool(&json, "character-motion", true);
    json_line(&json, 1);
    write_matching(m, &json);
    json_line(&json, 1);
    json_begin_array(&json, "states");
    for (uint32_t i = 0; i < m->list.count; i++) {
        json_line(&json, 2);
        json_begin_object(&json, NULL);
        json_text(&json, "name", take_list_name(&m->list, i));
        take_list_write_pose(&m->list, i, NULL, m->subject.character.rig, &json);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end(&json);
}

static void write_database(const void *data, FILE *stream) {
    size_t size;
    const void *block = lmb_motion_database_block(data, &size);
    fwrite(block, 1, size, stream);
}

// ---- The command.

static bool differ(const lmb_motion_database *database, uint32_t first, uint32_t end) {
    for (uint32_t row = 0; row < lmb_motion_database_get_info(database)->row_count; row++) {
        const int16_t *numbers = lmb_motion_database_features(database, row);
        for (uint32_t i = first; i < end; i++) {
            if (numbers[i] != 0) {
                return true;
            }
        }
    }
    return false;
}

// Refuses rows that are all alike in what a search needs. Headings may be: takes may all go straight.
static bool check_features(const lmb_motion_database *database, lmb_error *error) {
    static const struct {
        uint32_t first, end;
        const char *why;
    } groups[] = {{0, 6, "the feet are always at the same places"},
                  {6, 12, "the feet never move"},
                  {12, 15, "the hips always move alike"},
                  {15, 21, "the character always goes alike: name clips that stand, walk and turn, or longer ones"}};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (!differ(database, groups[i].first, groups[i].end)) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "nothing to search by: %s", groups[i].why) != LMB_OK;
        }
    }
    return false;
}

static lmb_result match(matching *m, lmb_error *error) {
    const lmb_rig *rig = m->subject.character.rig;
    if (find_joints(m, error) || (m->is_mirrored && check_partners(m, error)) ||
        take_list_find(&m->list, &m->subject.character, TAKE_THRESHOLD * take_list_height(rig), error)) {
        return error->result;
    }
    if (m->list.count > LMB_MAX_STATES) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "%u clips, and a machine has at most %u states: name some with --clip, or join them into "
                        "longer ones",
                        (unsigned)m->list.count, LMB_MAX_STATES);
    }
    lmb_motion_database_def def = lmb_default_motion_database_def();
    lmb_error found;
    def.rig = rig;
    def.left_foot = m->joints[0];
    def.right_foot = m->joints[1];
    def.hips = m->joints[2];
    def.takes = m->list.takes;
    def.take_count = m->list.count;
    def.mirrored = m->is_mirrored;
    if (lmb_motion_database_create(&def, NULL, &m->database, &found) != LMB_OK) {
        return lmb_fail(error, found.result, "%s", found.message);
    }
    terminal_print("left foot '%s', right foot '%s', hips '%s'\n\n", lmb_rig_get_def(rig)->joints[m->joints[0]].name,
                   lmb_rig_get_def(rig)->joints[m->joints[1]].name, lmb_rig_get_def(rig)->joints[m->joints[2]].name);
    count_rows(m);
    print_takes(m);
    print_rows(m);
    m->subject.place = NULL;
    if (check_features(m->database, error)) {
        return error->result;
    }
    if (m->database_path != NULL && take_list_write(m->database_path, write_database, m->database, error)) {
        return error->result;
    }
    return take_list_write(m->path, write_graph, m, error);
}

static lmb_result match_subject(subject *subject, lmb_error *error) {
    matching *m = (matching *)subject;
    const lmb_result result = match(m, error);
    lmb_motion_database_destroy(m->database);
    return result;
}

int command_motion_match(int argc, char **argv) {
    matching m = {.list.min_seconds = MIN_SECONDS};
    const option options[] = {
        {"--output", OPTION_TEXT, &m.path, "FILE", "the graph to write, as JSON"},
        {"--database", OPTION_TEXT, &m.database_path, "FILE",
         "also the database, for programs that search: lmb_motion_database_open()"},
        {"--left-foot", OPTION_TEXT, &m.names[0], "JOINT", "by default the rest pose shows it: low and on the left"},
        {"--right-foot", OPTION_TEXT, &m.names[1], "JOINT", "likewise"},
        {"--hips", OPTION_TEXT, &m.names[2], "JOINT", "by default where both legs meet"},
        {"--mirrored", OPTION_FLAG, &m.is_mirrored, NULL, "count moments mirrored, too: left turns turn right as well"},
        OPTIONS_OF_TAKES(&m.list),
        OPTION_SKELETON(&m.subject),
        OPTION_SCALES(&m.subject),
        OPTION_SPLIT(&m.subject),
        OPTION_BVH_UNIT(&m.subject),
        {0}};
    const usage usage = {
        .command = "limber motion-match",
        .synopsis = "FILE... --output FILE [--clip CLIP ...] [--left-foot JOINT --right-foot JOINT --hips JOINT]",
        .text =
            "Writes a graph whose character does what the parameters x and z ask for, a velocity along the axes of "
            "the\n"
            "world: ten times a second a search picks the moment of all clips that goes on best\n"
            "(include/limber/motion_database.h). Prints how often the clips move at which speed in which direction, "
            "and\n"
            "what they lack. A clip loops if its ends differ by less than 3 % of the height; a clip in place moves as\n"
            "fast as its feet say.\n" CHARACTER_HELP,
        .options = options,
        .files = OPTION_SOME_FILES,
        .required_count = 1};
    const int status = subject_command(&m.subject, &usage, argc, argv, match_subject);
    take_list_release(&m.list);
    return status;
}
