#include "peer.h"

#include <acl/compression/compress.h>
#include <acl/compression/pre_process.h>
#include <acl/compression/track_array.h>
#include <acl/compression/transform_error_metrics.h>
#include <acl/core/ansi_allocator.h>
#include <acl/decompression/decompress.h>

#include <memory>
#include <vector>

struct acl_clip {
    acl::ansi_allocator allocator;
    acl::compressed_tracks *tracks = nullptr;
    acl::decompression_context<acl::default_transform_decompression_settings> context;
    std::vector<rtm::qvvf> pose;
};

// Receives a pose.
struct pose_writer : acl::track_writer {
    rtm::qvvf *pose;

    void RTM_SIMD_CALL write_rotation(uint32_t track, rtm::quatf_arg0 rotation) {
        pose[track].rotation = rotation;
    }
    void RTM_SIMD_CALL write_translation(uint32_t track, rtm::vector4f_arg0 translation) {
        pose[track].translation = translation;
    }
    void RTM_SIMD_CALL write_scale(uint32_t track, rtm::vector4f_arg0 scale) {
        pose[track].scale = scale;
    }
};

static rtm::qvvf transform_of(const lmb_transform &from) {
    const float *t = from.translation, *q = from.rotation, *s = from.scale;
    return rtm::qvv_set(rtm::quat_set(q[0], q[1], q[2], q[3]), rtm::vector_set(t[0], t[1], t[2], 0.0f),
                        rtm::vector_set(s[0], s[1], s[2], 0.0f));
}

acl_clip *acl_clip_create(const lmb_rig *rig, const sampled_clip *sampled, float precision, float shell) {
    auto clip = std::make_unique<acl_clip>();
    const uint32_t joints = lmb_rig_get_def(rig)->joint_count;
    acl::track_array_qvvf raw(clip->allocator, joints);
    for (uint32_t joint = 0; joint < joints; joint++) {
        const uint32_t parent = lmb_rig_get_def(rig)->joints[joint].parent;
        acl::track_desc_transformf desc;
        desc.output_index = joint;
        desc.parent_index = parent == LMB_NONE ? acl::k_invalid_track_index : parent;
        desc.precision = precision;
        desc.shell_distance = shell;
        auto track =
            acl::track_qvvf::make_reserve(desc, clip->allocator, sampled->key_count, (float)PEER_KEYS_A_SECOND);
        for (uint32_t key = 0; key < sampled->key_count; key++) {
            track[key] = transform_of(sampled->poses[(size_t)key * joints + joint]);
        }
        raw[joint] = std::move(track);
    }
    acl::compression_settings settings = acl::get_default_compression_settings();
    settings.level = acl::compression_level8::highest;
    acl::qvvf_transform_error_metric metric;
    settings.error_metric = &metric;
    acl::output_stats stats;
    const acl::error_result result = acl::compress_track_list(clip->allocator, raw, settings, clip->tracks, stats);
    if (result.any() || !clip->context.initialize(*clip->tracks)) {
        acl_clip_destroy(clip.release());
        return nullptr;
    }
    clip->pose.resize(joints);
    return clip.release();
}

void acl_clip_destroy(acl_clip *clip) {
    if (clip != nullptr && clip->tracks != nullptr) {
        clip->allocator.deallocate(clip->tracks, clip->tracks->get_size());
    }
    delete clip;
}

void acl_clip_run(acl_clip *clip, const float *times, uint32_t count) {
    pose_writer writer;
    writer.pose = clip->pose.data();
    for (uint32_t i = 0; i < count; i++) {
        clip->context.seek(times[i], acl::sample_rounding_policy::none);
        clip->context.decompress_tracks(writer);
    }
}

void acl_clip_pose(const acl_clip *clip, lmb_transform *pose) {
    for (size_t i = 0; i < clip->pose.size(); i++) {
        float t[4], q[4], s[4];
        rtm::quat_store(clip->pose[i].rotation, q);
        rtm::vector_store(clip->pose[i].translation, t);
        rtm::vector_store(clip->pose[i].scale, s);
        for (int k = 0; k < 4; k++) {
            pose[i].rotation[k] = q[k];
            if (k < 3) {
                pose[i].translation[k] = t[k];
                pose[i].scale[k] = s[k];
            }
        }
    }
}

size_t acl_clip_bytes(const acl_clip *clip) {
    return clip->tracks->get_size();
}
