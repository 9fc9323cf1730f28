#include "peer.h"

#include <ozz/animation/offline/additive_animation_builder.h>
#include <ozz/animation/offline/animation_builder.h>
#include <ozz/animation/offline/animation_optimizer.h>
#include <ozz/animation/offline/raw_animation.h>
#include <ozz/animation/offline/raw_skeleton.h>
#include <ozz/animation/offline/skeleton_builder.h>
#include <ozz/animation/runtime/animation.h>
#include <ozz/animation/runtime/blending_job.h>
#include <ozz/animation/runtime/local_to_model_job.h>
#include <ozz/animation/runtime/sampling_job.h>
#include <ozz/animation/runtime/skeleton.h>
#include <ozz/base/containers/vector.h>
#include <ozz/base/maths/simd_math.h>
#include <ozz/base/maths/soa_transform.h>
#include <ozz/base/memory/unique_ptr.h>

#include <cstdlib>
#include <memory>
#include <vector>

using ozz::animation::offline::RawAnimation;
using ozz::animation::offline::RawSkeleton;
namespace offline = ozz::animation::offline;
namespace math = ozz::math;

struct ozz_crowd {
    uint32_t characters;
    int joints;
    std::vector<int> rig_joints; // [ozz's joint]: ozz has its own order
    ozz::unique_ptr<ozz::animation::Skeleton> skeleton;
    ozz::unique_ptr<ozz::animation::Animation> clips[PEER_CLIPS];
    std::vector<std::unique_ptr<ozz::animation::SamplingJob::Context>> contexts; // [character][clip]
    ozz::vector<math::Float4x4> inverse_binds;
    ozz::vector<math::Float4x4> palettes; // [character][ozz's joint]
    // Memory of one character at a time.
    ozz::vector<math::SoaTransform> locals[PEER_CLIPS];
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
    for (uint32_t i = 0; i < lmb_rig_joint_count(rig); i++) {
        if (lmb_rig_joint_parent(rig, i) == parent) {
            RawSkeleton::Joint joint;
            joint.name = std::to_string(i).c_str();
            joint.transform = transform_of(lmb_rig_joint_rest(rig, i));
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
        crowd->inverse_binds.push_back(matrix_of(lmb_rig_joint_inverse_bind(rig, (uint32_t)joint)));
    }
    return true;
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
    }
    return raw;
}

// The last clip is an additive from the rest pose.
static bool create_clip(const lmb_rig *rig, ozz_crowd *crowd, const sampled_clip &clip, uint32_t index,
                        bool optimised) {
    RawAnimation raw = make_raw(crowd, clip);
    if (index == PEER_CLIPS - 1) {
        ozz::vector<math::Transform> rest;
        for (int joint : crowd->rig_joints) {
            rest.push_back(transform_of(lmb_rig_joint_rest(rig, (uint32_t)joint)));
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
    crowd->clips[index] = offline::AnimationBuilder()(raw);
    return crowd->clips[index] != nullptr;
}

ozz_crowd *ozz_crowd_create(const lmb_rig *rig, const sampled_clip clips[PEER_CLIPS], uint32_t characters,
                            bool optimised) {
    auto crowd = std::make_unique<ozz_crowd>();
    crowd->characters = characters;
    if (!create_skeleton(rig, crowd.get())) {
        return nullptr;
    }
    for (uint32_t i = 0; i < PEER_CLIPS; i++) {
        if (!create_clip(rig, crowd.get(), clips[i], i, optimised)) {
            return nullptr;
        }
        crowd->locals[i].resize((size_t)crowd->skeleton->num_soa_joints());
    }
    crowd->blended.resize((size_t)crowd->skeleton->num_soa_joints());
    crowd->models.resize((size_t)crowd->joints);
    crowd->palettes.resize((size_t)crowd->joints * characters);
    for (size_t i = 0; i < (size_t)characters * PEER_CLIPS; i++) {
        crowd->contexts.push_back(std::make_unique<ozz::animation::SamplingJob::Context>(crowd->joints));
    }
    return crowd.release();
}

void ozz_crowd_destroy(ozz_crowd *crowd) {
    delete crowd;
}

static bool sample(ozz_crowd *crowd, size_t character, const float *times) {
    for (size_t i = 0; i < PEER_CLIPS; i++) {
        ozz::animation::SamplingJob job;
        job.animation = crowd->clips[i].get();
        job.context = crowd->contexts[character * PEER_CLIPS + i].get();
        job.ratio = times[i] / crowd->clips[i]->duration();
        job.output = ozz::make_span(crowd->locals[i]);
        if (!job.Run()) {
            return false;
        }
    }
    return true;
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

static bool finish(ozz_crowd *crowd, size_t character) {
    ozz::animation::LocalToModelJob job;
    job.skeleton = crowd->skeleton.get();
    job.input = ozz::make_span(crowd->blended);
    job.output = ozz::make_span(crowd->models);
    if (!job.Run()) {
        return false;
    }
    math::Float4x4 *palette = &crowd->palettes[character * (size_t)crowd->joints];
    for (size_t i = 0; i < (size_t)crowd->joints; i++) {
        palette[i] = crowd->models[i] * crowd->inverse_binds[i];
    }
    return true;
}

bool ozz_crowd_run(ozz_crowd *crowd, const float *times) {
    bool done = true;
    for (size_t i = 0; i < crowd->characters && done; i++) {
        done = sample(crowd, i, times + i * PEER_CLIPS) && blend(crowd) && finish(crowd, i);
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
