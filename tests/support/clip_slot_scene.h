// A character whose clips are in slots: clips of every kind, a graph in which they are played by the host, by players
// and by a parameter, and its frames on the CPU.
#ifndef LIMBER_TESTS_SUPPORT_CLIP_SLOT_SCENE_H
#define LIMBER_TESTS_SUPPORT_CLIP_SLOT_SCENE_H

#include <limber/cpu.h>

enum { SLOT_JOINTS = 11, SLOT_CHANNELS = 1, SLOT_CHARACTERS = 21 };
// Clips of the graph. The first is not in a slot.
enum { SLOT_BASE, SLOT_HOST, SLOT_PLAYED, SLOT_ADDITIVE, SLOT_CLIPS };
// Clips for SLOT_HOST and SLOT_PLAYED. The last one has no tracks: it is the rest pose.
enum { SLOT_PLAIN, SLOT_CUBIC, SLOT_FAR, SLOT_PACKED, SLOT_SCALED, SLOT_PARTIAL, SLOT_REST, SLOT_KINDS };
// Clips for SLOT_ADDITIVE. The last one changes nothing.
enum { SLOT_NOD, SLOT_SHAKE, SLOT_NO_CHANGE, SLOT_ADDITIVES };
enum { SLOT_GO, SLOT_BACK, SLOT_STEP, SLOT_EVENTS };
enum { SLOT_TIME, SLOT_CHOICE, SLOT_FADE, SLOT_COVER, SLOT_ADD, SLOT_MIX, SLOT_PARAMETERS };

#define SLOT_SECONDS 2.0f

typedef struct slot_scene {
    lmb_rig *rig;
    lmb_clip *base;
    lmb_clip *poses[SLOT_KINDS];
    lmb_clip *additives[SLOT_ADDITIVES];
} slot_scene;

void slot_scene_create(slot_scene *scene);
void slot_scene_destroy(slot_scene *scene);

// A descriptor, and what it refers to.
typedef struct slot_recipe {
    const lmb_clip *clips[SLOT_CLIPS];
    lmb_clip_slot_def slots[SLOT_CLIPS - 1];
    lmb_player_def player;
    lmb_notify_def notify;
    lmb_state_def states[2];
    lmb_transition_def transitions[3];
    lmb_machine_def machine;
    lmb_motion_def motion;
    lmb_node_def nodes[9];
    lmb_graph_def def;
} slot_recipe;

// Fills a descriptor. With `has_slots` all clips but the first have slots, which begin empty. Without, the caller sets
// recipe->clips.
void slot_recipe_fill(const slot_scene *scene, slot_recipe *recipe, bool has_slots);
// Creates a graph with slots, or one that has these clips, as indices of scene->poses and scene->additives, for good.
lmb_graph *slot_graph_create(const slot_scene *scene);
lmb_graph *slot_graph_create_fixed(const slot_scene *scene, const uint32_t filled[SLOT_CLIPS]);

// A batch on the CPU with its memory.
typedef struct slot_side {
    lmb_batch_def batch;
    lmb_cpu *cpu;
    float *parameters;
    uint32_t *state;
    uint32_t *emitted;
    size_t state_words, emitted_words;
    lmb_batch_outputs outputs;
    size_t floats[LMB_OUTPUT_COUNT]; // of all characters
    uint32_t refused[LMB_REFUSAL_COUNT];
} slot_side;

#define SLOT_OUTPUTS (LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_CHANNELS_BIT)
#define SLOT_STEP_TICKS lmb_ticks_from_seconds(1.0 / 10.0)

void slot_side_create(slot_side *side, const lmb_graph *graph, lmb_cpu_path path);
void slot_side_destroy(slot_side *side);
// Sets the host's parameters of a frame. Returns the events of the frame, of which there are `count`.
const lmb_event *slot_side_steer(slot_side *side, uint32_t frame, uint32_t *count);
void slot_side_run(slot_side *side, uint32_t frame);
// Compares all outputs, bit by bit.
void slot_side_expect(const slot_side *side, const slot_side *expected, const char *what, uint32_t frame);

// A change of what is in a slot: SLOT_KINDS or SLOT_ADDITIVES empty it.
typedef struct slot_change {
    uint32_t clip;
    uint32_t to;
} slot_change;

// Returns the changes before a frame, and their number: none, one or two.
uint32_t slot_changes(uint32_t frame, slot_change changes[2]);
// Returns the clip that a change puts into the slot, or NULL.
const lmb_clip *slot_changed_clip(const slot_scene *scene, slot_change change);

#endif
