// The clips of a character as takes of motion: which are meant, how each moves the character, and whether it loops.
#ifndef LIMBER_SRC_CLI_TAKES_H
#define LIMBER_SRC_CLI_TAKES_H

#include "command.h"
#include "json.h"

#include <limber/motion_graph.h>

typedef struct take_source {
    const lmb_clip *clip;
    lmb_root_motion *motion; // NULL: in place
} take_source;

typedef struct take_list {
    // Set by options.
    const char *joint_name; // of the root motion, or NULL
    option_texts chosen, looped, played_once;

    float min_seconds; // shorter clips are left out, unless they are chosen
    uint32_t left_out; // so many

    lmb_root_motion_def extracted;
    take_source *sources;
    lmb_motion_take *takes;
    uint32_t count;
    lmb_arena pool;
} take_list;

#define OPTIONS_OF_TAKES(list)                                                                                         \
    {"--clip", OPTION_TEXTS, &(list)->chosen, "CLIP", "take this one; without this option all clips but additives"},   \
        {"--loop", OPTION_TEXTS, &(list)->looped, "CLIP", "it loops, though its ends differ"},                         \
        {"--once", OPTION_TEXTS, &(list)->played_once, "CLIP", "it does not loop, though its ends are alike"}, {       \
        "--joint", OPTION_TEXT, &(list)->joint_name, "JOINT",                                                          \
            "that moves the character; by default the first that travels"                                              \
    }
#define TAKE_THRESHOLD 0.06f // times the height: moments that differ by less are alike

// Finds the takes of a character. A clip whose ends differ by less than half of `threshold` loops.
lmb_result take_list_find(take_list *list, const character_file *character, float threshold, lmb_error *error);
void take_list_release(take_list *list);

const char *take_list_name(const take_list *list, uint32_t take);
// Returns how a take moves the character: "itself", "by feet" or "-".
const char *take_list_moves(const take_list *list, uint32_t take);
// Writes "pose": a take that plays and moves the character. `part` of it, which does not loop, or all if that is NULL.
void take_list_write_pose(const take_list *list, uint32_t take, const lmb_motion_part *part, const lmb_rig *rig,
                          json *json);
// Returns where a joint is in the rest pose.
void take_list_place(const lmb_rig *rig, uint32_t joint, float place[3]);
// Returns the height of the joints in the rest pose.
float take_list_height(const lmb_rig *rig);
// Writes a file.
lmb_result take_list_write(const char *path, void (*write)(const void *data, FILE *stream), const void *data,
                           lmb_error *error);

#endif
