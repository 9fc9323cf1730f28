// Untrusted descriptors of programs: creation refuses a descriptor, or the program runs and its outputs are snapped.
#include "descriptor_fuzzing.h"

#include <limber/cpu.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RIGS = 3, CLIPS = 4, CHARACTERS = 2, MOST_PART_JOINTS = 64, MOST_LISTED = 16 };

static lmb_rig *rigs[RIGS]; // joints and channels: 3 and 0, 5 and 2, 0 and 2
static lmb_clip *clips[CLIPS];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static lmb_rig *create_rig(uint32_t joint_count, uint32_t channel_count) {
    lmb_joint_def joints[8];
    const lmb_channel_def channels[2] = {{.rest = 0.5f}, {.rest = 170.0f, .angle = true}};
    for (uint32_t i = 0; i < joint_count; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : (i - 1) / 2;
        joints[i].rest.translation[i % 3] = 0.25f * (float)i;
    }
    lmb_rig *rig = NULL;
    const lmb_rig_def def = {
        .joints = joints, .joint_count = joint_count, .channels = channels, .channel_count = channel_count};
    fuzz_require(lmb_rig_create(&def, NULL, &rig, NULL) == LMB_OK, "no rig");
    return rig;
}

static lmb_clip *create_clip(const lmb_rig *rig) {
    static const float times[2] = {0.0f, 1.5f}, values[8] = {0.0f, 1.0f, 0.0f, 0.0f, 0.6f, 0.0f, 0.8f, 0.0f};
    const lmb_track_def tracks[] = {{0, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 2, times, values},
                                    {0, LMB_PROPERTY_SCALE, LMB_INTERPOLATION_LINEAR, 2, times, values}};
    const lmb_clip_def def = {.name = "clip",
                              .duration = 2.0f,
                              .tracks = tracks,
                              .track_count = lmb_rig_get_def(rig)->joint_count > 0 ? 2 : 0};
    lmb_clip *clip = NULL;
    fuzz_require(lmb_clip_create(rig, &def, NULL, &clip, NULL) == LMB_OK, "no clip");
    return clip;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    rigs[0] = create_rig(3, 0);
    rigs[1] = create_rig(5, 2);
    rigs[2] = create_rig(0, 2);
    lmb_rig *small = create_rig(2, 0);
    for (uint32_t i = 0; i < CLIPS; i++) {
        clips[i] = create_clip(i < RIGS ? rigs[i] : small);
    }
    lmb_rig_destroy(small);
    return 0;
}

static void read_two_bone(fuzz_input *in, const lmb_graph_def *def, lmb_two_bone_def *chain) {
    const uint32_t joints = lmb_rig_get_def(def->rig)->joint_count, parameters = def->parameter_count;
    *chain = (lmb_two_bone_def){fuzz_index(in, joints), fuzz_index(in, joints), fuzz_index(in, joints),
                                .soften = fuzz_float(in), .twist = fuzz_value(in, parameters)};
    for (uint32_t i = 0; i < 3; i++) {
        chain->target[i] = fuzz_value(in, parameters);
        chain->pole[i] = fuzz_value(in, parameters);
        chain->mid_axis[i] = fuzz_float(in);
    }
}

static void read_aim(fuzz_input *in, const lmb_graph_def *def, lmb_aim_def *aim) {
    const uint32_t joints = lmb_rig_get_def(def->rig)->joint_count, parameters = def->parameter_count;
    aim->joint_count = fuzz_count(in, 4, LMB_MAX_AIM_JOINTS);
    aim->limit = fuzz_float(in);
    for (uint32_t i = 0; i < aim->joint_count && i < LMB_MAX_AIM_JOINTS; i++) {
        aim->joints[i] = fuzz_index(in, joints);
        aim->shares[i] = fuzz_float(in);
    }
    for (uint32_t i = 0; i < 3; i++) {
        aim->target[i] = fuzz_value(in, parameters);
        aim->pole[i] = fuzz_value(in, parameters);
        aim->forward[i] = fuzz_float(in);
        aim->up[i] = fuzz_float(in);
        aim->offset[i] = fuzz_float(in);
    }
}

static void read_twist(fuzz_input *in, const lmb_graph_def *def, lmb_twist_def *twist) {
    const uint32_t joints = lmb_rig_get_def(def->rig)->joint_count;
    twist->source = fuzz_index(in, joints);
    twist->joint_count = fuzz_count(in, 4, LMB_MAX_TWIST_JOINTS);
    for (uint32_t i = 0; i < twist->joint_count && i < LMB_MAX_TWIST_JOINTS; i++) {
        twist->joints[i] = fuzz_index(in, joints);
        twist->shares[i] = fuzz_float(in);
    }
    for (uint32_t i = 0; i < 3; i++) {
        twist->axis[i] = fuzz_float(in);
    }
}

static void read_chain(fuzz_input *in, const lmb_graph_def *def, lmb_chain_def *chain) {
    const uint32_t joints = lmb_rig_get_def(def->rig)->joint_count, parameters = def->parameter_count;
    chain->start = fuzz_index(in, joints);
    chain->end = fuzz_index(in, joints);
    chain->time = fuzz_value(in, parameters);
    for (uint32_t i = 0; i < 3; i++) {
        chain->velocity[i] = fuzz_value(in, parameters);
        chain->gravity[i] = fuzz_float(in);
    }
    chain->stiffness = fuzz_float(in);
    chain->damping = fuzz_float(in);
    chain->teleport = fuzz_float(in);
}

static lmb_point_slot read_slot(fuzz_input *in) {
    return fuzz_flag(in) ? lmb_point(fuzz_index(in, LMB_MAX_POINTS)) : (lmb_point_slot){0};
}

static void read_feet(fuzz_input *in, const lmb_graph_def *def, lmb_feet_def *feet) {
    const uint32_t joints = lmb_rig_get_def(def->rig)->joint_count, parameters = def->parameter_count;
    feet->foot_count = fuzz_count(in, 2, LMB_MAX_FEET);
    feet->pelvis = fuzz_index(in, joints);
    feet->max_lowering = fuzz_float(in);
    feet->max_angle = fuzz_float(in);
    feet->soften = fuzz_float(in);
    feet->space = (lmb_ik_space)fuzz_choice(in, LMB_IK_SPACE_COUNT);
    feet->speed = fuzz_value(in, parameters);
    feet->clip_speed = fuzz_value(in, parameters);
    feet->direction[1] = fuzz_value(in, parameters);
    feet->direction_slot = read_slot(in);
    for (uint32_t i = 0; i < feet->foot_count && i < LMB_MAX_FEET; i++) {
        lmb_foot_def *foot = &feet->feet[i];
        *foot = (lmb_foot_def){fuzz_index(in, joints), fuzz_index(in, joints), fuzz_index(in, joints),
                               .ground_slot = read_slot(in), .normal_slot = read_slot(in)};
        for (uint32_t k = 0; k < 3; k++) {
            foot->ground[k] = fuzz_value(in, parameters);
            foot->normal[k] = fuzz_value(in, parameters);
            foot->knee_axis[k] = fuzz_float(in);
        }
        foot->planted = fuzz_value(in, parameters);
        foot->planted_from = fuzz_index(in, LMB_MAX_MARKERS);
        foot->planted_to = fuzz_index(in, LMB_MAX_MARKERS);
        foot->planted_channel = fuzz_index(in, 4);
    }
    feet->time = fuzz_value(in, parameters);
    feet->lock_distance = fuzz_float(in);
    feet->release_half_life = fuzz_float(in);
    feet->ground_half_life = fuzz_float(in);
    feet->pelvis_half_life = fuzz_float(in);
    feet->teleport = fuzz_float(in);
}

// Reads where points of the two other operations come from.
static void read_slots(fuzz_input *in, lmb_node_def *node) {
    node->two_bone.target_slot = node->aim.pole_slot = read_slot(in);
    node->two_bone.pole_slot = node->aim.target_slot = read_slot(in);
    node->two_bone.space = node->aim.space = (lmb_ik_space)fuzz_choice(in, LMB_IK_SPACE_COUNT);
}

// Two words select the fields that differ from the default.
static void read_node(fuzz_input *in, const lmb_graph_def *def, uint32_t index, lmb_node_def *node) {
    static const uint8_t inputs[LMB_OP_COUNT] = {0, 0, 0, 2, 2, 3, 2, 2, 2, 3, 1, 1, 2, 2, 1,
                                                 3, 4, 8, 3, 3, 4, 3, 1, 1, 1, 1, 1, 1, 1};
    const uint32_t parameters = def->parameter_count;
    const uint8_t fields = fuzz_byte(in), more = fuzz_byte(in);
    *node = lmb_default_node_def();
    node->op = (lmb_op)fuzz_choice(in, LMB_OP_COUNT);
    node->input_count = (unsigned)node->op < LMB_OP_COUNT ? inputs[node->op] : 0;
    const bool is_space = node->op == LMB_OP_SPACE1D || node->op == LMB_OP_SPACE2D || node->op == LMB_OP_MACHINE;
    if (fields & 1) {
        node->input_count = fuzz_count(in, 4, is_space ? LMB_MAX_SPACE_INPUTS : LMB_MAX_INPUTS);
    }
    for (uint32_t i = 0; i < node->input_count && i < LMB_MAX_SPACE_INPUTS; i++) {
        node->inputs[i] = index > 0 && (fields & 2) == 0 ? index - 1 - fuzz_byte(in) % index : fuzz_index(in, index);
        if ((fields & 4) && i < LMB_MAX_INPUTS) {
            node->weights[i] = fuzz_value(in, parameters);
            node->priorities[i] = (int32_t)fuzz_byte(in);
            node->joint_maps[i] = fuzz_index(in, def->joint_map_count);
            node->masks[i] = fuzz_index(in, def->mask_count);
            node->threshold = fuzz_float(in);
        }
        node->positions[i][0] = fields & 8 ? fuzz_float(in) : (float)(i % 2);
        node->positions[i][1] = fields & 8 ? fuzz_float(in) : (float)(i / 2);
    }
    if (fields & 16) {
        node->weight = fuzz_value(in, parameters);
        node->clip = fuzz_value(in, parameters);
        node->time = fuzz_value(in, parameters);
        node->rate = fuzz_value(in, parameters);
        node->offset = fuzz_value(in, parameters);
        node->loop = fuzz_flag(in);
        node->joint_weights = fuzz_index(in, def->mask_count);
    }
    if (fields & 32) {
        node->mask = fuzz_index(in, def->mask_count);
        node->mirror = fuzz_index(in, def->mirror_count);
        node->joint_limits = fuzz_index(in, def->joint_limits_count);
        node->pose = fuzz_index(in, LMB_MAX_POSES);
        node->static_pose = fuzz_index(in, def->static_pose_count);
    }
    if (fields & 64) {
        node->interpolation = (lmb_mix)fuzz_choice(in, LMB_MIX_COUNT);
        node->form = (lmb_form)fuzz_choice(in, LMB_FORM_COUNT);
        node->space = (lmb_space)fuzz_choice(in, LMB_SPACE_COUNT);
        node->space2d = (lmb_space2d)fuzz_choice(in, LMB_SPACE2D_COUNT);
        node->shortest = (more & 1) != 0;
        node->unclamped = (more & 2) != 0;
        node->discrete = node->linear_scale = (more & 128) != 0;
    }
    if (more & 4) {
        read_two_bone(in, def, &node->two_bone);
    }
    if (more & 8) {
        read_aim(in, def, &node->aim);
    }
    if (more & 16) {
        read_feet(in, def, &node->feet);
        read_slots(in, node);
    }
    if (more & 32) {
        read_twist(in, def, &node->twist);
    }
    if (more & 64) {
        read_chain(in, def, &node->chain);
    }
    if (more & 128) {
        node->retarget = fuzz_index(in, def->retarget_count);
    }
    for (int i = 0; i < 3 && (fields & 128) != 0; i++) {
        node->coordinates[i] = fuzz_value(in, parameters);
    }
}

static void read_nodes(fuzz_input *in, lmb_graph_def *def) {
    def->node_count = fuzz_count(in, 12, LMB_MAX_NODES);
    lmb_node_def *nodes = fuzz_array(in, def->node_count, LMB_MAX_NODES, sizeof *nodes);
    for (uint32_t i = 0; i < def->node_count && i < fuzz_elements(def->node_count, LMB_MAX_NODES); i++) {
        read_node(in, def, i, &nodes[i]);
    }
    def->nodes = nodes;
}

static void read_mirrors(fuzz_input *in, lmb_graph_def *def) {
    const uint32_t joints = lmb_rig_get_def(def->rig)->joint_count, channels = lmb_rig_get_def(def->rig)->channel_count;
    def->mirror_count = fuzz_count(in, 2, LMB_MAX_MIRRORS);
    lmb_mirror_def *mirrors = fuzz_array(in, def->mirror_count, LMB_MAX_MIRRORS, sizeof *mirrors);
    for (uint32_t i = 0; i < def->mirror_count && i < fuzz_elements(def->mirror_count, LMB_MAX_MIRRORS); i++) {
        mirrors[i].axis = (lmb_axis)fuzz_choice(in, LMB_AXIS_COUNT);
        mirrors[i].partners = fuzz_indices(in, joints, joints);
        mirrors[i].channel_partners = fuzz_flag(in) ? fuzz_indices(in, channels, channels) : NULL;
        mirrors[i].channel_signs = fuzz_flag(in) ? (const int8_t *)fuzz_bytes(in, channels) : NULL;
    }
    def->mirrors = mirrors;
}

static const lmb_joint_limit_def *read_limit_table(fuzz_input *in, uint32_t joints) {
    lmb_joint_limit_def *limits = fuzz_array(in, joints, joints, sizeof *limits);
    for (uint32_t i = 0; i < joints; i++) {
        limits[i] = lmb_default_joint_limit_def();
        limits[i].set = fuzz_byte(in);
        for (int k = 0; k < 3 && limits[i].set != 0; k++) {
            limits[i].translation_min[k] = fuzz_float(in);
            limits[i].translation_max[k] = fuzz_float(in);
            limits[i].scale_min[k] = fuzz_float(in);
            limits[i].scale_max[k] = fuzz_float(in);
            limits[i].angle_min[k] = fuzz_float(in);
            limits[i].angle_max[k] = fuzz_float(in);
        }
        limits[i].twist_axis = (lmb_axis)fuzz_choice(in, LMB_AXIS_COUNT);
        limits[i].twist_min = fuzz_float(in);
        limits[i].twist_max = fuzz_float(in);
        limits[i].swing = fuzz_float(in);
    }
    return limits;
}

static void read_limits(fuzz_input *in, lmb_graph_def *def) {
    const uint32_t count = def->joint_limits_count = fuzz_count(in, 2, LMB_MAX_JOINT_LIMITS);
    const uint32_t joints = lmb_rig_get_def(def->rig)->joint_count, channels = lmb_rig_get_def(def->rig)->channel_count;
    const lmb_joint_limit_def **limits = fuzz_array(in, count, LMB_MAX_JOINT_LIMITS, sizeof *limits);
    const lmb_channel_range **ranges = NULL;
    if (fuzz_flag(in)) {
        ranges = fuzz_array(in, count, LMB_MAX_JOINT_LIMITS, sizeof *ranges);
    }
    for (uint32_t i = 0; i < count && i < fuzz_elements(count, LMB_MAX_JOINT_LIMITS); i++) {
        limits[i] = read_limit_table(in, joints);
        if (ranges != NULL && fuzz_flag(in)) {
            lmb_channel_range *range = fuzz_array(in, channels, channels, sizeof *range);
            for (uint32_t k = 0; k < channels; k++) {
                range[k] = (lmb_channel_range){fuzz_float(in), fuzz_float(in)};
            }
            ranges[i] = range;
        }
    }
    def->joint_limits = limits;
    def->channel_ranges = ranges;
}

static void read_parts(fuzz_input *in, lmb_graph_def *def) {
    const uint32_t joints = lmb_rig_get_def(def->rig)->joint_count;
    def->joint_map_count = fuzz_count(in, 2, LMB_MAX_JOINT_MAPS);
    lmb_joint_map_def *joint_maps = fuzz_array(in, def->joint_map_count, LMB_MAX_JOINT_MAPS, sizeof *joint_maps);
    for (uint32_t i = 0; i < def->joint_map_count && i < fuzz_elements(def->joint_map_count, LMB_MAX_JOINT_MAPS); i++) {
        joint_maps[i].joint_count = fuzz_flag(in) ? 2 : fuzz_count(in, 4, LMB_MAX_JOINTS);
        joint_maps[i].joints = fuzz_indices(in, joints, joint_maps[i].joint_count);
    }
    def->joint_maps = joint_maps;
}

static void read_retargets(fuzz_input *in, lmb_graph_def *def) {
    const uint32_t joints = lmb_rig_get_def(def->rig)->joint_count;
    def->retarget_count = fuzz_count(in, 2, LMB_MAX_RETARGETS);
    const uint32_t made = fuzz_elements(def->retarget_count, LMB_MAX_RETARGETS);
    lmb_retarget_def *retargets = fuzz_array(in, def->retarget_count, LMB_MAX_RETARGETS, sizeof *retargets);
    for (uint32_t i = 0; i < def->retarget_count && i < made; i++) {
        const uint32_t sources = fuzz_flag(in) ? joints : fuzz_count(in, 4, MOST_PART_JOINTS);
        const uint32_t given = sources <= LMB_MAX_JOINTS ? sources : 1;
        lmb_transform *rest = fuzz_array(in, given, given, sizeof *rest);
        for (uint32_t k = 0; k < given; k++) {
            rest[k] = lmb_transform_identity();
            rest[k].translation[fuzz_byte(in) % 3] = k < 8 ? fuzz_float(in) : 0.0f;
        }
        retargets[i] = lmb_default_retarget_def();
        retargets[i].source_joint_count = sources;
        retargets[i].source_parents = fuzz_indices(in, given, given);
        retargets[i].source_rest = rest;
        retargets[i].joints = fuzz_indices(in, joints, sources);
        retargets[i].scales = fuzz_flag(in) ? fuzz_floats(in, joints, joints) : NULL;
        retargets[i].aligned = fuzz_flag(in) ? fuzz_bytes(in, joints) : NULL;
        retargets[i].turn[fuzz_byte(in) % 4] = fuzz_flag(in) ? fuzz_float(in) : 1.0f;
        retargets[i].align_above = fuzz_flag(in) ? fuzz_float(in) : 0.25f;
        retargets[i].root_scale = fuzz_flag(in) ? fuzz_float(in) : 0.0f;
        retargets[i].foot = fuzz_flag(in) ? fuzz_index(in, joints) : LMB_NONE;
    }
    def->retargets = retargets;
}

static void read_static_poses(fuzz_input *in, lmb_graph_def *def) {
    def->static_pose_count = fuzz_count(in, 2, LMB_MAX_STATIC_POSES);
    const uint32_t count = def->static_pose_count, channels = lmb_rig_get_def(def->rig)->channel_count;
    lmb_static_pose_def *poses = fuzz_array(in, count, LMB_MAX_STATIC_POSES, sizeof *poses);
    for (uint32_t i = 0; i < count && i < fuzz_elements(count, LMB_MAX_STATIC_POSES); i++) {
        const uint32_t joint_count =
            fuzz_flag(in) ? lmb_rig_get_def(def->rig)->joint_count : fuzz_count(in, 4, MOST_PART_JOINTS);
        // A joint map with this many joints may exist, and then all are read.
        const uint32_t made = joint_count <= LMB_MAX_JOINTS ? joint_count : 1;
        lmb_transform *joints = fuzz_array(in, made, made, sizeof *joints);
        for (uint32_t k = 0; k < made && k < 8; k++) {
            for (int j = 0; j < 3; j++) {
                joints[k].translation[j] = fuzz_float(in);
                joints[k].scale[j] = fuzz_float(in);
            }
            joints[k].rotation[fuzz_byte(in) % 4] = fuzz_flag(in) ? fuzz_float(in) : 1.0f;
        }
        poses[i] = (lmb_static_pose_def){.joints = joints, .joint_count = joint_count};
        poses[i].channels = fuzz_flag(in) ? fuzz_floats(in, channels, channels) : NULL;
    }
    def->static_poses = poses;
}

static void read_clips(fuzz_input *in, lmb_graph_def *def) {
    def->clip_count = fuzz_byte(in) % MOST_LISTED;
    const lmb_clip **listed = fuzz_array(in, def->clip_count, MOST_LISTED, sizeof *listed);
    for (uint32_t i = 0; i < def->clip_count; i++) {
        const uint32_t chosen = fuzz_byte(in);
        listed[i] = chosen < 240 ? clips[chosen % CLIPS] : NULL;
    }
    def->clips = listed;
}

static void read_masks(fuzz_input *in, lmb_graph_def *def) {
    def->mask_count = fuzz_byte(in) % MOST_LISTED;
    const uint8_t **masks = fuzz_array(in, def->mask_count, MOST_LISTED, sizeof *masks);
    for (uint32_t i = 0; i < def->mask_count; i++) {
        masks[i] = fuzz_bytes(in, lmb_rig_get_def(def->rig)->joint_count + lmb_rig_get_def(def->rig)->channel_count);
    }
    def->masks = masks;
}

static lmb_graph_def read_def(fuzz_input *in) {
    const uint8_t present = fuzz_byte(in);
    lmb_graph_def def = {.rig = rigs[fuzz_byte(in) % RIGS], .parameter_count = fuzz_count(in, 12, LMB_MAX_PARAMETERS)};
    read_clips(in, &def);
    if (present & 1) {
        read_masks(in, &def);
    }
    if (present & 2) {
        read_mirrors(in, &def);
    }
    if (present & 4) {
        read_limits(in, &def);
    }
    if (present & 8) {
        read_parts(in, &def);
    }
    if (present & 16) {
        read_static_poses(in, &def);
    }
    if (present & 32) {
        def.max_lods = fuzz_bytes(in, lmb_rig_get_def(def.rig)->joint_count);
        def.lod = fuzz_value(in, def.parameter_count);
    }
    if (present & 64) {
        def.inertialize = true;
        def.inertia_parameters = fuzz_index(in, def.parameter_count);
    }
    if (present & 128) {
        read_retargets(in, &def);
    }
    read_nodes(in, &def);
    fuzz_curves(in, &def);
    return def;
}

static void require_snapped(const float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const float magnitude = fabsf(values[i]);
        fuzz_require((magnitude >= LMB_SMALLEST && magnitude <= LMB_LARGEST) || magnitude == 0.0f,
                     "a result is not snapped");
    }
}

static void count_line(void *user, const char *line) {
    fuzz_require(line[0] != '\0', "an empty line");
    ++*(uint32_t *)user;
}

static void run(fuzz_input *in, const lmb_graph *program) {
    const lmb_graph_info *info = lmb_graph_get_info(program);
    const lmb_batch_def batch = {program, CHARACTERS, info->outputs};
    const uint32_t parameter_count = info->parameter_count;
    float *parameters = fuzz_array(in, CHARACTERS * parameter_count + 1, UINT32_MAX, sizeof *parameters);
    lmb_batch_inputs inputs = {.parameters = parameters};
    for (uint32_t i = 0; i < info->pose_count; i++) {
        const uint32_t floats = CHARACTERS * lmb_graph_pose_floats(program, i);
        float *pose = fuzz_array(in, floats + 1, UINT32_MAX, sizeof *pose);
        for (uint32_t k = 0; k < floats && k < 128; k++) {
            pose[k] = fuzz_float(in);
        }
        inputs.poses[i] = pose;
    }
    const uint32_t point_floats = CHARACTERS * info->point_count * 4;
    float *points = fuzz_array(in, point_floats + 1, UINT32_MAX, sizeof *points);
    float *transforms = fuzz_array(in, CHARACTERS * LMB_MATRIX_COMPONENTS, UINT32_MAX, sizeof *transforms);
    for (uint32_t i = 0; i < point_floats && i < 64; i++) {
        points[i] = fuzz_float(in);
    }
    for (uint32_t i = 0; i < LMB_MATRIX_COMPONENTS && info->uses_transforms; i++) {
        transforms[i] = fuzz_float(in);
    }
    inputs.points = points;
    inputs.transforms = transforms;
    uint32_t refused[LMB_REFUSAL_COUNT] = {0};
    lmb_batch_outputs outputs = {.refused = refused};
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        outputs.buffers[output] = fuzz_array(in, CHARACTERS * lmb_batch_output_floats(&batch, (lmb_output)output) + 1,
                                             UINT32_MAX, sizeof(float));
    }
    outputs.inertia = fuzz_array(in, CHARACTERS * info->inertia_words + 1, UINT32_MAX, sizeof(uint32_t));
    uint32_t lines = 0;
    lmb_graph_print(program, count_line, &lines);
    fuzz_require(lines > 0, "a program without instructions");
    lmb_cpu *cpu = NULL;
    fuzz_require(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, NULL) == LMB_OK, "no scratch memory");
    for (int frame = 0; frame < 3; frame++) {
        for (uint32_t i = 0; i < CHARACTERS * parameter_count && i < 64; i++) {
            parameters[i] = fuzz_float(in);
        }
        fuzz_require(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL) == LMB_OK, "it does not run");
        for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
            require_snapped(outputs.buffers[output], CHARACTERS * lmb_batch_output_floats(&batch, (lmb_output)output));
        }
    }
    lmb_cpu_destroy(cpu);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static fuzz_input in;
    fuzz_begin(&in, data, size);
    const lmb_graph_def def = read_def(&in);
    lmb_graph *program = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_graph_create(&def, NULL, &program, &error);
    lmb_error checked = {0};
    fuzz_require(lmb_graph_check(&def, &checked) == result, "checked alone it is another result");
    if (result == LMB_OK) {
        run(&in, program);
        lmb_graph_destroy(program);
    } else {
        fuzz_require_refused(result, program, &error);
    }
    fuzz_end(&in);
    return 0;
}
