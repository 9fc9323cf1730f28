#include "crowd.h"

#include "../host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The max nodes of a random program if the crowd does not say: few enough for a specialised kernel.
#define USUAL_NODES 16u

static lmb_result no_memory(lmb_error *error) {
    return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for the crowd");
}

static float draw_float(random_source *random, double low, double high) {
    return (float)random_between(random, low, high);
}

// Draws the weights of a mask: 0, 255, and everything between.
static void draw_mask(random_source *random, uint8_t *mask, uint32_t count) {
    static const uint8_t extremes[] = {0, 255};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t draw = random_below(random, 4);
        mask[i] = draw < 2 ? extremes[draw] : (uint8_t)random_below(random, 256);
    }
}

static void draw_masks(crowd *crowd, random_source *random) {
    size_t count = lmb_rig_joint_count(crowd->def.rig) + lmb_rig_channel_count(crowd->def.rig);
    for (uint32_t i = 0; i < RANDOM_PROGRAM_MASKS; i++) {
        uint8_t *mask = crowd->mask_bytes + i * count;
        draw_mask(random, mask, (uint32_t)count);
        crowd->masks[i] = mask;
    }
}

// Makes leaves under the same parent partners, two by two, in their order; every other joint is its own partner.
// `alone` has for each parent, and at the end for roots, a leaf that has no partner yet.
static void pair_leaves(const lmb_rig *rig, uint32_t *partners, uint32_t *alone) {
    uint32_t joint_count = lmb_rig_joint_count(rig);
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        partners[joint] = 0;
    }
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        uint32_t parent = lmb_rig_joint_parent(rig, joint);
        if (parent != LMB_NONE) {
            partners[parent] = LMB_NONE; // not a leaf
        }
    }
    for (uint32_t joint = 0; joint <= joint_count; joint++) {
        alone[joint] = LMB_NONE;
    }
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        uint32_t parent = lmb_rig_joint_parent(rig, joint);
        uint32_t *other = &alone[parent == LMB_NONE ? joint_count : parent];
        if (partners[joint] == LMB_NONE) {
            partners[joint] = joint;
        } else if (*other == LMB_NONE) {
            *other = partners[joint] = joint;
        } else {
            partners[joint] = *other;
            partners[*other] = joint;
            *other = LMB_NONE;
        }
    }
}

// Makes a channel and the one after it partners if both are angles or neither is. Every other pair changes its sign.
static void pair_channels(const lmb_rig *rig, uint32_t *partners, int8_t *signs) {
    uint32_t count = lmb_rig_channel_count(rig);
    for (uint32_t channel = 0; channel < count; channel++) {
        partners[channel] = channel;
        signs[channel] = channel % 4 < 2 ? -1 : 1;
        uint32_t before = channel - 1;
        if (channel % 2 == 1 && lmb_rig_channel_is_angle(rig, channel) == lmb_rig_channel_is_angle(rig, before)) {
            partners[channel] = before;
            partners[before] = channel;
        }
    }
}

// Adds one mirror across each plane.
static void add_mirrors(crowd *crowd) {
    size_t joint_count = lmb_rig_joint_count(crowd->def.rig);
    uint32_t *channel_partners = crowd->partners + 2 * joint_count + 1;
    pair_channels(crowd->def.rig, channel_partners, crowd->channel_signs);
    pair_leaves(crowd->def.rig, crowd->partners, crowd->partners + joint_count);
    for (uint32_t i = 0; i < RANDOM_PROGRAM_MIRRORS; i++) {
        crowd->mirrors[i] = (lmb_mirror_def){.axis = (lmb_axis)(i % LMB_AXIS_COUNT),
                                             .partners = crowd->partners,
                                             .channel_partners = channel_partners,
                                             .channel_signs = crowd->channel_signs};
    }
}

static void draw_range(random_source *random, double middle, double reach, float *min, float *max) {
    *min = draw_float(random, middle - reach, middle);
    *max = draw_float(random, middle, middle + reach);
}

// Draws limits of every kind, around the rest pose. One joint in four has none.
static lmb_joint_limit_def draw_limit(random_source *random) {
    static const uint32_t rotations[] = {0, LMB_JOINT_LIMIT_TWIST, LMB_JOINT_LIMIT_SWING,
                                         LMB_JOINT_LIMIT_TWIST | LMB_JOINT_LIMIT_SWING, LMB_JOINT_LIMIT_ANGLES};
    lmb_joint_limit_def limit = lmb_default_joint_limit_def();
    if (random_below(random, 4) == 0) {
        return limit;
    }
    limit.set = rotations[random_below(random, 5)];
    limit.set |= random_below(random, 2) == 0 ? LMB_JOINT_LIMIT_TRANSLATION : 0;
    limit.set |= random_below(random, 2) == 0 ? LMB_JOINT_LIMIT_SCALE : 0;
    limit.twist_axis = (lmb_axis)random_below(random, LMB_AXIS_COUNT);
    draw_range(random, random_between(random, -60.0, 60.0), 90.0, &limit.twist_min, &limit.twist_max);
    limit.swing = draw_float(random, 0.0, 90.0);
    for (int i = 0; i < 3; i++) {
        draw_range(random, 0.0, 0.4, &limit.translation_min[i], &limit.translation_max[i]);
        draw_range(random, 1.0, 0.4, &limit.scale_min[i], &limit.scale_max[i]);
        draw_range(random, 0.0, 90.0, &limit.angle_min[i], &limit.angle_max[i]);
    }
    return limit;
}

// Draws a channel's range. One channel in four has no limit.
static lmb_channel_range draw_channel_range(random_source *random, bool angle) {
    lmb_channel_range range = lmb_default_channel_range();
    if (random_below(random, 4) != 0) {
        double reach = angle ? 100.0 : 1.0;
        draw_range(random, random_between(random, -reach, reach), reach, &range.min, &range.max);
    }
    return range;
}

static void draw_limits(crowd *crowd, random_source *random) {
    size_t joint_count = lmb_rig_joint_count(crowd->def.rig), channels = lmb_rig_channel_count(crowd->def.rig);
    for (size_t i = 0; i < RANDOM_PROGRAM_LIMITS * joint_count; i++) {
        crowd->joint_limits[i] = draw_limit(random);
    }
    for (uint32_t i = 0; i < RANDOM_PROGRAM_LIMITS; i++) {
        crowd->limits[i] = crowd->joint_limits + i * joint_count;
        crowd->channel_ranges[i] = crowd->ranges + i * channels;
    }
    for (size_t i = 0; i < RANDOM_PROGRAM_LIMITS * channels; i++) {
        crowd->ranges[i] =
            draw_channel_range(random, lmb_rig_channel_is_angle(crowd->def.rig, (uint32_t)(i % channels)));
    }
}

// Draws joint maps onto the rig's own joints, so that any clip and pose buffer may be in them. Half of the joints are
// not mapped.
static void draw_parts(crowd *crowd, random_source *random) {
    uint32_t joint_count = lmb_rig_joint_count(crowd->def.rig);
    for (size_t i = 0; i < RANDOM_PROGRAM_PARTS * (size_t)joint_count; i++) {
        crowd->part_joints[i] = random_below(random, 2) == 0 ? LMB_NONE : random_below(random, joint_count);
    }
    for (uint32_t i = 0; i < RANDOM_PROGRAM_PARTS; i++) {
        crowd->joint_maps[i] = (lmb_joint_map_def){crowd->part_joints + i * (size_t)joint_count, joint_count};
    }
}

static lmb_transform draw_transform(random_source *random) {
    lmb_transform drawn = lmb_transform_identity();
    double turn = random_between(random, 0.0, 6.28318530717958648), tilt = random_between(random, 0.0, 1.57);
    drawn.rotation[0] = (float)(sin(turn) * cos(tilt));
    drawn.rotation[2] = (float)(sin(turn) * sin(tilt));
    drawn.rotation[3] = (float)cos(turn);
    for (int i = 0; i < 3; i++) {
        drawn.translation[i] = draw_float(random, -1.0, 1.0);
        drawn.scale[i] = draw_float(random, 0.5, 2.0);
    }
    return drawn;
}

static void draw_static_poses(crowd *crowd, random_source *random) {
    static const char *const names[RANDOM_PROGRAM_STATIC_POSES] = {"first", "second"};
    uint32_t joint_count = lmb_rig_joint_count(crowd->def.rig);
    uint32_t channels = lmb_rig_channel_count(crowd->def.rig);
    for (uint32_t i = 0; i < channels; i++) {
        crowd->static_channels[i] = draw_float(random, -400.0, 400.0);
    }
    for (size_t i = 0; i < RANDOM_PROGRAM_STATIC_POSES * (size_t)joint_count; i++) {
        crowd->static_joints[i] = draw_transform(random);
    }
    for (uint32_t i = 0; i < RANDOM_PROGRAM_STATIC_POSES; i++) {
        crowd->static_poses[i] = (lmb_static_pose_def){names[i], crowd->static_joints + i * (size_t)joint_count,
                                                       joint_count, i == 0 ? NULL : crowd->static_channels};
    }
}

// Returns whether the program has levels of detail, as one in three has.
static bool has_levels(const crowd *crowd) {
    return crowd->def.program % 3 == 1;
}

// Half of the joints are dropped at the same level as their parent, the others at any level up to that.
static void draw_levels(crowd *crowd, random_source *random, lmb_graph_def *def) {
    uint32_t joint_count = lmb_rig_joint_count(crowd->def.rig);
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        uint32_t parent = lmb_rig_joint_parent(crowd->def.rig, joint);
        uint32_t most = parent == LMB_NONE ? LMB_MAX_LODS - 1 : crowd->max_lods[parent];
        bool keeps = parent == LMB_NONE || random_below(random, 2) == 0;
        crowd->max_lods[joint] = (uint8_t)(keeps ? most : random_below(random, most + 1));
    }
    crowd->random->parameters[crowd->random->parameter_count] = PARAMETER_LEVEL;
    def->lod = lmb_parameter(crowd->random->parameter_count++);
    def->max_lods = crowd->max_lods;
    def->parameter_count = crowd->random->parameter_count;
}

lmb_result crowd_compile(crowd *crowd, const lmb_graph_def *def, lmb_error *error) {
    lmb_graph *program = NULL;
    lmb_result result = lmb_graph_create(def, NULL, &program, error);
    if (result == LMB_OK) {
        lmb_graph_destroy(crowd->program);
        crowd->program = program;
        crowd->program_def = *def;
    }
    return result;
}

// Allocates what a random program points to.
static bool allocate(crowd *crowd) {
    const size_t joint_count = lmb_rig_joint_count(crowd->def.rig), channels = lmb_rig_channel_count(crowd->def.rig);
    crowd->random = malloc(sizeof *crowd->random);
    crowd->masks = malloc(RANDOM_PROGRAM_MASKS * sizeof *crowd->masks);
    crowd->mask_bytes = malloc(RANDOM_PROGRAM_MASKS * (joint_count + channels) + 1);
    crowd->partners = malloc((2 * joint_count + 1 + channels) * sizeof *crowd->partners);
    crowd->channel_signs = malloc(channels + 1);
    crowd->joint_limits = malloc((RANDOM_PROGRAM_LIMITS * joint_count + 1) * sizeof *crowd->joint_limits);
    crowd->ranges = malloc((RANDOM_PROGRAM_LIMITS * channels + 1) * sizeof *crowd->ranges);
    crowd->part_joints = malloc((RANDOM_PROGRAM_PARTS * joint_count + 1) * sizeof *crowd->part_joints);
    crowd->static_joints = malloc((RANDOM_PROGRAM_STATIC_POSES * joint_count + 1) * sizeof *crowd->static_joints);
    crowd->static_channels = malloc((channels + 1) * sizeof *crowd->static_channels);
    crowd->max_lods = malloc(joint_count + 1);
    return crowd->random != NULL && crowd->masks != NULL && crowd->mask_bytes != NULL && crowd->partners != NULL &&
           crowd->channel_signs != NULL && crowd->joint_limits != NULL && crowd->ranges != NULL &&
           crowd->part_joints != NULL && crowd->static_joints != NULL && crowd->static_channels != NULL &&
           crowd->max_lods != NULL;
}

static lmb_result create_random_program(crowd *crowd, lmb_error *error) {
    random_source random = random_branch(crowd->def.seed, crowd->def.program);
    if (!allocate(crowd)) {
        return no_memory(error);
    }
    if (crowd->def.program == 0) {
        random_program_hold_all(crowd->random, &random, crowd->def.clip_count);
    } else {
        uint32_t most = crowd->def.most_nodes == 0 ? USUAL_NODES : crowd->def.most_nodes;
        random_program_grow(crowd->random, &random, crowd->def.clip_count, most);
    }
    draw_masks(crowd, &random);
    add_mirrors(crowd);
    draw_limits(crowd, &random);
    draw_parts(crowd, &random);
    draw_static_poses(crowd, &random);
    lmb_graph_def def = {.rig = crowd->def.rig,
                         .clips = crowd->def.clips,
                         .clip_count = crowd->def.clip_count,
                         .masks = crowd->masks,
                         .mask_count = RANDOM_PROGRAM_MASKS,
                         .nodes = crowd->random->nodes,
                         .node_count = crowd->random->node_count,
                         .parameter_count = crowd->random->parameter_count,
                         .mirrors = crowd->mirrors,
                         .mirror_count = RANDOM_PROGRAM_MIRRORS,
                         .joint_limits = crowd->limits,
                         .joint_limits_count = RANDOM_PROGRAM_LIMITS,
                         .channel_ranges = crowd->channel_ranges,
                         .joint_maps = crowd->joint_maps,
                         .joint_map_count = RANDOM_PROGRAM_PARTS,
                         .static_poses = crowd->static_poses,
                         .static_pose_count = RANDOM_PROGRAM_STATIC_POSES};
    if (has_levels(crowd)) {
        draw_levels(crowd, &random, &def);
    }
    return crowd_compile(crowd, &def, error);
}

static lmb_result create_inputs(crowd *crowd, lmb_error *error) {
    size_t characters = crowd->def.character_count;
    crowd->parameters = calloc(characters * lmb_graph_parameter_count(crowd->program) + 1, sizeof(float));
    if (crowd->parameters == NULL) {
        return no_memory(error);
    }
    for (uint32_t i = 0; i < lmb_graph_pose_count(crowd->program); i++) {
        size_t floats = lmb_graph_pose_floats(crowd->program, i);
        crowd->poses[i] = calloc(characters * floats + 1, sizeof(float));
        if (crowd->poses[i] == NULL) {
            return no_memory(error);
        }
    }
    return LMB_OK;
}

lmb_result crowd_create(const crowd_def *def, crowd *crowd, lmb_error *error) {
    *crowd = (struct crowd){.def = *def};
    for (uint32_t i = 0; i < def->clip_count; i++) {
        crowd->longest = fmaxf(crowd->longest, lmb_clip_duration(def->clips[i]));
    }
    lmb_result result =
        def->given != NULL ? crowd_compile(crowd, def->given, error) : create_random_program(crowd, error);
    const lmb_batch batch = crowd_batch(crowd, LMB_OUTPUT_PALETTE);
    if (result == LMB_OK) {
        result = lmb_batch_check(&batch, error);
    }
    if (result == LMB_OK) {
        result = create_inputs(crowd, error);
    }
    if (result != LMB_OK) {
        crowd_destroy(crowd);
    }
    return result;
}

void crowd_destroy(crowd *crowd) {
    lmb_graph_destroy(crowd->program);
    free(crowd->random);
    free(crowd->masks);
    free(crowd->mask_bytes);
    free(crowd->partners);
    free(crowd->channel_signs);
    free(crowd->joint_limits);
    free(crowd->part_joints);
    free(crowd->static_joints);
    free(crowd->static_channels);
    free(crowd->ranges);
    free(crowd->max_lods);
    free(crowd->parameters);
    for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
        free(crowd->poses[i]);
    }
    *crowd = (struct crowd){0};
}

lmb_batch crowd_batch(const crowd *crowd, uint32_t outputs) {
    return (lmb_batch){.graph = crowd->program,
                       .character_count = crowd->def.character_count,
                       .outputs = outputs & lmb_graph_outputs(crowd->program)};
}

static bool draw_refused(random_source *random, const crowd *crowd) {
    return crowd->def.one_in != 0 && random_below(random, crowd->def.one_in) == 0;
}

static float draw_not_finite(random_source *random) {
    static const float values[] = {NAN, INFINITY, -INFINITY};
    return values[random_below(random, 3)];
}

static float draw_clip(random_source *random, const crowd *crowd) {
    float count = (float)crowd->def.clip_count;
    if (draw_refused(random, crowd)) {
        const float values[] = {-1.0f, count, NAN, 1e30f};
        return values[random_below(random, 4)];
    }
    return draw_float(random, 0.0, count); // rounded down by the program
}

static float draw_time(random_source *random, const crowd *crowd) {
    if (draw_refused(random, crowd)) {
        return draw_not_finite(random);
    }
    switch (random_below(random, 8)) {
    case 0:
        return 0.0f;
    case 1:
        return crowd->longest;
    case 2:
        return draw_float(random, -3600.0, 3600.0);
    default:
        return draw_float(random, -0.25, 1.25) * crowd->longest;
    }
}

// Draws weights of blends inside and outside [0, 1], and those of weighted operations up to 4.
static float draw_parameter_weight(random_source *random, const crowd *crowd, float largest) {
    if (draw_refused(random, crowd)) {
        return NAN;
    }
    switch (random_below(random, 6)) {
    case 0:
        return 0.0f;
    case 1:
        return 1.0f;
    default:
        return draw_float(random, -0.125, largest);
    }
}

static float draw_rate(random_source *random, const crowd *crowd) {
    return draw_refused(random, crowd) ? draw_not_finite(random) : draw_float(random, -2.0, 3.0);
}

// Draws levels, some of them invalid, for each character or for 24 characters in a row.
static float draw_level(random_source *random, const crowd *crowd, size_t character) {
    if (draw_refused(random, crowd)) {
        return draw_not_finite(random);
    }
    if (crowd->def.program % 2 == 0) {
        return (float)(character / 24 % (LMB_MAX_LODS + 1)) - 0.25f;
    }
    return draw_float(random, -1.0, LMB_MAX_LODS + 1.0);
}

// Often draws one of the ends.
static float draw_in_range(random_source *random, const crowd *crowd, uint32_t parameter) {
    if (draw_refused(random, crowd)) {
        return draw_not_finite(random);
    }
    const lmb_graph_parameter range = lmb_graph_parameter_at(crowd->program, parameter);
    switch (random_below(random, 8)) {
    case 0:
        return range.min;
    case 1:
        return range.max;
    default:
        return draw_float(random, (double)range.min, (double)range.max);
    }
}

static float draw_parameter(random_source *random, const crowd *crowd, size_t character, uint32_t parameter) {
    switch (crowd->def.given != NULL ? PARAMETER_RANGE : crowd->random->parameters[parameter]) {
    case PARAMETER_CLIP:
        return draw_clip(random, crowd);
    case PARAMETER_TIME:
        return draw_time(random, crowd);
    case PARAMETER_WEIGHT:
        return draw_parameter_weight(random, crowd, 1.125f);
    case PARAMETER_SHARE:
        return draw_parameter_weight(random, crowd, 4.0f);
    case PARAMETER_RATE:
        return draw_rate(random, crowd);
    case PARAMETER_LEVEL:
        return draw_level(random, crowd, character);
    case PARAMETER_RANGE:
        return draw_in_range(random, crowd, parameter);
    }
    return 0.0f;
}

// Draws a character of a pose buffer: the rest pose with each component disturbed. If the buffer has other joints than
// the rig, it repeats the rig's joints.
static void draw_pose(random_source *random, const crowd *crowd, uint32_t buffer, float *pose) {
    uint32_t rig_joints = lmb_rig_joint_count(crowd->def.rig);
    uint32_t joint_count = lmb_graph_pose_joint_count(crowd->program, buffer);
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        lmb_transform rest =
            rig_joints == 0 ? lmb_transform_identity() : lmb_rig_joint_rest(crowd->def.rig, joint % rig_joints);
        float components[LMB_POSE_COMPONENTS];
        memcpy(components, &rest, sizeof components);
        for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
            components[i] += draw_float(random, -0.5, 0.5);
        }
        if (draw_refused(random, crowd)) {
            components[random_below(random, LMB_POSE_COMPONENTS)] = draw_not_finite(random);
        }
        for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
            pose[(size_t)i * joint_count + joint] = components[i];
        }
    }
    float *channels = pose + (size_t)LMB_POSE_COMPONENTS * joint_count;
    uint32_t channel_count = lmb_graph_pose_floats(crowd->program, buffer) - LMB_POSE_COMPONENTS * joint_count;
    for (uint32_t i = 0; i < channel_count; i++) {
        double reach = lmb_rig_channel_is_angle(crowd->def.rig, i) ? 400.0 : 1.0; // more than a whole turn
        channels[i] = lmb_rig_channel_rest(crowd->def.rig, i) + draw_float(random, -reach, reach);
        channels[i] = draw_refused(random, crowd) ? draw_not_finite(random) : channels[i];
    }
}

void crowd_draw(crowd *crowd, uint32_t frame) {
    random_source random = random_branch(crowd->def.seed + crowd->def.program, 0x100000000u + frame);
    uint32_t parameter_count = lmb_graph_parameter_count(crowd->program);
    uint32_t pose_count = lmb_graph_pose_count(crowd->program);
    for (size_t character = 0; character < crowd->def.character_count; character++) {
        float *parameters = crowd->parameters + character * parameter_count;
        for (uint32_t i = 0; i < parameter_count; i++) {
            parameters[i] = draw_parameter(&random, crowd, character, i);
        }
        for (uint32_t i = 0; i < pose_count; i++) {
            draw_pose(&random, crowd, i, crowd->poses[i] + character * lmb_graph_pose_floats(crowd->program, i));
        }
    }
}

lmb_batch_inputs crowd_inputs(const crowd *crowd) {
    lmb_batch_inputs inputs = {.parameters = crowd->parameters};
    for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
        inputs.poses[i] = crowd->poses[i];
    }
    return inputs;
}
