// First everything that a random graph refers to is drawn (masks, mirrors, joint limits, joint maps, retargets, static
// poses, levels of detail), then the graph is created. For each frame the inputs of all characters are drawn. Edges are
// likely: exact ends of ranges, values outside, and, if refusals are desired, NaN and infinity.
//
// Every draw comes from one sequence for the graph and one for each frame. So any frame can be drawn again alone.
#include "crowd.h"

#include "base/host.h"

#include <math.h>
#include <string.h>

// The max nodes of a random program if the crowd does not say: few enough for a specialised kernel.
#define USUAL_NODES 16u

static lmb_result no_memory(lmb_error *error) {
    return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for the crowd");
}

static float draw_float(random_source *random, double low, double high) {
    return (float)random_between(random, low, high);
}

// ---- What a random program points to.

// Draws the weights of masks: 0, 255, and everything between.
static void draw_masks(crowd *crowd, random_source *random, lmb_graph_def *def) {
    static const uint8_t extremes[] = {0, 255};
    const size_t count = lmb_rig_get_def(def->rig)->joint_count + lmb_rig_get_def(def->rig)->channel_count;
    const uint8_t **masks = lmb_arena_allocate(&crowd->pool, RANDOM_PROGRAM_MASKS, sizeof *masks);
    uint8_t *weights = lmb_arena_allocate(&crowd->pool, RANDOM_PROGRAM_MASKS * count, sizeof *weights);
    for (size_t i = 0; weights != NULL && i < RANDOM_PROGRAM_MASKS * count; i++) {
        const uint32_t draw = random_below(random, 4);
        weights[i] = draw < 2 ? extremes[draw] : (uint8_t)random_below(random, 256);
    }
    for (uint32_t i = 0; masks != NULL && weights != NULL && i < RANDOM_PROGRAM_MASKS; i++) {
        masks[i] = weights + i * count;
    }
    def->masks = masks;
    def->mask_count = RANDOM_PROGRAM_MASKS;
}

// Makes leaves under the same parent partners, two by two, in their order; every other joint is its own partner.
// `alone` has for each parent, and at the end for roots, a leaf that has no partner yet.
static void pair_leaves(const lmb_rig *rig, uint32_t *partners, uint32_t *alone) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    uint32_t joint_count = rig_def->joint_count;
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        partners[joint] = 0;
    }
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        uint32_t parent = rig_def->joints[joint].parent;
        if (parent != LMB_NONE) {
            partners[parent] = LMB_NONE; // not a leaf
        }
    }
    for (uint32_t joint = 0; joint <= joint_count; joint++) {
        alone[joint] = LMB_NONE;
    }
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        uint32_t parent = rig_def->joints[joint].parent;
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
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    uint32_t count = rig_def->channel_count;
    for (uint32_t channel = 0; channel < count; channel++) {
        partners[channel] = channel;
        signs[channel] = channel % 4 < 2 ? -1 : 1;
        uint32_t before = channel - 1;
        if (channel % 2 == 1 && rig_def->channels[channel].angle == rig_def->channels[before].angle) {
            partners[channel] = before;
            partners[before] = channel;
        }
    }
}

// Adds one mirror across each plane.
static void add_mirrors(crowd *crowd, lmb_graph_def *def) {
    const uint32_t joint_count = lmb_rig_get_def(def->rig)->joint_count,
                   channels = lmb_rig_get_def(def->rig)->channel_count;
    lmb_mirror_def *mirrors = lmb_arena_allocate(&crowd->pool, RANDOM_PROGRAM_MIRRORS, sizeof *mirrors);
    uint32_t *partners = lmb_arena_allocate(&crowd->pool, joint_count, sizeof *partners);
    uint32_t *alone = lmb_arena_allocate(&crowd->pool, joint_count + 1, sizeof *alone);
    uint32_t *channel_partners = lmb_arena_allocate(&crowd->pool, channels, sizeof *channel_partners);
    int8_t *channel_signs = lmb_arena_allocate(&crowd->pool, channels, sizeof *channel_signs);
    if (crowd->pool.failed) {
        return;
    }
    pair_channels(def->rig, channel_partners, channel_signs);
    pair_leaves(def->rig, partners, alone);
    for (uint32_t i = 0; i < RANDOM_PROGRAM_MIRRORS; i++) {
        mirrors[i] = (lmb_mirror_def){.axis = (lmb_axis)(i % LMB_AXIS_COUNT),
                                      .partners = partners,
                                      .channel_partners = channel_partners,
                                      .channel_signs = channel_signs};
    }
    def->mirrors = mirrors;
    def->mirror_count = RANDOM_PROGRAM_MIRRORS;
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

static void draw_limits(crowd *crowd, random_source *random, lmb_graph_def *def) {
    const size_t joint_count = lmb_rig_get_def(def->rig)->joint_count,
                 channels = lmb_rig_get_def(def->rig)->channel_count;
    const lmb_joint_limit_def **limits = lmb_arena_allocate(&crowd->pool, RANDOM_PROGRAM_LIMITS, sizeof *limits);
    const lmb_channel_range **ranges = lmb_arena_allocate(&crowd->pool, RANDOM_PROGRAM_LIMITS, sizeof *ranges);
    lmb_joint_limit_def *limit = lmb_arena_allocate(&crowd->pool, RANDOM_PROGRAM_LIMITS * joint_count, sizeof *limit);
    lmb_channel_range *range = lmb_arena_allocate(&crowd->pool, RANDOM_PROGRAM_LIMITS * channels, sizeof *range);
    if (crowd->pool.failed) {
        return;
    }
    for (size_t i = 0; i < RANDOM_PROGRAM_LIMITS * joint_count; i++) {
        limit[i] = draw_limit(random);
    }
    for (size_t i = 0; i < RANDOM_PROGRAM_LIMITS * channels; i++) {
        range[i] = draw_channel_range(random, lmb_rig_get_def(def->rig)->channels[(uint32_t)(i % channels)].angle);
    }
    for (uint32_t i = 0; i < RANDOM_PROGRAM_LIMITS; i++) {
        limits[i] = limit + i * joint_count;
        ranges[i] = range + i * channels;
    }
    def->joint_limits = limits;
    def->joint_limits_count = RANDOM_PROGRAM_LIMITS;
    def->channel_ranges = ranges;
}

// Draws joint maps onto the rig's own joints, so that any clip and pose buffer may be in them. Half of the joints are
// not mapped.
static void draw_joint_maps(crowd *crowd, random_source *random, lmb_graph_def *def) {
    const uint32_t joint_count = lmb_rig_get_def(def->rig)->joint_count;
    lmb_joint_map_def *maps = lmb_arena_allocate(&crowd->pool, RANDOM_PROGRAM_JOINT_MAPS, sizeof *maps);
    uint32_t *joints =
        lmb_arena_allocate(&crowd->pool, RANDOM_PROGRAM_JOINT_MAPS * (size_t)joint_count, sizeof *joints);
    for (size_t i = 0; joints != NULL && i < RANDOM_PROGRAM_JOINT_MAPS * (size_t)joint_count; i++) {
        joints[i] = random_below(random, 2) == 0 ? LMB_NONE : random_below(random, joint_count);
    }
    for (uint32_t i = 0; maps != NULL && joints != NULL && i < RANDOM_PROGRAM_JOINT_MAPS; i++) {
        maps[i] = (lmb_joint_map_def){joints + i * (size_t)joint_count, joint_count};
    }
    def->joint_maps = maps;
    def->joint_map_count = RANDOM_PROGRAM_JOINT_MAPS;
}

// Draws retargets from the rig itself, for the same reason: a joint takes the motion of any other. Returns them.
static lmb_retarget_def *draw_retargets(crowd *crowd, random_source *random, lmb_graph_def *def) {
    const uint32_t joint_count = lmb_rig_get_def(def->rig)->joint_count;
    lmb_retarget_def *retargets = lmb_arena_allocate(&crowd->pool, RANDOM_PROGRAM_RETARGETS, sizeof *retargets);
    uint32_t *joints = lmb_arena_allocate(&crowd->pool, RANDOM_PROGRAM_RETARGETS * (size_t)joint_count, sizeof *joints);
    for (size_t i = 0; joints != NULL && i < RANDOM_PROGRAM_RETARGETS * (size_t)joint_count; i++) {
        joints[i] = random_below(random, 4) == 0 ? LMB_NONE : random_below(random, joint_count);
    }
    for (uint32_t i = 0; retargets != NULL && joints != NULL && i < RANDOM_PROGRAM_RETARGETS; i++) {
        retargets[i] = lmb_retarget_of(def->rig, joints + i * (size_t)joint_count);
        retargets[i].align_above = i == 0 ? 4.0f : 0.5f;
    }
    def->retargets = retargets;
    def->retarget_count = RANDOM_PROGRAM_RETARGETS;
    return retargets;
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

// The first pose has no channels.
static void draw_static_poses(crowd *crowd, random_source *random, lmb_graph_def *def) {
    static const char *const names[RANDOM_PROGRAM_STATIC_POSES] = {"first", "second"};
    const uint32_t joint_count = lmb_rig_get_def(def->rig)->joint_count,
                   channel_count = lmb_rig_get_def(def->rig)->channel_count;
    lmb_static_pose_def *poses = lmb_arena_allocate(&crowd->pool, RANDOM_PROGRAM_STATIC_POSES, sizeof *poses);
    float *channels = lmb_arena_allocate(&crowd->pool, channel_count, sizeof *channels);
    lmb_transform *joints =
        lmb_arena_allocate(&crowd->pool, RANDOM_PROGRAM_STATIC_POSES * (size_t)joint_count, sizeof *joints);
    if (crowd->pool.failed) {
        return;
    }
    for (uint32_t i = 0; i < channel_count; i++) {
        channels[i] = draw_float(random, -400.0, 400.0);
    }
    for (size_t i = 0; i < RANDOM_PROGRAM_STATIC_POSES * (size_t)joint_count; i++) {
        joints[i] = draw_transform(random);
    }
    for (uint32_t i = 0; i < RANDOM_PROGRAM_STATIC_POSES; i++) {
        poses[i] =
            (lmb_static_pose_def){names[i], joints + i * (size_t)joint_count, joint_count, i == 0 ? NULL : channels};
    }
    def->static_poses = poses;
    def->static_pose_count = RANDOM_PROGRAM_STATIC_POSES;
}

// Half of the joints are dropped at the same level as their parent, the others at any level up to that.
static void draw_levels(crowd *crowd, random_source *random, lmb_graph_def *def) {
    const uint32_t joint_count = lmb_rig_get_def(def->rig)->joint_count;
    uint8_t *max_lods = lmb_arena_allocate(&crowd->pool, joint_count, sizeof *max_lods);
    for (uint32_t joint = 0; max_lods != NULL && joint < joint_count; joint++) {
        const uint32_t parent = lmb_rig_get_def(def->rig)->joints[joint].parent;
        const uint32_t most = parent == LMB_NONE ? LMB_MAX_LODS - 1 : max_lods[parent];
        const bool keeps = parent == LMB_NONE || random_below(random, 2) == 0;
        max_lods[joint] = (uint8_t)(keeps ? most : random_below(random, most + 1));
    }
    crowd->random->parameters[crowd->random->parameter_count] = PARAMETER_LEVEL;
    def->lod = lmb_parameter(crowd->random->parameter_count++);
    def->max_lods = max_lods;
}

// ---- The crowd.

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

static lmb_result create_random_program(crowd *crowd, lmb_error *error) {
    random_source random = random_branch(crowd->def.seed, crowd->def.program);
    random_program *program = crowd->random = lmb_arena_allocate(&crowd->pool, 1, sizeof *program);
    lmb_graph_def def = {.rig = crowd->def.rig, .clips = crowd->def.clips, .clip_count = crowd->def.clip_count};
    if (program == NULL) {
        return no_memory(error);
    }
    if (crowd->def.program == 0) {
        random_program_hold_all(program, &random, crowd->def.rig, crowd->def.clip_count);
    } else {
        uint32_t most = crowd->def.most_nodes == 0 ? USUAL_NODES : crowd->def.most_nodes;
        random_program_grow(program, &random, crowd->def.rig, crowd->def.clip_count, most);
    }
    draw_masks(crowd, &random, &def);
    add_mirrors(crowd, &def);
    draw_limits(crowd, &random, &def);
    draw_joint_maps(crowd, &random, &def);
    lmb_retarget_def *retargets = draw_retargets(crowd, &random, &def);
    draw_static_poses(crowd, &random, &def);
    if (!crowd->pool.failed) { // one has other reference poses than those at rest
        retargets[1].source_pose = def.static_poses[1].joints;
        retargets[1].target_pose = def.static_poses[0].joints;
    }
    if (crowd->def.program % 3 == 1) {
        draw_levels(crowd, &random, &def);
    }
    def.curves = program->curves.defs;
    def.curve_count = RANDOM_CURVES;
    def.nodes = program->nodes;
    def.node_count = program->node_count;
    def.parameter_count = program->parameter_count;
    return crowd->pool.failed ? no_memory(error) : crowd_compile(crowd, &def, error);
}

static lmb_result create_inputs(crowd *crowd, lmb_error *error) {
    const size_t characters = crowd->def.character_count;
    const size_t parameters = lmb_graph_get_info(crowd->program)->parameter_count;
    crowd->parameters = lmb_arena_allocate(&crowd->pool, characters * parameters, sizeof(float));
    for (uint32_t i = 0; i < lmb_graph_get_info(crowd->program)->pose_count; i++) {
        crowd->poses[i] =
            lmb_arena_allocate(&crowd->pool, characters * lmb_graph_pose_floats(crowd->program, i), sizeof(float));
    }
    crowd->points = lmb_arena_allocate(&crowd->pool, characters * lmb_graph_get_info(crowd->program)->point_count * 4,
                                       sizeof(float));
    crowd->transforms = lmb_arena_allocate(&crowd->pool, characters * LMB_MATRIX_COMPONENTS, sizeof(float));
    return crowd->pool.failed ? no_memory(error) : LMB_OK;
}

lmb_result crowd_create(const crowd_def *def, crowd *crowd, lmb_error *error) {
    *crowd = (struct crowd){.def = *def};
    for (uint32_t i = 0; i < def->clip_count; i++) {
        crowd->longest = fmaxf(crowd->longest, lmb_clip_get_info(def->clips[i])->duration);
    }
    lmb_result result =
        def->given != NULL ? crowd_compile(crowd, def->given, error) : create_random_program(crowd, error);
    const lmb_batch_def batch = crowd_batch(crowd, LMB_OUTPUT_PALETTE_BIT);
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
    lmb_arena_release(&crowd->pool);
    *crowd = (struct crowd){0};
}

lmb_batch_def crowd_batch(const crowd *crowd, uint32_t outputs) {
    return (lmb_batch_def){.graph = crowd->program,
                           .character_count = crowd->def.character_count,
                           .outputs = outputs & lmb_graph_get_info(crowd->program)->outputs};
}

static bool draw_refused(random_source *random, const crowd *crowd) {
    return crowd->def.one_in != 0 && random_below(random, crowd->def.one_in) == 0;
}

static float draw_not_finite(random_source *random) {
    static const float values[] = {NAN, INFINITY, -INFINITY};
    return values[random_below(random, 3)];
}

// Draws a value that must be refused.
static float draw_invalid(random_source *random, const crowd *crowd, parameter_kind kind) {
    const float clips[] = {-1.0f, (float)crowd->def.clip_count, NAN, 1e30f};
    switch (kind) {
    case PARAMETER_CLIP:
        return clips[random_below(random, 4)];
    case PARAMETER_WEIGHT:
    case PARAMETER_SHARE:
        return NAN;
    default:
        return draw_not_finite(random);
    }
}

// Draws each of two values once in `one_in` times, and otherwise one of a range.
static float draw_or_end(random_source *random, uint32_t one_in, float first, float second, double low, double high) {
    const uint32_t draw = random_below(random, one_in);
    return draw == 0 ? first : draw == 1 ? second : draw_float(random, low, high);
}

static float draw_time(random_source *random, const crowd *crowd) {
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

// Draws levels, some of them invalid, for each character or for 24 characters in a row.
static float draw_level(random_source *random, const crowd *crowd, size_t character) {
    return crowd->def.program % 2 == 0 ? (float)(character / 24 % (LMB_MAX_LODS + 1)) - 0.25f
                                       : draw_float(random, -1.0, LMB_MAX_LODS + 1.0);
}

static float draw_parameter(random_source *random, const crowd *crowd, size_t character, uint32_t parameter) {
    const parameter_kind kind = crowd->def.given != NULL ? PARAMETER_RANGE : crowd->random->parameters[parameter];
    if (draw_refused(random, crowd)) {
        return draw_invalid(random, crowd, kind);
    }
    const lmb_graph_parameter range = lmb_graph_parameter_at(crowd->program, parameter);
    switch (kind) {
    case PARAMETER_CLIP:
        return draw_float(random, 0.0, (double)crowd->def.clip_count); // rounded down by the program
    case PARAMETER_TIME:
        return draw_time(random, crowd);
    case PARAMETER_WEIGHT: // inside and outside [0, 1]
        return draw_or_end(random, 6, 0.0f, 1.0f, -0.125, 1.125);
    case PARAMETER_SHARE:
        return draw_or_end(random, 6, 0.0f, 1.0f, -0.125, 4.0);
    case PARAMETER_RATE:
        return draw_float(random, -2.0, 3.0);
    case PARAMETER_LEVEL:
        return draw_level(random, crowd, character);
    case PARAMETER_RANGE:
        return draw_or_end(random, 8, range.min, range.max, (double)range.min, (double)range.max);
    }
    return 0.0f;
}

// Draws a character of a pose buffer: the rest pose with each component disturbed. If the buffer has other joints than
// the rig, it repeats the rig's joints.
static void draw_pose(random_source *random, const crowd *crowd, uint32_t buffer, float *pose) {
    uint32_t rig_joints = lmb_rig_get_def(crowd->def.rig)->joint_count;
    uint32_t joint_count = lmb_graph_pose_joint_count(crowd->program, buffer);
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        lmb_transform rest = rig_joints == 0 ? lmb_transform_identity()
                                             : lmb_rig_get_def(crowd->def.rig)->joints[joint % rig_joints].rest;
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
        double reach = lmb_rig_get_def(crowd->def.rig)->channels[i].angle ? 400.0 : 1.0; // more than a whole turn
        channels[i] = lmb_rig_get_def(crowd->def.rig)->channels[i].rest + draw_float(random, -reach, reach);
        channels[i] = draw_refused(random, crowd) ? draw_not_finite(random) : channels[i];
    }
}

// Draws the points of a character and its world transform, any matrix.
static void draw_points(random_source *random, const crowd *crowd, size_t character) {
    const uint32_t count = lmb_graph_get_info(crowd->program)->point_count * 4;
    for (uint32_t i = 0; i < count; i++) {
        const bool refused = draw_refused(random, crowd);
        crowd->points[character * count + i] = refused ? draw_not_finite(random) : draw_float(random, -2.0, 3.0);
    }
    for (uint32_t i = 0; i < LMB_MATRIX_COMPONENTS && lmb_graph_get_info(crowd->program)->uses_transforms; i++) {
        const bool refused = draw_refused(random, crowd);
        crowd->transforms[character * LMB_MATRIX_COMPONENTS + i] =
            refused ? draw_not_finite(random) : draw_float(random, -2.0, 2.0);
    }
}

void crowd_draw(crowd *crowd, uint32_t frame) {
    random_source random = random_branch(crowd->def.seed + crowd->def.program, 0x100000000u + frame);
    uint32_t parameter_count = lmb_graph_get_info(crowd->program)->parameter_count;
    uint32_t pose_count = lmb_graph_get_info(crowd->program)->pose_count;
    for (size_t character = 0; character < crowd->def.character_count; character++) {
        float *parameters = crowd->parameters + character * parameter_count;
        for (uint32_t i = 0; i < parameter_count; i++) {
            parameters[i] = draw_parameter(&random, crowd, character, i);
        }
        for (uint32_t i = 0; i < pose_count; i++) {
            draw_pose(&random, crowd, i, crowd->poses[i] + character * lmb_graph_pose_floats(crowd->program, i));
        }
        draw_points(&random, crowd, character);
    }
}

lmb_batch_inputs crowd_inputs(const crowd *crowd) {
    lmb_batch_inputs inputs = {
        .parameters = crowd->parameters, .points = crowd->points, .transforms = crowd->transforms};
    for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
        inputs.poses[i] = crowd->poses[i];
    }
    return inputs;
}
