// Opens a character and builds its graph.
#include "character.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "graph_file.h"
#include "measure.h"
#include "static_pose.h"
#include "terminal.h"

#define MANNEQUIN_TINTED_MESHES 4u // of the skin, and the lids

typedef struct mannequin_level {
    uint32_t vertices;
    float pixels; // height in the picture below which the next level suffices
} mannequin_level;

static const mannequin_level mannequin_levels[CHARACTER_LEVELS] = {
    {MANNEQUIN_VERTICES_HIGH, 330.0f}, {MANNEQUIN_VERTICES_MEDIUM, 150.0f}, {MANNEQUIN_VERTICES_LOW, 0.0f}};

static bool is_letter(char c) {
    return isalpha((unsigned char)c) != 0;
}

// Returns whether a name contains a word of lower-case letters, ignoring the name's case. A short word counts only at
// the beginning of a word of the name: "run" is in "RobotRunning" and not in "Trunk".
static bool holds_word(const char *name, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = name; *at != '\0'; at++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)at[i]) == word[i]) {
            i++;
        }
        const bool begins =
            at == name || !is_letter(at[-1]) || (islower((unsigned char)at[-1]) && !islower((unsigned char)*at));
        if (i == length && (begins || length > 3)) {
            return true;
        }
    }
    return false;
}

uint32_t character_name_misfit(const char *name, const char *word) {
    static const char *const others[] = {"idle", "walk",   "run",  "back",  "left", "right",
                                         "jump", "strafe", "turn", "start", "stop", "crouch"};
    const char *bar = strrchr(name, '|'); // "Armature|Walk"
    name = bar != NULL ? bar + 1 : name;
    if (!holds_word(name, word)) {
        return UINT32_MAX;
    }
    uint32_t result = (uint32_t)(strlen(name) - strlen(word));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        result += holds_word(name, others[i]) && !holds_word(word, others[i]) ? 1000 : 0;
    }
    return result;
}

static const lmb_clip *find_best(const character *character, const char *word) {
    const lmb_clip *best = NULL;
    uint32_t smallest = UINT32_MAX;
    for (uint32_t i = 0; i < character_clip_count(character); i++) {
        const lmb_clip *clip = character_clip(character, i);
        const uint32_t own = character_name_misfit(lmb_clip_get_info(clip)->name, word);
        if (own < smallest) {
            smallest = own;
            best = clip;
        }
    }
    return best;
}

const lmb_clip *character_find_clip(const character *character, const char *word) {
    static const char *const meanings[][5] = {
        {"idle", "stand", "survey", "wait"}, {"run", "jog", "sprint", "gallop"}, {"wave", "greet"}};
    const lmb_clip *found = find_best(character, word);
    for (size_t i = 0; found == NULL && i < sizeof meanings / sizeof *meanings; i++) {
        for (size_t k = 1; found == NULL && meanings[i][k] != NULL && strcmp(meanings[i][0], word) == 0; k++) {
            found = find_best(character, meanings[i][k]);
        }
    }
    return found;
}

const lmb_clip *character_clip_named(const character *character, const char *name) {
    for (uint32_t i = 0; i < character_clip_count(character); i++) {
        const lmb_clip *clip = character_clip(character, i);
        if (strcmp(lmb_clip_get_info(clip)->name, name) == 0) {
            return clip;
        }
    }
    return NULL;
}

void character_list_clips(const character *character, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "none");
    for (uint32_t i = 0; i < character_clip_count(character) && used < size; i++) {
        used = i > 0 ? used : 0;
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", i > 0 ? ", " : "",
                                 lmb_clip_get_info(character_clip(character, i))->name);
    }
}

static void add_base(character *character, const lmb_clip *clip) {
    uint32_t base = character->base_count++;
    character->bases[base] = clip;
    character->base_names[base] = lmb_clip_get_info(clip)->name;
}

// A graph under construction: its clips and nodes.
typedef struct recipe {
    const lmb_clip *clips[CHARACTER_BASES + 3];
    uint32_t clip_count;
    lmb_node_def nodes[16];
    uint32_t node_count;
} recipe;

static uint32_t add_node(recipe *recipe, lmb_node_def node) {
    recipe->nodes[recipe->node_count] = node;
    return recipe->node_count++;
}

static uint32_t add_clip(recipe *recipe, const lmb_clip *clip, uint32_t time_parameter) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.clip = lmb_constant((float)recipe->clip_count);
    node.time = lmb_parameter(time_parameter);
    node.loop = true;
    recipe->clips[recipe->clip_count++] = clip;
    return add_node(recipe, node);
}

static uint32_t add_pair(recipe *recipe, lmb_op op, uint32_t first, uint32_t second, lmb_value weight) {
    lmb_node_def node = lmb_default_node_def();
    node.op = op;
    node.inputs[0] = first;
    node.inputs[1] = second;
    node.input_count = 2;
    node.weight = weight;
    return add_node(recipe, node);
}

static uint32_t add_bases(recipe *recipe, const character *character) {
    if (character->base_count == 0) {
        return add_node(recipe, lmb_default_node_def());
    }
    lmb_node_def blend = lmb_default_node_def();
    blend.op = LMB_OP_WEIGHTED;
    blend.input_count = character->base_count;
    for (uint32_t i = 0; i < character->base_count; i++) {
        blend.inputs[i] = add_clip(recipe, character->bases[i], PARAMETER_BASE_TIME + i);
        blend.weights[i] = lmb_parameter(PARAMETER_BASE_WEIGHT + i);
    }
    return character->base_count > 1 ? add_node(recipe, blend) : blend.inputs[0];
}

// Adds an additive of a clip and the rest pose to the pose so far.
static uint32_t add_on_top(recipe *recipe, uint32_t pose, const lmb_clip *clip, uint32_t time, uint32_t weight) {
    uint32_t sample = add_clip(recipe, clip, time);
    uint32_t rest = add_node(recipe, lmb_default_node_def());
    uint32_t difference = add_pair(recipe, LMB_OP_MAKE_ADDITIVE, sample, rest, lmb_constant(1.0f));
    return add_pair(recipe, LMB_OP_ADDITIVE, pose, difference, lmb_parameter(weight));
}

static lmb_result create_program(character *character, lmb_error *error) {
    recipe recipe = {.clip_count = 0};
    uint32_t pose = add_bases(&recipe, character);
    if (character->wave != NULL) {
        uint32_t wave = add_clip(&recipe, character->wave, PARAMETER_WAVE_TIME);
        pose = add_node(&recipe, lmb_masked_node(pose, wave, 0, lmb_parameter(PARAMETER_WAVE_WEIGHT)));
        recipe.nodes[pose].weight.curve = LMB_CURVE_UNIFORM_S;
        pose = add_on_top(&recipe, pose, character->breath, PARAMETER_BREATH_TIME, PARAMETER_BREATH_WEIGHT);
        add_on_top(&recipe, pose, character->lean, PARAMETER_LEAN_TIME, PARAMETER_LEAN_WEIGHT);
    }
    const lmb_graph_def def = {.rig = character->rig,
                               .clips = recipe.clips,
                               .clip_count = recipe.clip_count,
                               .masks = &character->wave_mask,
                               .mask_count = character->wave_mask != NULL ? 1 : 0,
                               .nodes = recipe.nodes,
                               .node_count = recipe.node_count,
                               .parameter_count = PARAMETER_COUNT};
    return lmb_graph_create(&def, NULL, &character->graph, error);
}

// Returns whether a clip is a static pose that an exporter wrote with the animations: no track has a second key.
static bool holds_still(const lmb_clip *clip) {
    return lmb_clip_get_info(clip)->key_count == lmb_clip_get_info(clip)->track_count;
}

// Idle, walk and run, in this order.
static const char *const base_words[] = {"idle", "walk", "run"};

#define BASE_WORDS (sizeof base_words / sizeof *base_words)

// Stores the stated clip for each base, or NULL.
static lmb_result find_stated(const character_def *def, const character *character, const lmb_clip *clips[BASE_WORDS],
                              lmb_error *error) {
    for (uint32_t i = 0; i < def->clip_count; i++) {
        const char *stated = def->clips[i];
        const size_t length = strcspn(stated, "=");
        size_t base = 0;
        while (base < BASE_WORDS &&
               (strlen(base_words[base]) != length || memcmp(base_words[base], stated, length) != 0)) {
            base++;
        }
        if (base == BASE_WORDS || stated[length] != '=') {
            return viewer_fail(error, LMB_ERROR_ARGUMENT, "--clip %s: not idle=CLIP, walk=CLIP or run=CLIP", stated);
        }
        clips[base] = character_clip_named(character, stated + length + 1);
        if (clips[base] == NULL) {
            char listed[CHARACTER_LISTED];
            character_list_clips(character, listed, sizeof listed);
            return viewer_fail(error, LMB_ERROR_ARGUMENT, "--clip %s: the file's clips are %s", stated, listed);
        }
    }
    return LMB_OK;
}

static void add_moving(character *character) {
    const uint32_t count = character_clip_count(character);
    for (uint32_t i = 0; i < count && character->base_count < CHARACTER_BASES; i++) {
        if (!holds_still(character_clip(character, i))) {
            add_base(character, character_clip(character, i));
        }
    }
    if (character->base_count == 0 && count > 0) {
        add_base(character, character_clip(character, 0));
    }
}

static lmb_result add_bases_of_file(const character_def *def, character *character, lmb_error *error) {
    const lmb_clip *clips[BASE_WORDS] = {NULL};
    if (find_stated(def, character, clips, error)) {
        return error->result;
    }
    for (size_t i = 0; i < BASE_WORDS; i++) {
        const bool stated = clips[i] != NULL;
        const lmb_clip *clip = stated ? clips[i] : character_find_clip(character, base_words[i]);
        if (clip != NULL && (stated || !holds_still(clip))) {
            character->gait[character->base_count] = i > 0;
            add_base(character, clip);
        }
    }
    character->blends = character->base_count > 0;
    if (!character->blends) {
        add_moving(character);
    }
    return LMB_OK;
}

static lmb_result show_file(const character_def *def, character *character, lmb_error *error) {
    const lmb_import *import = character->file.import;
    for (uint32_t i = 0; import != NULL && i < lmb_import_get_content(import)->note_count; i++) {
        terminal_error("limber-viewer: %s: %s\n", character->name, lmb_import_get_content(import)->notes[i]);
    }
    character->level_count = 1;
    if (character->file.content.mesh_count == 0) {
        return viewer_fail(error, LMB_ERROR_UNSUPPORTED, "%s: there is no mesh to show", character->name);
    }
    return add_bases_of_file(def, character, error);
}

static void add_clips_of_mannequin(character *character) {
    add_base(character, mannequin_clip(character->file.mannequin, MANNEQUIN_IDLE));
    add_base(character, mannequin_clip(character->file.mannequin, MANNEQUIN_WALK));
    add_base(character, mannequin_clip(character->file.mannequin, MANNEQUIN_RUN));
    character->gait[1] = character->gait[2] = true;
    character->wave = mannequin_clip(character->file.mannequin, MANNEQUIN_WAVE);
    character->wave_mask = mannequin_upper_body_mask(character->file.mannequin);
    character->breath = mannequin_clip(character->file.mannequin, MANNEQUIN_BREATHE);
    character->lean = mannequin_clip(character->file.mannequin, MANNEQUIN_LEAN);
}

static lmb_result show_mannequin(const character_def *def, character *character, lmb_error *error) {
    character->plain = character->blends = true;
    if (character->file.clip_count > 0) {
        add_clips_of_mannequin(character);
    }
    for (uint32_t i = 0; i < CHARACTER_LEVELS; i++) {
        const mannequin_level *level = &mannequin_levels[i];
        if (def->tallest < level->pixels) {
            continue;
        }
        mannequin_skin **skin = &character->skins[character->level_count];
        if (mannequin_skin_create_of(character->file.mannequin, level->vertices, NULL, skin, error)) {
            return error->result;
        }
        character->level_pixels[character->level_count++] = level->pixels;
    }
    return LMB_OK;
}

// Creates a pose in one piece of memory: its joints, channels and name.
static lmb_result open_pose(const character *character, const char *text, lmb_static_pose_def *pose, lmb_error *error) {
    const uint32_t joint_count = lmb_rig_get_def(character->rig)->joint_count;
    const size_t channel_count = lmb_rig_get_def(character->rig)->channel_count;
    static_pose_text parts;
    if (static_pose_split(text, &parts, error)) {
        return error->result;
    }
    char *memory = calloc(1, joint_count * sizeof(lmb_transform) + channel_count * sizeof(float) + strlen(text) + 1);
    if (memory == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for a static pose");
    }
    lmb_transform *joints = (lmb_transform *)(void *)memory;
    float *channels = (float *)(joints + joint_count);
    char *name = (char *)(channels + channel_count);
    *pose = (lmb_static_pose_def){name, joints, joint_count, channels};
    memcpy(name, parts.clip, parts.clip_length);
    const lmb_clip *clip = character_clip_named(character, name);
    if (clip == NULL) {
        char listed[CHARACTER_LISTED];
        character_list_clips(character, listed, sizeof listed);
        return viewer_fail(error, LMB_ERROR_ARGUMENT, "the clips are %s", listed);
    }
    memset(name, 0, parts.clip_length);
    memcpy(name, text, parts.name_length);
    return static_pose_sample(character->rig, clip, parts.time, joints, channels, error);
}

static lmb_result open_poses(const character_def *def, character *character, lmb_error *error) {
    for (uint32_t i = 0; i < def->pose_count; i++) {
        lmb_error found = {0};
        lmb_static_pose_def *pose = &character->poses[character->pose_count++];
        const lmb_result result = open_pose(character, def->poses[i], pose, &found);
        if (result != LMB_OK) {
            return viewer_fail(error, result, "--pose %.80s: %.400s", def->poses[i], found.message);
        }
    }
    return LMB_OK;
}

lmb_result character_open(const character_def *def, character *character, lmb_error *error) {
    *character = (struct character){.name = def->import.paths[0]};
    lmb_result result = character_file_open(&def->import, &character->file, error);
    if (result == LMB_OK) {
        character->rig = character->file.rig;
        result = character->file.mannequin != NULL ? show_mannequin(def, character, error)
                                                   : show_file(def, character, error);
    }
    if (result == LMB_OK) {
        result = sources_open(&def->import, def->sources, def->source_count, &character->sources, error);
    }
    if (result == LMB_OK) {
        result = open_poses(def, character, error);
    }
    if (result == LMB_OK) {
        result = create_program(character, error);
    }
    if (result == LMB_OK) {
        result = character_measure(character, error);
    }
    if (result != LMB_OK) {
        character_close(character);
    }
    return result;
}

void character_close(character *character) {
    lmb_graph_destroy(character->graph);
    for (uint32_t i = 0; i < CHARACTER_LEVELS; i++) {
        mannequin_skin_destroy(character->skins[i]);
    }
    character_file_close(&character->file);
    sources_close(&character->sources);
    for (uint32_t i = 0; i < character->pose_count; i++) {
        free((void *)(uintptr_t)character->poses[i].joints);
    }
    *character = (struct character){0};
}

uint32_t character_clip_count(const character *character) {
    return character->file.clip_count;
}

const lmb_clip *character_clip(const character *character, uint32_t index) {
    return character->file.clips[index];
}

lmb_result character_read_graph(const character *character, const char *name, const char *text, size_t size,
                                lmb_graph_json **graph, lmb_error *error) {
    const lmb_graph_source source = {.text = text,
                                     .size = size,
                                     .name = name,
                                     .rig = character->rig,
                                     .clips = character->file.clips,
                                     .clip_count = character->file.clip_count,
                                     .static_poses = character->poses,
                                     .static_pose_count = character->pose_count,
                                     .characters = character->sources.named,
                                     .character_count = character->sources.count};
    return graph_text_read(&source, graph, NULL, error);
}

uint32_t character_mesh_count(const character *character, uint32_t level) {
    return character->file.mannequin == NULL ? character->file.content.mesh_count
                                             : mannequin_skin_mesh_count(character->skins[level]);
}

// Of the mannequin's own meshes and those of its face, which follow them, only eyes and mouth have none.
bool character_mesh_has_tint(const character *character, uint32_t mesh) {
    return character->file.mannequin == NULL || mesh < MANNEQUIN_TINTED_MESHES;
}

const lmb_mesh *character_mesh(const character *character, uint32_t level, uint32_t mesh) {
    return character->file.mannequin == NULL ? &character->file.content.meshes[mesh]
                                             : mannequin_skin_mesh(character->skins[level], mesh);
}

uint32_t character_image_count(const character *character) {
    return character->file.content.image_count;
}

const lmb_image *character_image(const character *character, uint32_t image) {
    return &character->file.content.images[image];
}
