// `limber motion-graph`: finds transitions in the clips of a character, and writes a machine of their parts as JSON.
#include "command.h"
#include "motion_walk.h"
#include "takes.h"
#include "terminal.h"

#include <limber/motion_graph.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAP_CELLS 192u  // along a side of the picture
#define CELL_SIZE 4u    // in units of the picture
#define MOST_JUMPS 192u // transitions of a machine, less those to what follows
#define CHANCE 0.5f     // with which a part that goes on is left
#define FADE 0.25f
#define JUMP 2.0f // times the threshold

typedef struct finding {
    subject subject; // the first member
    lmb_motion_graph_def def;
    const char *path, *picture;
    option_distance threshold, jump, window, rate;
    uint32_t max_states;
    motion_walk_options walk;

    take_list list;
    lmb_motion_graph *graph;
} finding;

// ---- The machine.

static void name_part(const finding *f, uint32_t part, char *name, size_t size) {
    const lmb_motion_part *parts = lmb_motion_graph_get_content(f->graph)->parts;
    uint32_t number = 1;
    for (uint32_t i = part; i > 0 && parts[i - 1].take == parts[part].take; i--) {
        number++;
    }
    snprintf(name, size, "%s %u", take_list_name(&f->list, parts[part].take), (unsigned)number);
}

// One transition leads to what follows in the take, and before it one to any of the others, by chance.
static void write_transitions(const finding *f, json *json, const lmb_motion_part *part) {
    const lmb_motion_transition *transitions = lmb_motion_graph_get_content(f->graph)->transitions;
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
    const lmb_motion_part *own = &lmb_motion_graph_get_content(f->graph)->parts[part];
    const lmb_motion_transition *transitions = lmb_motion_graph_get_content(f->graph)->transitions;
    bool found = own->next == part;
    for (uint32_t i = 0; i < own->transition_count; i++) {
        found = found || transitions[own->first_transition + i].to == part;
    }
    return found;
}

static bool moves_character(const finding *f) {
    const lmb_motion_part *parts = lmb_motion_graph_get_content(f->graph)->parts;
    const uint32_t count = lmb_motion_graph_get_content(f->graph)->part_count;
    bool any = false;
    for (uint32_t i = 0; i < count && !any; i++) {
        any = strcmp(take_list_moves(&f->list, parts[i].take), "-") != 0;
    }
    return any;
}

static void write_machine(const void *data, FILE *stream) {
    const finding *f = data;
    const lmb_motion_part *parts = lmb_motion_graph_get_content(f->graph)->parts;
    const uint32_t count = lmb_motion_graph_get_content(f->graph)->part_count;
    char name[256];
    json json = json_begin(stream);
    json_text(&json, "op", "machine");
    json_text(&json, "name", "motion");
    if (moves_character(f)) {
        json_bool(&json, "character-motion", true);
    }
    json_line(&json, 1);
    json_begin_array(&json, "states");
    for (uint32_t i = 0; i < count; i++) {
        json_line(&json, 2);
        name_part(f, i, name, sizeof name);
        json_begin_object(&json, NULL);
        json_text(&json, "name", name);
        if (leads_to_itself(f, i)) {
            json_bool(&json, "restart", true);
        }
        take_list_write_pose(&f->list, parts[i].take, &parts[i], f->subject.character.rig, &json);
        write_transitions(f, &json, &parts[i]);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end(&json);
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
        const uint32_t moments = lmb_motion_graph_get_content(f->graph)->takes[i].moments;
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

static void draw_picture(const void *data, FILE *stream) {
    const finding *f = data;
    const unsigned size = MAP_CELLS * CELL_SIZE;
    const lmb_motion_part *parts = lmb_motion_graph_get_content(f->graph)->parts;
    const lmb_motion_transition *transitions = lmb_motion_graph_get_content(f->graph)->transitions;
    const uint32_t count = lmb_motion_graph_get_content(f->graph)->transition_count;
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
        write_text(stream, take_list_name(&f->list, i));
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

// ---- The command.

static void print_summary(const finding *f) {
    uint32_t part_count, transition_count, moments = 0, kept = 0;
    part_count = lmb_motion_graph_get_content(f->graph)->part_count;
    transition_count = lmb_motion_graph_get_content(f->graph)->transition_count;
    terminal_print("clip                      moves   loops  moments     kept\n");
    for (uint32_t i = 0; i < f->def.take_count; i++) {
        const lmb_motion_graph_take take = lmb_motion_graph_get_content(f->graph)->takes[i];
        terminal_print("%-24s %-8s %5s %8u %8u", take_list_name(&f->list, i), take_list_moves(&f->list, i),
                       f->list.takes[i].loop ? "yes" : "no", (unsigned)take.moments, (unsigned)take.kept);
        if (take.kept == 0 && take.joining_threshold < HUGE_VALF) {
            terminal_print("  --threshold above %.3f takes it in", (double)take.joining_threshold);
        }
        terminal_print("\n");
        moments += take.moments;
        kept += take.kept;
    }
    terminal_print("%u minima below %g; %u of %u moments are kept, in %u states with %u transitions\n",
                   (unsigned)lmb_motion_graph_get_content(f->graph)->minimum_count, (double)f->def.threshold,
                   (unsigned)kept, (unsigned)moments, (unsigned)part_count, (unsigned)transition_count);
}

static const char *take_name(const void *finding_of_take, uint32_t take) {
    return take_list_name(&((const finding *)finding_of_take)->list, take);
}

// A walk needs many transitions, and is not limited to the states of a machine.
static lmb_result walk(const finding *f, lmb_error *error) {
    lmb_motion_graph_def def = f->def;
    motion_walk_graph graph = {NULL, f->list.takes, f->def.take_count, take_name, f};
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
    f->def.threshold = f->threshold.is_given ? f->threshold.value : TAKE_THRESHOLD * take_list_height(f->def.rig);
    f->def.window = f->window.is_given ? f->window.value : f->def.window;
    f->def.rate = f->rate.is_given ? f->rate.value : f->def.rate;
    f->def.max_jump = f->jump.is_given ? f->jump.value : JUMP * f->def.threshold;
    lmb_error found;
    if (take_list_find(&f->list, &f->subject.character, f->def.threshold, error)) {
        return error->result;
    }
    f->def.takes = f->list.takes;
    f->def.take_count = f->list.count;
    f->def.map_size = MAP_CELLS;
    f->def.map = lmb_arena_allocate(&f->list.pool, (size_t)MAP_CELLS * MAP_CELLS, sizeof *f->def.map);
    if (f->def.map == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory");
    }
    const lmb_result result = lmb_motion_graph_create(&f->def, NULL, &f->graph, &found);
    if (result != LMB_OK) {
        return lmb_fail(error, result, "%s", found.message);
    }
    print_summary(f);
    f->subject.place = NULL;
    const bool failed = take_list_write(f->path, write_machine, f, error) ||
                        (f->picture != NULL && take_list_write(f->picture, draw_picture, f, error)) ||
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
    lmb_motion_graph_destroy(f->graph);
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
        OPTIONS_OF_TAKES(&f.list),
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
    take_list_release(&f.list);
    return status;
}
