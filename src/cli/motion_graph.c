// `limber motion-graph`: finds transitions in the clips of a character, and writes a machine of their parts as JSON.
#include "command.h"
#include "json.h"
#include "motion_walk.h"
#include "terminal.h"

#include "base/open_file.h"

#include <limber/motion_graph.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAP_CELLS 192u  // along a side of the picture
#define CELL_SIZE 4u    // in units of the picture
#define TURNS 0.35f     // radians: a clip that turns by more is not in place
#define TRAVELS 3.0f    // times the threshold: a clip that stays closer to its beginning is in place
#define MOST_JUMPS 192u // transitions of a machine, less those to what follows
#define CHANCE 0.5f     // with which a part that goes on is left
#define FADE 0.25f
#define THRESHOLD 0.06f // times the height
#define JUMP 2.0f       // times the threshold

// A clip as a take.
typedef struct source {
    const lmb_clip *clip;
    lmb_root_motion *motion; // NULL: in place
} source;

typedef struct finding {
    subject subject; // the first member
    lmb_motion_graph_def def;
    const char *path, *picture;
    const char *joint_name; // of the root motion, or NULL
    option_texts chosen, looped, played_once;
    option_distance threshold, jump, window, rate;
    uint32_t max_states;
    motion_walk_options walk;

    lmb_root_motion_def extracted;
    source *sources;
    lmb_motion_take *takes;
    lmb_motion_graph *graph;
    lmb_arena pool;
} finding;

static lmb_result no_memory(lmb_error *error) {
    return lmb_fail(error, LMB_ERROR_MEMORY, "no memory");
}

// Returns the height of the joints in the rest pose.
static float height_of(const lmb_rig *rig) {
    float low = HUGE_VALF, high = -HUGE_VALF;
    for (uint32_t joint = 0; joint < lmb_rig_joint_count(rig); joint++) {
        lmb_affine model = lmb_affine_from_transform(lmb_rig_joint_rest(rig, joint));
        for (uint32_t k = lmb_rig_joint_parent(rig, joint); k != LMB_NONE; k = lmb_rig_joint_parent(rig, k)) {
            model = lmb_affine_multiply(lmb_affine_from_transform(lmb_rig_joint_rest(rig, k)), model);
        }
        const bool counts = !lmb_rig_joint_is_extra(rig, joint);
        low = counts && model.m[1][3] < low ? model.m[1][3] : low;
        high = counts && model.m[1][3] > high ? model.m[1][3] : high;
    }
    return high > low ? high - low : 1.0f;
}

// ---- Takes.

static const char *clip_name_at(const void *character, uint32_t index) {
    return lmb_clip_name(((const character_file *)character)->clips[index]);
}

static lmb_result check_names(const finding *f, const char *option, const option_texts *names, lmb_error *error) {
    const character_file *character = &f->subject.character;
    lmb_error found;
    for (uint32_t i = 0; i < names->count; i++) {
        if (command_find_name("no clip", names->values[i], strlen(names->values[i]), clip_name_at, character,
                              character->clip_count, &found) == LMB_NONE) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "%s %.100s: %.300s", option, names->values[i], found.message);
        }
    }
    return LMB_OK;
}

static bool is_listed(const option_texts *names, const char *name) {
    bool found = false;
    for (uint32_t i = 0; i < names->count; i++) {
        found = found || strcmp(names->values[i], name) == 0;
    }
    return found;
}

// Takes the clips that are asked for, or all but additives. Of several with the same name a graph plays the first.
static lmb_result choose_clips(finding *f, lmb_error *error) {
    const character_file *character = &f->subject.character;
    f->sources = lmb_arena_allocate(&f->pool, character->clip_count, sizeof *f->sources);
    f->takes = lmb_arena_allocate(&f->pool, character->clip_count, sizeof *f->takes);
    if (f->pool.failed) {
        return no_memory(error);
    }
    for (uint32_t i = 0; i < character->clip_count; i++) {
        const char *name = clip_name_at(character, i);
        bool taken = f->chosen.count > 0 ? is_listed(&f->chosen, name) : !lmb_clip_is_additive(character->clips[i]);
        for (uint32_t k = 0; k < i; k++) {
            taken = taken && strcmp(name, clip_name_at(character, k)) != 0;
        }
        if (taken) {
            f->sources[f->def.take_count++].clip = character->clips[i];
        }
    }
    return f->def.take_count > 0 ? LMB_OK : lmb_fail(error, LMB_ERROR_ARGUMENT, "it has no clips");
}

static lmb_result find_joint(finding *f, lmb_error *error) {
    const lmb_rig *rig = f->subject.character.rig;
    f->extracted = lmb_default_root_motion_def();
    f->extracted.reference = LMB_MOTION_REFERENCE_REST_POSE;
    if (f->joint_name != NULL) {
        f->extracted.joint = lmb_rig_find_joint(rig, f->joint_name);
        return f->extracted.joint != LMB_NONE
                   ? LMB_OK
                   : lmb_fail(error, LMB_ERROR_ARGUMENT, "--joint: no joint '%.100s'", f->joint_name);
    }
    const lmb_clip **clips = lmb_arena_allocate(&f->pool, f->def.take_count, sizeof *clips);
    for (uint32_t i = 0; clips != NULL && i < f->def.take_count; i++) {
        clips[i] = f->sources[i].clip;
    }
    return clips == NULL ? no_memory(error)
                         : lmb_root_motion_find_joint(rig, clips, f->def.take_count, &f->extracted, NULL,
                                                      &f->extracted.joint, error);
}

static bool travels(const finding *f, const lmb_motion_track *track) {
    bool travels = false;
    for (uint32_t i = 1; i < track->key_count; i++) {
        const float *key = track->keys + (size_t)i * 4;
        const float x = key[0] - track->keys[0], z = key[2] - track->keys[2], yaw = key[3] - track->keys[3];
        travels = travels || sqrtf(x * x + z * z) > TRAVELS * f->def.threshold || fabsf(yaw) > TURNS;
    }
    return travels;
}

static lmb_result make_take(finding *f, uint32_t index, lmb_error *error) {
    const lmb_rig *rig = f->subject.character.rig;
    source *source = &f->sources[index];
    lmb_motion_take *take = &f->takes[index];
    const char *name = lmb_clip_name(source->clip);
    lmb_error found;
    float gap = 0.0f;
    lmb_result result = lmb_root_motion_extract(rig, source->clip, &f->extracted, NULL, &source->motion, &found);
    *take = lmb_default_motion_take();
    if (result == LMB_OK && travels(f, lmb_root_motion_track(source->motion))) {
        take->clip = lmb_root_motion_clip(source->motion);
        take->motion = lmb_root_motion_track(source->motion);
    } else if (result == LMB_OK) {
        lmb_root_motion_destroy(source->motion);
        source->motion = NULL;
        take->clip = source->clip;
        lmb_foot_speed speed;
        result = lmb_root_motion_measure_feet(rig, take->clip, NULL, &speed, &found);
        take->velocity[2] = speed.velocity[2]; // a clip in place moves its character along z alone
    }
    if (result == LMB_OK) {
        result = lmb_motion_take_measure_gap(rig, take->clip, NULL, &gap, &found);
    }
    take->loop = !is_listed(&f->played_once, name) && (is_listed(&f->looped, name) || gap < f->def.threshold / 2.0f);
    return result == LMB_OK ? LMB_OK : lmb_fail(error, result, "clip '%.100s': %.300s", name, found.message);
}

static lmb_result make_takes(finding *f, lmb_error *error) {
    const bool failed = check_names(f, "--clip", &f->chosen, error) || check_names(f, "--loop", &f->looped, error) ||
                        check_names(f, "--once", &f->played_once, error) || choose_clips(f, error) ||
                        find_joint(f, error);
    lmb_result result = failed ? error->result : LMB_OK;
    for (uint32_t i = 0; result == LMB_OK && i < f->def.take_count; i++) {
        result = make_take(f, i, error);
    }
    return result;
}

// ---- The machine.

static void name_part(const finding *f, uint32_t part, char *name, size_t size) {
    uint32_t count;
    const lmb_motion_part *parts = lmb_motion_graph_parts(f->graph, &count);
    uint32_t number = 1;
    for (uint32_t i = part; i > 0 && parts[i - 1].take == parts[part].take; i--) {
        number++;
    }
    snprintf(name, size, "%s %u", lmb_clip_name(f->sources[parts[part].take].clip), (unsigned)number);
}

static void write_pose(const finding *f, json *json, const lmb_motion_part *part) {
    const source *source = &f->sources[part->take];
    const float velocity = f->takes[part->take].velocity[2];
    json_begin_object(json, "pose");
    json_text(json, "op", "clip");
    json_text(json, "clip", lmb_clip_name(source->clip));
    json_float(json, "from", part->start);
    json_float(json, "to", part->end);
    json_begin_object(json, "play");
    json_text(json, "end", "hold");
    if (source->motion != NULL) {
        json_begin_object(json, "motion");
        json_text(json, "joint", lmb_rig_joint_name(f->subject.character.rig, f->extracted.joint));
        json_text(json, "reference", "rest-pose");
        json_end_object(json);
    } else if (velocity > 0.0f) {
        json_float(json, "velocity", velocity);
    }
    json_end_object(json);
    json_end_object(json);
}

// One transition leads to what follows in the take, and before it one to any of the others, by chance.
static void write_transitions(const finding *f, json *json, const lmb_motion_part *part) {
    uint32_t count;
    const lmb_motion_transition *transitions = lmb_motion_graph_transitions(f->graph, &count);
    char name[256];
    json_begin_array(json, "transitions");
    if (part->transition_count > 0) {
        json_begin_object(json, NULL);
        json_begin_array(json, "to");
        for (uint32_t i = 0; i < part->transition_count; i++) {
            name_part(f, transitions[part->first_transition + i].to, name, sizeof name);
            json_text(json, NULL, name);
        }
        json_end_array(json);
        json_bool(json, "end", true);
        if (part->next != LMB_NONE) {
            json_begin_object(json, "when");
            json_float(json, "random", CHANCE);
            json_end_object(json);
            json_unsigned(json, "priority", 1);
        }
        json_text(json, "kind", "inertialized");
        json_float(json, "fade", FADE);
        json_end_object(json);
    }
    if (part->next != LMB_NONE) {
        name_part(f, part->next, name, sizeof name);
        json_begin_object(json, NULL);
        json_text(json, "to", name);
        json_bool(json, "end", true);
        json_float(json, "fade", 0.0f);
        json_end_object(json);
    }
    json_end_array(json);
}

static bool leads_to_itself(const finding *f, uint32_t part) {
    uint32_t count;
    const lmb_motion_part *own = &lmb_motion_graph_parts(f->graph, &count)[part];
    const lmb_motion_transition *transitions = lmb_motion_graph_transitions(f->graph, &count);
    bool found = own->next == part;
    for (uint32_t i = 0; i < own->transition_count; i++) {
        found = found || transitions[own->first_transition + i].to == part;
    }
    return found;
}

static bool moves_character(const finding *f) {
    uint32_t count;
    const lmb_motion_part *parts = lmb_motion_graph_parts(f->graph, &count);
    bool any = false;
    for (uint32_t i = 0; i < count && !any; i++) {
        any = f->sources[parts[i].take].motion != NULL || f->takes[parts[i].take].velocity[2] > 0.0f;
    }
    return any;
}

static void write_machine(const finding *f, FILE *stream) {
    uint32_t count;
    const lmb_motion_part *parts = lmb_motion_graph_parts(f->graph, &count);
    char name[256];
    fprintf(stream, "{\"op\": \"machine\", \"name\": \"motion\",%s\n \"states\": [",
            moves_character(f) ? " \"character-motion\": true," : "");
    for (uint32_t i = 0; i < count; i++) {
        json json = {.stream = stream};
        fputs(i == 0 ? "\n  " : ",\n  ", stream);
        name_part(f, i, name, sizeof name);
        json_begin_object(&json, NULL);
        json_text(&json, "name", name);
        if (leads_to_itself(f, i)) {
            json_bool(&json, "restart", true);
        }
        write_pose(f, &json, &parts[i]);
        write_transitions(f, &json, &parts[i]);
        json_end_object(&json);
    }
    fputs("]}\n", stream);
}

// ---- The picture: near moments are light. Circles are the transitions.

static void write_text(FILE *stream, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '<' || *text == '&') {
            fprintf(stream, "&#%d;", *text);
        } else {
            fputc(*text, stream);
        }
    }
}

// Returns the place of a moment along a side of the picture.
static float side_of(const finding *f, uint32_t take, float time) {
    uint32_t before = 0, all = 0;
    for (uint32_t i = 0; i < f->def.take_count; i++) {
        const uint32_t moments = lmb_motion_graph_take_at(f->graph, i).moments;
        before += i < take ? moments : 0;
        all += moments;
    }
    return ((float)before + time * f->def.rate) / (float)all * (float)(MAP_CELLS * CELL_SIZE);
}

// Returns how light a distance is drawn, 0 to 8: 8 is near, 0 is four times the threshold or more.
static unsigned light_of(const finding *f, float distance) {
    const float share = 1.0f - distance / (f->def.threshold * 4.0f);
    return share > 0.0f ? (unsigned)(share * 8.0f + 0.5f) : 0;
}

static void draw_cells(const finding *f, FILE *stream) {
    for (uint32_t row = 0; row < MAP_CELLS; row++) {
        const float *cells = f->def.map + (size_t)row * MAP_CELLS;
        for (uint32_t i = 0, end = 0; i < MAP_CELLS; i = end) {
            const unsigned light = light_of(f, cells[i]);
            for (end = i + 1; end < MAP_CELLS && light_of(f, cells[end]) == light;) {
                end++;
            }
            if (light > 0) {
                fprintf(stream, "<path fill='rgb(%u,%u,%u)' d='M%u %uh%uv%uh-%uz'/>\n", 20 + light * 26,
                        30 + light * 27, 60 + light * 22, (unsigned)(i * CELL_SIZE), (unsigned)(row * CELL_SIZE),
                        (unsigned)((end - i) * CELL_SIZE), CELL_SIZE, (unsigned)((end - i) * CELL_SIZE));
            }
        }
    }
}

static void draw_picture(const finding *f, FILE *stream) {
    const unsigned size = MAP_CELLS * CELL_SIZE;
    uint32_t part_count, count;
    const lmb_motion_part *parts = lmb_motion_graph_parts(f->graph, &part_count);
    const lmb_motion_transition *transitions = lmb_motion_graph_transitions(f->graph, &count);
    fprintf(
        stream,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='-160 -24 %u %u' font-family='sans-serif' "
        "font-size='12' shape-rendering='crispEdges'>\n<rect x='-160' y='-24' width='%u' height='%u' fill='white'/>\n"
        "<rect width='%u' height='%u' fill='rgb(20,30,60)'/>\n",
        size + 170, size + 34, size + 170, size + 34, size, size);
    draw_cells(f, stream);
    for (uint32_t i = 0; i < f->def.take_count; i++) {
        const float at = side_of(f, i, 0.0f);
        fprintf(stream, "<path stroke='white' d='M0 %gH%uM%g 0V%u'/>\n<text x='-154' y='%g'>", (double)at, size,
                (double)at, size, (double)(at + 13.0f));
        write_text(stream, lmb_clip_name(f->sources[i].clip));
        fputs("</text>\n", stream);
    }
    for (uint32_t i = 0; i < count; i++) {
        const lmb_motion_part *from = &parts[transitions[i].from], *to = &parts[transitions[i].to];
        fprintf(stream, "<circle cx='%.1f' cy='%.1f' r='4' fill='none' stroke='red' stroke-width='2'/>\n",
                (double)side_of(f, to->take, to->start), (double)side_of(f, from->take, from->end));
    }
    fprintf(stream, "<text x='0' y='-8'>right: what is entered; down: what is left; %u transitions</text>\n</svg>\n",
            (unsigned)count);
}

static lmb_result write_file(const finding *f, const char *path, void (*write)(const finding *f, FILE *stream),
                             lmb_error *error) {
    const char *why;
    FILE *stream = lmb_open_file(path, LMB_OPEN_WRITE, &why);
    if (stream == NULL) {
        return lmb_fail(error, LMB_ERROR_FILE, "%s: %s", path, why);
    }
    write(f, stream);
    const bool written = !ferror(stream);
    return fclose(stream) == 0 && written ? LMB_OK : lmb_fail(error, LMB_ERROR_FILE, "%s: %s", path, strerror(errno));
}

// ---- The command.

static void print_summary(const finding *f) {
    uint32_t part_count, transition_count, moments = 0, kept = 0;
    lmb_motion_graph_parts(f->graph, &part_count);
    lmb_motion_graph_transitions(f->graph, &transition_count);
    terminal_print("clip                      moves   loops  moments     kept\n");
    for (uint32_t i = 0; i < f->def.take_count; i++) {
        const lmb_motion_graph_take take = lmb_motion_graph_take_at(f->graph, i);
        const lmb_motion_take *own = &f->takes[i];
        terminal_print("%-24s %-8s %5s %8u %8u", lmb_clip_name(f->sources[i].clip),
                       own->motion != NULL        ? "itself"
                       : own->velocity[2] != 0.0f ? "by feet"
                                                  : "-",
                       own->loop ? "yes" : "no", (unsigned)take.moments, (unsigned)take.kept);
        if (take.kept == 0 && take.joining_threshold < HUGE_VALF) {
            terminal_print("  --threshold above %.3f takes it in", (double)take.joining_threshold);
        }
        terminal_print("\n");
        moments += take.moments;
        kept += take.kept;
    }
    terminal_print("%u minima below %g; %u of %u moments are kept, in %u states with %u transitions\n",
                   (unsigned)lmb_motion_graph_minimum_count(f->graph), (double)f->def.threshold, (unsigned)kept,
                   (unsigned)moments, (unsigned)part_count, (unsigned)transition_count);
}

static const char *take_name(const void *finding_of_take, uint32_t take) {
    return lmb_clip_name(((const finding *)finding_of_take)->sources[take].clip);
}

// A walk needs many transitions, and is not limited to the states of a machine.
static lmb_result walk(const finding *f, lmb_error *error) {
    lmb_motion_graph_def def = f->def;
    motion_walk_graph graph = {NULL, f->takes, f->def.take_count, take_name, f};
    lmb_error found;
    lmb_motion_graph *all = NULL;
    def.max_parts = def.max_transitions = 0;
    def.map = NULL;
    lmb_result result = lmb_motion_graph_create(&def, NULL, &all, &found);
    if (result != LMB_OK) {
        return lmb_fail(error, result, "%s", found.message);
    }
    graph.graph = all;
    result = motion_walk_run(&f->walk, &graph, error);
    lmb_motion_graph_destroy(all);
    return result;
}

static lmb_result find(finding *f, lmb_error *error) {
    f->def.max_parts = f->max_states;
    f->def.max_transitions = MOST_JUMPS;
    f->def.rig = f->subject.character.rig;
    f->def.threshold = f->threshold.is_given ? f->threshold.value : THRESHOLD * height_of(f->def.rig);
    f->def.window = f->window.is_given ? f->window.value : f->def.window;
    f->def.rate = f->rate.is_given ? f->rate.value : f->def.rate;
    f->def.max_jump = f->jump.is_given ? f->jump.value : JUMP * f->def.threshold;
    lmb_error found;
    if (make_takes(f, error)) {
        return error->result;
    }
    f->def.takes = f->takes;
    f->def.map_size = MAP_CELLS;
    f->def.map = lmb_arena_allocate(&f->pool, (size_t)MAP_CELLS * MAP_CELLS, sizeof *f->def.map);
    if (f->def.map == NULL) {
        return no_memory(error);
    }
    const lmb_result result = lmb_motion_graph_create(&f->def, NULL, &f->graph, &found);
    if (result != LMB_OK) {
        return lmb_fail(error, result, "%s", found.message);
    }
    print_summary(f);
    f->subject.place = NULL;
    const bool failed = write_file(f, f->path, write_machine, error) ||
                        (f->picture != NULL && write_file(f, f->picture, draw_picture, error)) ||
                        (f->walk.path != NULL && walk(f, error));
    return failed ? error->result : LMB_OK;
}

static lmb_result find_subject(subject *subject, lmb_error *error) {
    finding *f = (finding *)subject;
    const char *place = subject->place;
    subject->place = NULL;
    lmb_result result = motion_walk_check(&f->walk, error);
    if (result == LMB_OK) {
        subject->place = place;
        result = find(f, error);
    }
    for (uint32_t i = 0; f->sources != NULL && i < f->def.take_count; i++) {
        lmb_root_motion_destroy(f->sources[i].motion);
    }
    lmb_motion_graph_destroy(f->graph);
    lmb_arena_release(&f->pool);
    return result;
}

int command_motion_graph(int argc, char **argv) {
    finding f = {.def = lmb_default_motion_graph_def(), .max_states = LMB_MAX_STATES};
    const option options[] = {
        {"--output", OPTION_TEXT, &f.path, "FILE", "the graph to write, as JSON"},
        {"--picture", OPTION_TEXT, &f.picture, "FILE", "an SVG of all distances, with the transitions"},
        {"--threshold", OPTION_OTHER, &(option_other){option_read_distance, &f.threshold}, "DISTANCE",
         "transitions have a smaller distance (6 % of the height of the joints)"},
        {"--window", OPTION_OTHER, &(option_other){option_read_distance, &f.window}, "SECONDS",
         "that are compared at each moment (0.333)"},
        {"--rate", OPTION_OTHER, &(option_other){option_read_distance, &f.rate}, "NUMBER", "moments a second (30)"},
        {"--jump", OPTION_OTHER, &(option_other){option_read_distance, &f.jump}, "DISTANCE",
         "by which the pose may jump at one (twice the threshold)"},
        {"--states", OPTION_LIMITED, &(option_limited){&f.max_states, LMB_MAX_STATES}, "COUNT",
         "at most so many, as short parts as that allows (64)"},
        {"--clip", OPTION_TEXTS, &f.chosen, "CLIP", "take this one; without this option all clips but additives"},
        {"--loop", OPTION_TEXTS, &f.looped, "CLIP", "it loops, though its ends differ"},
        {"--once", OPTION_TEXTS, &f.played_once, "CLIP", "it does not loop, though its ends are alike"},
        {"--joint", OPTION_TEXT, &f.joint_name, "JOINT", "that moves the character; by default the first that travels"},
        {"--walk", OPTION_TEXT, &f.walk.path, "FILE|POINTS",
         "print parts of clips that follow a path on the ground: \"x,z x,z ...\" or a file of that"},
        {"--walk-picture", OPTION_TEXT, &f.walk.picture, "FILE", "an SVG of the path and the walk"},
        {"--walk-within", OPTION_OTHER, &(option_other){option_read_distance, &f.walk.within}, "DISTANCE",
         "so near to its point of the path a walk stays (1)"},
        {"--walk-ahead", OPTION_OTHER, &(option_other){option_read_distance, &f.walk.ahead}, "SECONDS",
         "that a search for the walk looks ahead (2), a quarter of which is kept"},
        OPTION_SKELETON(&f.subject),
        OPTION_SCALES(&f.subject),
        OPTION_SPLIT(&f.subject),
        OPTION_BVH_UNIT(&f.subject),
        {0}};
    const usage usage = {
        .command = "limber motion-graph",
        .synopsis =
            "FILE... --output FILE [--threshold DISTANCE] [--picture FILE] [--clip CLIP ...] [--walk FILE|POINTS]",
        .text =
            "Compares all moments of all clips with each other, and writes a machine that goes from clip to clip\n"
            "where they are alike, for ever (include/limber/motion_graph.h). Its states are parts of clips. At the\n"
            "end of one it goes on, or by chance to another part, with an inertialization. Change it as any graph.\n"
            "Distances are in units of the character. A clip loops if its ends differ by less than half of the\n"
            "threshold. A clip in place moves as fast as its feet say. A walk begins at the first point of its path,\n"
            "heads for the second, and may use more transitions than the machine has.\n" CHARACTER_HELP,
        .options = options,
        .files = OPTION_SOME_FILES,
        .required_count = 1};
    const int status = subject_command(&f.subject, &usage, argc, argv, find_subject);
    free(f.chosen.values);
    free(f.looped.values);
    free(f.played_once.values);
    return status;
}
