// The character of the crowd: a rig, a graph of its base clips, and skinned meshes. It is read from a file, or is the
// mannequin, which also waves, breathes and leans.
#ifndef LIMBER_SAMPLES_VIEWER_CHARACTER_H
#define LIMBER_SAMPLES_VIEWER_CHARACTER_H

#include <limber/batch.h>
#include <limber/graph_json.h>

#include "../mannequin.h"
#include "sources.h"

#define CHARACTER_BASES 9u
#define CHARACTER_CONTACTS 6u
#define CHARACTER_LEVELS 3u
#define CHARACTER_POSES 16u
#define CHARACTER_LISTED 400u // bytes of the clips' names in a message

// Parameters of the graph. Times are in seconds.
enum {
    PARAMETER_BASE_TIME = 0,
    PARAMETER_BASE_WEIGHT = PARAMETER_BASE_TIME + CHARACTER_BASES,
    PARAMETER_WAVE_TIME = PARAMETER_BASE_WEIGHT + CHARACTER_BASES,
    PARAMETER_WAVE_WEIGHT,
    PARAMETER_BREATH_TIME,
    PARAMETER_BREATH_WEIGHT,
    PARAMETER_LEAN_TIME,
    PARAMETER_LEAN_WEIGHT,
    PARAMETER_COUNT
};

// A point that comes down to the ground: a position in the bind pose's model space, and the joint it is bound to.
typedef struct character_contact {
    float position[3];
    uint32_t joint;
    float planted; // its min height above the ground, metres
} character_contact;

typedef struct character {
    const char *name;
    const lmb_rig *rig;
    lmb_graph *graph;
    const lmb_clip *bases[CHARACTER_BASES];
    const char *base_names[CHARACTER_BASES];
    bool gait[CHARACTER_BASES];    // walks and runs, which share one phase
    float ground[CHARACTER_BASES]; // metres: the lowest point of the clip above the origin
    uint32_t base_count;
    bool blends;          // the bases are idle, walk and run, which a character blends; otherwise it plays one of them
    const lmb_clip *wave; // only the mannequin has these four; NULL otherwise
    const uint8_t *wave_mask;
    const lmb_clip *breath;
    const lmb_clip *lean;
    bool plain;                           // of one colour, so that each character may have its own
    uint32_t level_count;                 // levels of detail, the finest first
    float level_pixels[CHARACTER_LEVELS]; // heights in the picture below which the next level suffices
    float unit;                           // metres per unit of length
    float height;                         // metres, while it moves
    float width;                          // metres, the mean of width and depth
    float origin[3];                      // model units: the point that is placed on the ground
    character_contact contacts[CHARACTER_CONTACTS];
    uint32_t contact_count;
    character_file file;
    mannequin_skin *skins[CHARACTER_LEVELS];
    sources sources; // of retargets
    lmb_static_pose_def poses[CHARACTER_POSES];
    uint32_t pose_count;
} character;

typedef struct character_def {
    lmb_import_def import;    // for character_file_open()
    const char *const *clips; // NAME=CLIP, where NAME is idle, walk or run: the base clips of a file
    uint32_t clip_count;
    const char *const *sources; // NAME=FILE,FILE...: characters whose clips graphs may play
    uint32_t source_count;
    const char *const *poses; // NAME=CLIP@TIME: static poses for graphs, at most CHARACTER_POSES
    uint32_t pose_count;
    float tallest; // pixels: levels of detail are for characters up to this height
} character_def;

// Opens a character. If a file has clips for idle, walk or run, these are the bases; otherwise its first clips that
// move.
lmb_result character_open(const character_def *def, character *character, lmb_error *error);
// The character may be zeroed.
void character_close(character *character);

// Reads a graph from JSON or a machine's text, with all clips of the character. `name` begins error messages.
lmb_result character_read_graph(const character *character, const char *name, const char *text, size_t size,
                                lmb_graph_json **graph, lmb_error *error);

// All clips of the file or of the mannequin.
uint32_t character_clip_count(const character *character);
const lmb_clip *character_clip(const character *character, uint32_t index);
// Returns the clip with this exact name, or NULL.
const lmb_clip *character_clip_named(const character *character, const char *name);
// Returns the clip whose name fits best to a word such as "walk", or to one with the same meaning; NULL if there is
// none.
const lmb_clip *character_find_clip(const character *character, const char *word);
// Returns how badly a clip's name fits to a word of lower-case letters, ignoring case: UINT32_MAX if it does not
// contain it, and less the fewer other letters it has. "Walk" and "Armature|Walk" fit best, "RobotWalking" next, and
// "WalkBack", which names another movement, worse.
uint32_t character_name_misfit(const char *name, const char *word);
// Writes the names of the clips for a message.
void character_list_clips(const character *character, char *text, size_t size);

uint32_t character_mesh_count(const character *character, uint32_t level);
// Returns whether a mesh has the character's own tint.
bool character_mesh_has_tint(const character *character, uint32_t mesh);
const lmb_mesh *character_mesh(const character *character, uint32_t level, uint32_t mesh);
uint32_t character_image_count(const character *character);
const lmb_image *character_image(const character *character, uint32_t image);

#endif
