// Skins the vertices of one character on the CPU, several consecutive vertices at once. Compiled once for each number
// of lanes; see simd.h.
#include "skin.h"

#include "math/inline_ops.h"

#include "../../shaders/ops/outputs.h"

typedef const float *skin_palette;

// Loads `rows` rows of four floats for the joint of each lane.
OP void load_joint_rows(skin_palette palette, word joint, uint rows, real v[][4]) {
#ifdef LMB_SIMD_WIDTH
    const uint32_t *from[SIMD_WIDTH];
    for (int lane = 0; lane < SIMD_WIDTH; lane++) {
        from[lane] = (memory)palette + (size_t)LANE(joint, lane) * rows * 4u;
    }
    for (uint row = 0; row < rows; row++) {
        lmb_load_rows_of(from, v[row]);
        for (int lane = 0; lane < SIMD_WIDTH; lane++) {
            from[lane] += 4;
        }
    }
#else
    memcpy(v, palette + (size_t)joint * rows * 4u, rows * sizeof v[0]);
#endif
}

OP affine load_joint_matrix(skin_palette palette, word joint) {
    real v[3][4];
    load_joint_rows(palette, joint, 3, v);
    return affine_of_rows(make_row(v[0][0], v[0][1], v[0][2], v[0][3]), make_row(v[1][0], v[1][1], v[1][2], v[1][3]),
                          make_row(v[2][0], v[2][1], v[2][2], v[2][3]));
}

OP dual_quaternion load_joint_dual(skin_palette palette, word joint) {
    real v[2][4];
    load_joint_rows(palette, joint, 2, v);
    return (dual_quaternion){make_quaternion(v[0][0], v[0][1], v[0][2], v[0][3]),
                             make_quaternion(v[1][0], v[1][1], v[1][2], v[1][3])};
}

#include "../../shaders/ops/skin.h"

#define JOIN_NAMES(a, b, c) a##b##c
#define NAME_SIMD(a, lanes, c) JOIN_NAMES(a, lanes, c)
#define SKIN_RUN NAME_SIMD(lmb_skin_simd_, SIMD_WIDTH, _run)

_Static_assert(SKIN_PADDING % SIMD_WIDTH == 0, "lanes exceed the padding of tables");
_Static_assert(SKIN_OUTPUTS == LMB_SKIN_OUTPUT_COUNT, "the kernel has other outputs");

// Lanes of a job: the first vertex, and how many of the lanes have one.
typedef struct skin_lanes {
    uint32_t vertex;
    int count;
} skin_lanes;

// Stores `words` words for each lane.
OP void store_elements(const lmb_skin_job *job, lmb_skin_output output, skin_lanes lanes, uint32_t words,
                       const word values[4]) {
    const uint32_t stride = job->strides[output];
    char *to = job->streams[output] + (size_t)lanes.vertex * stride;
    for (int lane = 0; lane < lanes.count; lane++) {
        uint32_t element[4];
        for (uint32_t i = 0; i < words; i++) {
            element[i] = LANE(values[i], lane);
        }
        memcpy(to, element, words * sizeof element[0]);
        to += stride;
    }
}

OP void store_vector(const lmb_skin_job *job, lmb_skin_output output, skin_lanes lanes, vector v) {
    const word values[4] = {BITS(v.x), BITS(v.y), BITS(v.z)};
    store_elements(job, output, lanes, 3, values);
}

OP void store_normal(const lmb_skin_job *job, skin_lanes lanes, vector v) {
    if (job->layout->streams[LMB_SKIN_OUTPUT_NORMALS].format == LMB_SKIN_FORMAT_SNORM16) {
        const word values[4] = {snorm16_pair(v.x, v.y), snorm16_pair(v.z, SPLAT(0.0f))};
        store_elements(job, LMB_SKIN_OUTPUT_NORMALS, lanes, 2, values);
    } else {
        store_vector(job, LMB_SKIN_OUTPUT_NORMALS, lanes, v);
    }
}

OP void store_tangent(const lmb_skin_job *job, skin_lanes lanes, vector v, real side) {
    if (job->layout->streams[LMB_SKIN_OUTPUT_TANGENTS].format == LMB_SKIN_FORMAT_SNORM16) {
        const word values[4] = {snorm16_pair(v.x, v.y), snorm16_pair(v.z, side)};
        store_elements(job, LMB_SKIN_OUTPUT_TANGENTS, lanes, 2, values);
    } else {
        const word values[4] = {BITS(v.x), BITS(v.y), BITS(v.z), BITS(side)};
        store_elements(job, LMB_SKIN_OUTPUT_TANGENTS, lanes, 4, values);
    }
}

OP bool writes(const lmb_skin_job *job, lmb_skin_output output) {
    return job->layout->streams[output].format != LMB_SKIN_FORMAT_NONE;
}

// Counts the lanes that have a vertex and an invalid palette.
OP void count_refused(const lmb_skin_job *job, skin_lanes lanes, word refused) {
    if (job->refused != NULL && ANY(is_refused(refused))) {
        for (int lane = 0; lane < lanes.count; lane++) {
            job->refused[LMB_REFUSED_POSE] += LANE(refused, lane) >> 31u;
        }
    }
}

OP void store_current(const lmb_skin_job *job, skin_lanes lanes, vector position, skin_vertex turned) {
    if (writes(job, LMB_SKIN_OUTPUT_POSITIONS)) {
        store_vector(job, LMB_SKIN_OUTPUT_POSITIONS, lanes, position);
    }
    if (writes(job, LMB_SKIN_OUTPUT_NORMALS)) {
        store_normal(job, lanes, turned.normal);
    }
    if (writes(job, LMB_SKIN_OUTPUT_TANGENTS)) {
        store_tangent(job, lanes, turned.tangent, turned.side);
    }
}

OP bool turns(const lmb_skin_job *job) {
    return writes(job, LMB_SKIN_OUTPUT_NORMALS) || writes(job, LMB_SKIN_OUTPUT_TANGENTS);
}

// Displaces vertices by the morph targets, if the mesh has any.
OP skin_vertex morph(const lmb_skin_job *job, skin_lanes lanes, const float *channels, skin_vertex v, bool turned) {
    if (job->block[FIELD(SKIN, morphs)] == 0) {
        return v;
    }
    const skin_channels from = {(memory)channels, 0};
    const skin_morphed morphed = morph_vertex(job->block, lanes.vertex, v, from, turned);
    for (int lane = 0; lane < lanes.count && job->refused != NULL; lane++) {
        job->refused[LMB_REFUSED_WEIGHT] += LANE(morphed.refused, lane);
    }
    return morphed.v;
}

// Skins vertices for the current frame or, for its positions alone, the previous one.
OP void skin_frame(const lmb_skin_job *job, skin_lanes lanes, skin_vertex bound, bool is_current) {
    const skin_palette palette = is_current ? job->palette : job->previous_palette;
    const bool turned = is_current && turns(job);
    skin_vertex v = morph(job, lanes, is_current ? job->channels : job->previous_channels, bound, turned);
    vector position;
    if (job->layout->method == LMB_SKIN_METHOD_LINEAR) {
        const skin_matrix motion = blend_joint_matrices(job->block, lanes.vertex, palette);
        count_refused(job, lanes, motion.refused);
        position = move_point(motion.m, v.position);
        v = turned ? turn_by_matrix(v, motion.m) : v;
    } else {
        const skin_rigid motion = blend_joint_duals(job->block, lanes.vertex, palette);
        count_refused(job, lanes, motion.refused);
        position = move_rigidly(motion, v.position);
        v = turned ? turn_rigidly(v, motion) : v;
    }
    if (is_current) {
        store_current(job, lanes, position, v);
    } else {
        store_vector(job, LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS, lanes, position);
    }
}

void SKIN_RUN(const lmb_skin_job *job) {
    const uint32_t vertices = job->block[FIELD(SKIN, vertices)];
    for (uint32_t first = 0; first < vertices; first += SIMD_WIDTH) {
        const uint32_t left = vertices - first;
        const skin_lanes lanes = {first, left < SIMD_WIDTH ? (int)left : SIMD_WIDTH};
        const skin_vertex v = load_skin_vertex(job->block, first);
        if (lmb_skin_needs_current(job->layout)) {
            skin_frame(job, lanes, v, true);
        }
        if (writes(job, LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS)) {
            skin_frame(job, lanes, v, false);
        }
    }
}
