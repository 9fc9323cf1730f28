#include "peer.h"

#include <ozz/animation/offline/additive_animation_builder.h>
#include <ozz/animation/offline/animation_builder.h>
#include <ozz/animation/offline/animation_optimizer.h>
#include <ozz/animation/offline/raw_animation.h>
#include <ozz/animation/offline/raw_skeleton.h>
#include <ozz/animation/offline/skeleton_builder.h>
#include <ozz/animation/runtime/animation.h>
#include <ozz/animation/runtime/blending_job.h>
#include <ozz/animation/runtime/ik_aim_job.h>
#include <ozz/animation/runtime/ik_two_bone_job.h>
#include <ozz/animation/runtime/local_to_model_job.h>
#include <ozz/animation/runtime/sampling_job.h>
#include <ozz/animation/runtime/skeleton.h>
#include <ozz/base/containers/vector.h>
#include <ozz/base/maths/simd_math.h>
#include <ozz/base/maths/simd_quaternion.h>
#include <ozz/base/maths/soa_transform.h>
#include <ozz/base/memory/unique_ptr.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

using ozz::animation::offline::RawAnimation;
using ozz::animation::offline::RawSkeleton;
namespace offline = ozz::animation::offline;
namespace math = ozz::math;

namespace simd = ozz::math::simd_float4;

// Model matrices of the joints that inverse kinematics reads: start, mid and end, or the one joint that aims.
struct ik_matrices {
    math::Float4x4 joints[3];
};

// Corrections of joints, in the same order.
struct ik_corrections {
    math::SimdQuaternion joints[3];
};

struct ozz_crowd {
    uint32_t characters;
    bool has_ik;
    lmb_node_def ik;
    int ik_joints[3];               // ozz's joints
    size_t ik_count;                // of joints that turn: the first ones
    ozz::vector<ik_matrices> kept;  // [character]
    math::SimdQuaternion ik_result; // of the last job that ran alone, so that none is left out
    int joints;
    std::vector<int> rig_joints; // [ozz's joint]: ozz has its own order
    ozz::unique_ptr<ozz::animation::Skeleton> skeleton;
    std::vector<ozz::unique_ptr<ozz::animation::Animation>> clips;
    uint32_t context_count;                                                      // of a character
    std::vector<std::unique_ptr<ozz::animation::SamplingJob::Context>> contexts; // [character][context_count]
    ozz::vector<math::SimdFloat4> upper, lower; // weights of joints: a mask's, and what it leaves
    ozz::vector<math::Float4x4> inverse_binds;
    ozz::vector<math::Float4x4> palettes; // [character][ozz's joint]
    // Memory of one character at a time.
    ozz::vector<math::SoaTransform> locals[PEER_USES];
    ozz::vector<math::SoaTransform> blended;
    ozz::vector<math::Float4x4> models;
};

static math::Transform transform_of(const lmb_transform &from) {
    const float *t = from.translation, *q = from.rotation, *s = from.scale;
    return {math::Float3(t[0], t[1], t[2]), math::Quaternion(q[0], q[1], q[2], q[3]), math::Float3(s[0], s[1], s[2])};
}

static math::Float4x4 matrix_of(const lmb_affine &from) {
    math::Float4x4 matrix;
    for (int column = 0; column < 4; column++) {
        matrix.cols[column] =
            math::simd_float4::Load(from.m[0][column], from.m[1][column], from.m[2][column], column == 3 ? 1.0f : 0.0f);
    }
    return matrix;
}

static void add_joints(const lmb_rig *rig, uint32_t parent, RawSkeleton::Joint::Children *children) {
    for (uint32_t i = 0; i < lmb_rig_get_def(rig)->joint_count; i++) {
        if (lmb_rig_get_def(rig)->joints[i].parent == parent) {
            RawSkeleton::Joint joint;
            joint.name = std::to_string(i).c_str();
            joint.transform = transform_of(lmb_rig_get_def(rig)->joints[i].rest);
            add_joints(rig, i, &joint.children);
            children->push_back(joint);
        }
    }
}

static bool create_skeleton(const lmb_rig *rig, ozz_crowd *crowd) {
    RawSkeleton raw;
    add_joints(rig, LMB_NONE, &raw.roots);
    crowd->skeleton = offline::SkeletonBuilder()(raw);
    if (crowd->skeleton == nullptr) {
        return false;
    }
    crowd->joints = crowd->skeleton->num_joints();
    for (int i = 0; i < crowd->joints; i++) {
        const int joint = std::atoi(crowd->skeleton->joint_names()[i]);
        crowd->rig_joints.push_back(joint);
        crowd->inverse_binds.push_back(matrix_of(lmb_rig_get_def(rig)->joints[(uint32_t)joint].inverse_bind));
    }
    return true;
}

// Merges the keys of a track that does not move, for which ozz then does no work.
template <typename Track> static void merge_constant(Track *track) {
    const auto first = track->front().value;
    for (const auto &key : *track) {
        if (std::memcmp(&key.value, &first, sizeof first) != 0) {
            return;
        }
    }
    track->resize(1);
}

static RawAnimation make_raw(const ozz_crowd *crowd, const sampled_clip &clip) {
    RawAnimation raw;
    raw.duration = clip.duration;
    raw.tracks.resize((size_t)crowd->joints);
    for (int joint = 0; joint < crowd->joints; joint++) {
        RawAnimation::JointTrack &track = raw.tracks[(size_t)joint];
        for (uint32_t key = 0; key < clip.key_count; key++) {
            const float time = sampled_time(&clip, key);
            const math::Transform pose =
                transform_of(clip.poses[key * (size_t)crowd->joints + (size_t)crowd->rig_joints[(size_t)joint]]);
            track.translations.push_back({time, pose.translation});
            track.rotations.push_back({time, pose.rotation});
            track.scales.push_back({time, pose.scale});
        }
        merge_constant(&track.translations);
        merge_constant(&track.rotations);
        merge_constant(&track.scales);
    }
    return raw;
}

static bool create_clip(const lmb_rig *rig, ozz_crowd *crowd, const sampled_clip &clip, bool is_additive,
                        bool optimised) {
    RawAnimation raw = make_raw(crowd, clip);
    if (is_additive) { // from the rest pose
        ozz::vector<math::Transform> rest;
        for (int joint : crowd->rig_joints) {
            rest.push_back(transform_of(lmb_rig_get_def(rig)->joints[(uint32_t)joint].rest));
        }
        RawAnimation additive;
        if (!offline::AdditiveAnimationBuilder()(raw, ozz::make_span(rest), &additive)) {
            return false;
        }
        raw = additive;
    }
    if (optimised) {
        RawAnimation smaller;
        if (!offline::AnimationOptimizer()(raw, *crowd->skeleton, &smaller)) {
            return false;
        }
        raw = smaller;
    }
    crowd->clips.push_back(offline::AnimationBuilder()(raw));
    return crowd->clips.back() != nullptr;
}

static int find_joint(const ozz_crowd *crowd, uint32_t joint) {
    const auto &all = crowd->rig_joints;
    return (int)(std::find(all.begin(), all.end(), (int)joint) - all.begin());
}

static void set_ik(ozz_crowd *crowd, const lmb_node_def *ik) {
    crowd->has_ik = true;
    crowd->ik = *ik;
    if (ik->op == LMB_OP_IK_TWO_BONE) {
        const uint32_t joints[3] = {ik->two_bone.start, ik->two_bone.mid, ik->two_bone.end};
        std::transform(joints, joints + 3, crowd->ik_joints, [=](uint32_t joint) { return find_joint(crowd, joint); });
        crowd->ik_count = 2;
    } else {
        std::fill_n(crowd->ik_joints, 3, find_joint(crowd, ik->aim.joints[0]));
        crowd->ik_count = 1;
    }
    crowd->kept.resize(crowd->characters);
}

// Creates a crowd with `contexts` sampling contexts a character.
static std::unique_ptr<ozz_crowd> create_crowd(const lmb_rig *rig, const peer_clips &clips, uint32_t characters,
                                               uint32_t contexts, bool optimised) {
    auto crowd = std::make_unique<ozz_crowd>();
    crowd->characters = characters;
    crowd->context_count = contexts;
    if (!create_skeleton(rig, crowd.get())) {
        return nullptr;
    }
    for (uint32_t i = 0; i < clips.count; i++) {
        const bool is_additive = i + clips.additive_count >= clips.count;
        if (!create_clip(rig, crowd.get(), clips.each[i], is_additive, optimised)) {
            return nullptr;
        }
    }
    for (auto &locals : crowd->locals) {
        locals.resize((size_t)crowd->skeleton->num_soa_joints());
    }
    crowd->blended.resize((size_t)crowd->skeleton->num_soa_joints());
    crowd->models.resize((size_t)crowd->joints);
    crowd->palettes.resize((size_t)crowd->joints * characters);
    for (size_t i = 0; i < (size_t)characters * contexts; i++) {
        crowd->contexts.push_back(std::make_unique<ozz::animation::SamplingJob::Context>(crowd->joints));
    }
    return crowd;
}

ozz_crowd *ozz_crowd_create(const lmb_rig *rig, const sampled_clip clips[PEER_CLIPS], uint32_t characters,
                            bool optimised, const lmb_node_def *ik) {
    auto crowd = create_crowd(rig, {clips, PEER_CLIPS, 1}, characters, PEER_CLIPS, optimised);
    if (crowd != nullptr && ik != nullptr) {
        set_ik(crowd.get(), ik);
    }
    return crowd.release();
}

static void set_mask(ozz_crowd *crowd, const uint8_t *mask) {
    for (int first = 0; first < crowd->joints; first += 4) {
        float weights[4] = {};
        for (int i = 0; i < 4 && first + i < crowd->joints; i++) {
            weights[i] = (float)mask[crowd->rig_joints[(size_t)(first + i)]] / 255.0f;
        }
        crowd->upper.push_back(simd::LoadPtrU(weights));
        crowd->lower.push_back(simd::one() - crowd->upper.back());
    }
}

ozz_crowd *ozz_crowd_create_divergent(const lmb_rig *rig, const peer_clips *clips, const uint8_t *mask,
                                      uint32_t characters, uint32_t most_uses, bool optimised) {
    auto crowd = create_crowd(rig, *clips, characters, most_uses, optimised);
    if (crowd != nullptr) {
        set_mask(crowd.get(), mask);
    }
    return crowd.release();
}

void ozz_crowd_destroy(ozz_crowd *crowd) {
    delete crowd;
}

static math::SimdFloat4 load3(const float *v) {
    return simd::Load(v[0], v[1], v[2], 0.0f);
}

// The node's directions, by ozz's rules of unit length.
static math::SimdFloat4 direction(const float *v) {
    return math::Normalize3(load3(v));
}

static math::SimdFloat4 constants(const lmb_value *v) {
    return simd::Load(v[0].constant, v[1].constant, v[2].constant, 0.0f);
}

static bool solve(const ozz_crowd *crowd, const float *target, const ik_matrices &at, ik_corrections *found) {
    if (crowd->ik.op == LMB_OP_IK_TWO_BONE) {
        const lmb_two_bone_def &node = crowd->ik.two_bone;
        ozz::animation::IKTwoBoneJob job;
        job.target = load3(target);
        job.mid_axis = direction(node.mid_axis);
        job.pole_vector = constants(node.pole);
        job.soften = node.soften;
        job.start_joint = &at.joints[0];
        job.mid_joint = &at.joints[1];
        job.end_joint = &at.joints[2];
        job.start_joint_correction = &found->joints[0];
        job.mid_joint_correction = &found->joints[1];
        return job.Run();
    }
    const lmb_aim_def &node = crowd->ik.aim;
    ozz::animation::IKAimJob job;
    job.target = load3(target);
    job.forward = direction(node.forward);
    job.up = direction(node.up);
    job.offset = load3(node.offset);
    job.pole_vector = constants(node.pole);
    job.joint = &at.joints[0];
    job.joint_correction = &found->joints[0];
    return job.Run();
}

// Multiplies a joint's local rotation by a quaternion, as ozz's samples do.
static void correct(ozz_crowd *crowd, int joint, const math::SimdQuaternion &by) {
    math::SoaTransform &soa = crowd->blended[(size_t)joint / 4];
    math::SimdFloat4 rotations[4];
    math::Transpose4x4(&soa.rotation.x, rotations);
    const math::SimdQuaternion from = {rotations[joint & 3]};
    rotations[joint & 3] = (from * by).xyzw;
    math::Transpose4x4(rotations, &soa.rotation.x);
}

static bool to_models(ozz_crowd *crowd, int from, const ozz::vector<math::SoaTransform> &locals) {
    ozz::animation::LocalToModelJob job;
    job.skeleton = crowd->skeleton.get();
    job.input = ozz::make_span(locals);
    job.output = ozz::make_span(crowd->models);
    job.from = from;
    return job.Run();
}

static bool sample_clip(ozz_crowd *crowd, size_t clip, float time, size_t context, size_t to) {
    ozz::animation::SamplingJob job;
    job.animation = crowd->clips[clip].get();
    job.context = crowd->contexts[context].get();
    job.ratio = time / crowd->clips[clip]->duration();
    job.output = ozz::make_span(crowd->locals[to]);
    return job.Run();
}

static bool sample(ozz_crowd *crowd, size_t character, const float *times) {
    bool done = true;
    for (size_t i = 0; i < PEER_CLIPS && done; i++) {
        done = sample_clip(crowd, i, times[i], character * PEER_CLIPS + i, i);
    }
    return done;
}

static bool blend(ozz_crowd *crowd) {
    static const float weights[3] = {0.3f, 0.5f, 0.2f};
    ozz::animation::BlendingJob::Layer layers[3], additive[1];
    for (size_t i = 0; i < 3; i++) {
        layers[i].weight = weights[i];
        layers[i].transform = ozz::make_span(crowd->locals[i]);
    }
    additive[0].weight = 0.6f;
    additive[0].transform = ozz::make_span(crowd->locals[3]);
    ozz::animation::BlendingJob job;
    job.layers = layers;
    job.additive_layers = additive;
    job.rest_pose = crowd->skeleton->joint_rest_poses();
    job.output = ozz::make_span(crowd->blended);
    return job.Run();
}

static bool run_ik(ozz_crowd *crowd, size_t character, const float *target, bool keep) {
    ik_matrices at;
    ik_corrections found;
    for (size_t i = 0; i < 3; i++) {
        at.joints[i] = crowd->models[(size_t)crowd->ik_joints[i]];
    }
    if (keep) {
        crowd->kept[character] = at;
    }
    if (!solve(crowd, target, at, &found)) {
        return false;
    }
    for (size_t i = 0; i < crowd->ik_count; i++) {
        correct(crowd, crowd->ik_joints[i], found.joints[i]);
    }
    return to_models(crowd, crowd->ik_joints[0], crowd->blended);
}

static void store_palette(ozz_crowd *crowd, size_t character) {
    math::Float4x4 *palette = &crowd->palettes[character * (size_t)crowd->joints];
    for (size_t i = 0; i < (size_t)crowd->joints; i++) {
        palette[i] = crowd->models[i] * crowd->inverse_binds[i];
    }
}

static bool finish(ozz_crowd *crowd, size_t character, const float *target, bool keep) {
    const bool done = to_models(crowd, ozz::animation::Skeleton::kNoParent, crowd->blended) &&
                      (!crowd->has_ik || run_ik(crowd, character, target, keep));
    if (done) {
        store_palette(crowd, character);
    }
    return done;
}

static bool blend_uses(ozz_crowd *crowd, const peer_uses &uses) {
    ozz::animation::BlendingJob::Layer layers[PEER_USES], additives[PEER_USES];
    size_t count = 0, additive_count = 0;
    const peer_use *end = uses.each + uses.count;
    const bool has_upper = std::any_of(uses.each, end, [](const peer_use &use) { return use.layer == PEER_UPPER; });
    for (uint32_t i = 0; i < uses.count; i++) {
        const peer_use &use = uses.each[i];
        auto &layer = use.layer == PEER_ADDITIVE ? additives[additive_count++] : layers[count++];
        layer.weight = use.weight;
        layer.transform = ozz::make_span(crowd->locals[i]);
        if (has_upper && use.layer != PEER_ADDITIVE) {
            layer.joint_weights = ozz::make_span(use.layer == PEER_UPPER ? crowd->upper : crowd->lower);
        }
    }
    ozz::animation::BlendingJob job;
    job.layers = {layers, count};
    job.additive_layers = {additives, additive_count};
    job.rest_pose = crowd->skeleton->joint_rest_poses();
    job.output = ozz::make_span(crowd->blended);
    return job.Run();
}

bool ozz_crowd_run_uses(ozz_crowd *crowd, const peer_uses *uses) {
    bool done = true;
    for (size_t i = 0; i < crowd->characters && done; i++) {
        for (uint32_t k = 0; k < uses[i].count && done; k++) {
            done = sample_clip(crowd, uses[i].each[k].clip, uses[i].each[k].time, i * crowd->context_count + k, k);
        }
        const bool blends = uses[i].count > 1;
        done = done && (!blends || blend_uses(crowd, uses[i])) &&
               to_models(crowd, ozz::animation::Skeleton::kNoParent, blends ? crowd->blended : crowd->locals[0]);
        if (done) {
            store_palette(crowd, i);
        }
    }
    return done;
}

static size_t parameter_count(const ozz_crowd *crowd) {
    return PEER_CLIPS + (crowd->has_ik ? 3 : 0);
}

static bool run(ozz_crowd *crowd, const float *parameters, bool keep) {
    bool done = true;
    for (size_t i = 0; i < crowd->characters && done; i++) {
        const float *own = parameters + i * parameter_count(crowd);
        done = sample(crowd, i, own) && blend(crowd) && finish(crowd, i, own + PEER_CLIPS, keep);
    }
    return done;
}

bool ozz_crowd_run(ozz_crowd *crowd, const float *parameters) {
    return run(crowd, parameters, false);
}

bool ozz_crowd_keep(ozz_crowd *crowd, const float *parameters) {
    return run(crowd, parameters, true);
}

bool ozz_crowd_run_ik(ozz_crowd *crowd, const float *parameters) {
    bool done = true;
    for (size_t i = 0; i < crowd->characters && done; i++) {
        ik_corrections found;
        done = solve(crowd, parameters + i * parameter_count(crowd) + PEER_CLIPS, crowd->kept[i], &found);
        crowd->ik_result = found.joints[0];
    }
    return done;
}

void ozz_crowd_palette(const ozz_crowd *crowd, uint32_t character, lmb_affine *palette) {
    for (size_t i = 0; i < (size_t)crowd->joints; i++) {
        const math::Float4x4 &from = crowd->palettes[character * (size_t)crowd->joints + i];
        lmb_affine &to = palette[crowd->rig_joints[i]];
        for (int column = 0; column < 4; column++) {
            float rows[4];
            math::StorePtrU(from.cols[column], rows);
            for (int row = 0; row < 3; row++) {
                to.m[row][column] = rows[row];
            }
        }
    }
}

size_t ozz_clip_bytes(const ozz_crowd *crowd, uint32_t clip) {
    return crowd->clips[clip]->size();
}
