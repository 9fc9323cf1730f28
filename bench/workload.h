// The work per character of the bench: a graph with an actor's clips, and the parameters of a frame. Characters start
// at a random phase and advance by 1/60 s per frame; model matrices and palettes are computed too. A control, if the
// workload has one, moves the characters before their poses are computed.
#ifndef LIMBER_BENCH_WORKLOAD_H
#define LIMBER_BENCH_WORKLOAD_H

#include "actor.h"
#include "skinning.h"

#include <limber/cpu.h>

typedef enum workload_kind {
    WORKLOAD_FOUR_CLIPS, // three clips blended with weights .3 .5 .2, and the fourth added with weight .6
    WORKLOAD_TWO_CLIPS,  // two clips, blended by each character's own weight
    WORKLOAD_MASKED,     // one clip, and another one on its upper body
    WORKLOAD_DISTANT,    // the four clips at a level of detail that drops half of the joints
    WORKLOAD_NEIGHBOURS, // the same for every second character; the others have level of detail 0
    WORKLOAD_MACHINES,   // state machines with blend spaces and a layer, separate for each character: crowd.h
    // The four clips and a node above them, which needs the mannequin: node.h.
    WORKLOAD_IK_TWO_BONE,    // a hand reaches a target
    WORKLOAD_IK_AIM,         // the head looks at one
    WORKLOAD_FOOT_PLACEMENT, // both feet stand on ground of their own height and slope
    WORKLOAD_STRIDE,         // the same, with strides warped to a speed
    WORKLOAD_FOOT_LOCK,      // both feet are locked half of the time, and their ground is smoothed
    WORKLOAD_TWIST,          // a shoulder takes half of an arm's twist
    WORKLOAD_CHAIN,          // three bones swing
    WORKLOAD_OVERRIDE,       // a pose buffer replaces a part of the upper body
    WORKLOAD_RETARGET,       // the four clips, played through a retarget from the rig itself; any rig has it
    // The four clips play by themselves, and three of them move the character: travel.h.
    WORKLOAD_ROOT_MOTION,
    WORKLOAD_WARP,          // one of them is warped to a position and a heading
    WORKLOAD_FULL_ROTATION, // with rotations about all axes
    // The four clips and then the vertices of a mesh: skinning.h.
    WORKLOAD_SKIN,
    WORKLOAD_SKIN_DUAL_QUATERNION,
    WORKLOAD_SKIN_MORPH, // linear too, with four morph targets on the head
    // Each character plays clips of its own: divergent.h.
    WORKLOAD_DIVERGENT,        // six states, of which one is active (half of the characters), two or three (a tenth)
    WORKLOAD_DIVERGENT_STATES, // twenty states, of which one is active
    WORKLOAD_DIVERGENT_CLIPS,  // a node that plays one of twenty clips
    WORKLOAD_DIVERGENT_FADES,  // two such nodes; a fifth of the characters fade between them
    WORKLOAD_GAME,             // states that are blend spaces, a layer and additives: game.h
    WORKLOAD_MATCHING,         // each matches motion of the mannequin's takes: takes.h
    WORKLOAD_KIND_COUNT
} workload_kind;

enum { WORKLOAD_MOST_CLIPS = 200, WORKLOAD_MOST_STATES = 20, WORKLOAD_MOST_PARAMETERS = 2 * WORKLOAD_MOST_STATES };

// How characters move whose graph is no workload of the bench.
typedef struct workload_moves {
    uint64_t step; // ticks of a frame
    void (*fill)(const lmb_graph *graph, uint32_t characters, uint32_t frame, float *parameters);
} workload_moves;

typedef struct workload {
    workload_kind kind;
    const actor *actor;
    lmb_clip *clips[WORKLOAD_MOST_CLIPS]; // of its own, beside the actor's
    uint32_t clip_count;
    lmb_graph *graph;
    const workload_moves *moves; // or NULL: those of the kind
    skinning skinning;           // without a skin: nothing is skinned
    uint32_t outputs;            // of the graph: LMB_OUTPUT_..._BIT
} workload;

// Returns whether the graph's control runs. That of a graph that is no workload does not: its parameters are arbitrary.
static inline bool workload_advances(const workload *workload) {
    const bool is_one = workload->kind != WORKLOAD_KIND_COUNT || workload->moves != NULL;
    return is_one && lmb_graph_get_info(workload->graph)->state_words > 0;
}

// Memory that a frame writes. What a workload does not write is NULL.
typedef struct workload_outputs {
    float *palettes;
    float *dual_quaternions;
    float *vertices;
} workload_outputs;

// Memory that frames read in addition to parameters, and that they keep. What a workload does not need is NULL.
typedef struct workload_memory {
    float *poses;      // of the graph's pose buffer 0
    float *channels;   // of the skinning
    uint32_t *inertia; // of the graph
} workload_memory;

// Returns the name, "four-clips" and so on.
const char *workload_kind_name(workload_kind kind);
// Returns the workload that does the same without what this one is about, which is measured as the difference; the
// same kind if there is none.
workload_kind workload_kind_base(workload_kind kind);
bool workload_kind_has_control(workload_kind kind);

// The actor must outlive the workload. Fails with LMB_ERROR_ARGUMENT if it lacks a joint that the workload needs.
lmb_result workload_create(workload_kind kind, const actor *actor, workload *workload, lmb_error *error);
void workload_destroy(workload *workload);

// Writes the parameters [characters][lmb_graph_info.parameter_count] of a frame: the clips' times, wrapped into their
// durations, and the weight or the level of detail; with a control, only the parameters of the host.
void workload_fill(const workload *workload, uint32_t characters, uint32_t frame, float *parameters);
// The same with a control, for frames that begin with the CROWD_WARM_FRAMES that warm up. The second function lists the
// events of such a frame, sorted, at most one per character, and returns their number; the third one returns its length
// in ticks.
void workload_fill_moving(const workload *workload, uint32_t characters, uint32_t frame, float *parameters);
uint32_t workload_list_events(const workload *workload, uint32_t characters, uint32_t frame, lmb_event *events);
uint64_t workload_step(const workload *workload, uint32_t frame);

// Return the bytes that one character writes per frame, and what workload_memory has for it.
size_t workload_output_bytes(const workload *workload);
size_t workload_memory_bytes(const workload *workload);

// Both must be destroyed in any case.
lmb_result workload_outputs_create(const workload *workload, uint32_t characters, workload_outputs *outputs,
                                   lmb_error *error);
void workload_outputs_destroy(workload_outputs *outputs);
lmb_result workload_memory_create(const workload *workload, uint32_t characters, workload_memory *memory,
                                  lmb_error *error);
void workload_memory_destroy(workload_memory *memory);

// Runs the poses of a frame on the CPU, without the control, and skins.
lmb_result workload_run(const workload *workload, lmb_cpu *cpu, uint32_t characters, const float *parameters,
                        const workload_memory *memory, const workload_outputs *outputs, lmb_error *error);

#endif
