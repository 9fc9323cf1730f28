/// @file skin.h
/// @ingroup cpu
/// Skins the vertices of meshes: writes positions, normals and tangents of the visible characters, from their palettes.
///
/// A renderer usually skins in its vertex shader and needs nothing of this. It is for those that need skinned vertices
/// in memory: ray tracing (building or refitting acceleration structures), mesh shaders, and several passes that would
/// each skin the same vertices again. lmb_skin_run() runs on the CPU, gpu_skin.h in a compute kernel; both give the
/// same bits.
///
/// **The mesh.** An lmb_skin is the bind pose of one mesh: positions, optional normals and tangents, and up to
/// #LMB_MAX_SKIN_INFLUENCES influences for each vertex. It is created once, as a copy of the host's vertex buffer, and
/// does not depend on a graph. lmb_skin_info.words is what the kernel reads; the host copies it to the device.
///
/// **Linear blend skinning** (#LMB_SKIN_METHOD_LINEAR). With the palette's matrices M[j], and the weights w of a
/// vertex, which are divided by their sum when the mesh is created:
///
///     M = sum of w[i] M[joint[i]]
///     position' = M position
///     normal'   = normalize(inverse transpose of M's linear part, times normal)
///     tangent'  = normalize(M's linear part times tangent.xyz), and the sign tangent.w
///
/// The sum is that of matrices. lmb_skin_create() sorts the influences of a vertex by their weights, the largest first,
/// so joint[0] has the largest weight; the sum is in this order. Normals are right for any scale and shear. The inverse
/// transpose is computed from cross products of M's rows, so a matrix that flattens the mesh has normals too. If M
/// mirrors, tangent.w changes its sign.
///
/// **Dual quaternion skinning** (#LMB_SKIN_METHOD_DUAL_QUATERNION) keeps the volume of twisted joints. Its palette is
/// the output #LMB_OUTPUT_DUAL_QUATERNIONS of a batch, which describes how these follow from the model matrices
/// (batch.h). With the rotations r[j] and dual parts d[j]:
///
///     r = sum of w[i] s[i] r[joint[i]],   d = sum of w[i] s[i] d[joint[i]]
///     s[i] = -1 if the dot product of r[joint[i]] and r[joint[0]] is negative, else 1
///     position' = rotation r / |r| of position, plus the vector part of 2 (d / |r|) conjugate(r / |r|)
///     normal'   = normalize(the rotation of normal), and the same for the tangent
///
/// Source: L. Kavan, S. Collins, J. Zara, C. O'Sullivan, "Skinning with Dual Quaternions", Symposium on Interactive 3D
/// Graphics 2007. **Scale is lost**, as it is in these dual quaternions: every vertex moves rigidly. Scale and
/// mirroring that pose and bind pose share have no effect. Use linear blend skinning for joints that scale.
///
/// **Morph targets** displace vertices before they are skinned. With the displacements of the targets t, and weights
/// c[t] from float channels of the batch (#LMB_OUTPUT_CHANNELS), in the order of the targets:
///
///     position = position + sum of c[t] position[t]
///     normal   = normalize(normal + sum of c[t] normal[t]),   and the same for x y z of the tangent
///
/// A target of weight 0 is skipped: a vertex that no target displaces has the same bits as in a mesh without targets.
/// Only the vertices that a target displaces are stored. Source: glTF 2.0, section 3.7.2.2.
///
/// **Outputs.** A stream is an array of elements at a stride: those of a character are consecutive, at place *
/// `character_vertices` + vertex. So streams can be separate, or interleaved in one vertex buffer, whose other
/// attributes stay as they are. Formats are float and, for normals and tangents, four 16-bit signed normalised
/// integers. Floats are snapped as all outputs are (math.h). Against float64 the error of a position is at most 1e-6
/// times the largest component of |M| |position|, that of a component of a linearly skinned normal at most 1e-5 if the
/// columns of M's linear part are independent and of similar length, if all weights are 0 or at least 2^-40.
///
/// **Invalid input.** Values of the mesh are checked when it is created. Palettes, channels and lists, which the host
/// or a device writes later, are checked by each run, and what is refused is counted as follows, by lmb_refusal:
/// - #LMB_REFUSED_POSE: a vertex with a joint whose matrix or dual quaternion has a component that is not finite or
///   above 2^40, or whose dual quaternions have no rotation. The vertex is written as it is before skinning. Counted
///   once for each vertex, and once more for its previous position.
/// - #LMB_REFUSED_WEIGHT: the weight of a morph target that is not finite. The target is skipped. Counted once for each
///   vertex that it displaces, and once more for its previous position.
/// - #LMB_REFUSED_CHARACTER: an index in the list that is not below lmb_skin_layout.character_count. Nothing is written
///   for it. Of several runs for the spans of a batch only the one that begins with character 0 counts it. On the GPU
///   also once for a list that is longer than its capacity.
///
/// **Cost.** A vertex reads `influence_count` matrices of 48 bytes, or dual quaternions of 32, and writes its streams.
#ifndef LIMBER_SKIN_H
#define LIMBER_SKIN_H

#include <limber/batch.h>
#include <limber/cpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup cpu
/// @{

/// The bind pose of a mesh, immutable once created. Several threads may use it at a time.
typedef struct lmb_skin lmb_skin;

#define LMB_MAX_SKIN_INFLUENCES 8u
/// Most vertices of a mesh.
#define LMB_MAX_SKIN_VERTICES 4000000u
/// Largest stride of an attribute or a stream, in bytes.
#define LMB_MAX_SKIN_STRIDE 1020u

/// Formats of attributes and streams.
typedef enum lmb_skin_format {
    LMB_SKIN_FORMAT_NONE,    ///< absent
    LMB_SKIN_FORMAT_FLOAT,   ///< 32-bit floats: 3 for positions and normals, 4 for tangents, one for each weight
    LMB_SKIN_FORMAT_SNORM16, ///< normals, tangents: 4 signed integers, divided by 32767; the fourth of a normal is 0
    LMB_SKIN_FORMAT_UINT8,   ///< joints, and weights divided by 255
    LMB_SKIN_FORMAT_UINT16,  ///< joints, and weights divided by 65535
    LMB_SKIN_FORMAT_UINT32,  ///< joints
    LMB_SKIN_FORMAT_COUNT
} lmb_skin_format;

/// An attribute of the host's vertices, read when the mesh is created. Needs no alignment.
typedef struct lmb_skin_attribute {
    lmb_skin_format format;
    const void *data; ///< of the first vertex
    uint32_t stride;  ///< bytes from vertex to vertex, at most #LMB_MAX_SKIN_STRIDE; 0: without gaps
} lmb_skin_attribute;

/// The displacement of a vertex by a morph target. 40 bytes, no padding.
typedef struct lmb_skin_delta {
    uint32_t vertex;
    float position[3];
    float normal[3];  ///< ignored if the mesh has no normals
    float tangent[3]; ///< of x y z; ignored if the mesh has no tangents
} lmb_skin_delta;

/// A morph target (blend shape): the vertices that it displaces.
typedef struct lmb_skin_target {
    const char *name;             ///< for messages; may be NULL
    uint32_t channel;             ///< of the rig: its value is the weight of the target
    const lmb_skin_delta *deltas; ///< vertices in ascending order, each at most once
    uint32_t delta_count;         ///< may be 0
} lmb_skin_target;

/// The mesh from which an lmb_skin is made. Start from lmb_default_skin_def().
typedef struct lmb_skin_def {
    const char *name;         ///< for messages; NULL means "mesh"; copied
    uint32_t joint_count;     ///< of the rig: 1 to #LMB_MAX_JOINTS
    uint32_t vertex_count;    ///< 1 to #LMB_MAX_SKIN_VERTICES
    uint32_t influence_count; ///< of each vertex: 1 to #LMB_MAX_SKIN_INFLUENCES
    /// #LMB_SKIN_FORMAT_FLOAT: in the bind pose's model space.
    lmb_skin_attribute positions;
    /// #LMB_SKIN_FORMAT_FLOAT, #LMB_SKIN_FORMAT_SNORM16 or #LMB_SKIN_FORMAT_NONE. Made unit length; a zero normal stays
    /// zero.
    lmb_skin_attribute normals;
    /// #LMB_SKIN_FORMAT_FLOAT, #LMB_SKIN_FORMAT_SNORM16 or #LMB_SKIN_FORMAT_NONE: direction x y z, and w, the sign of
    /// the bitangent: -1 if w is negative, else 1. May be given without normals.
    lmb_skin_attribute tangents;
    /// #LMB_SKIN_FORMAT_UINT8, #LMB_SKIN_FORMAT_UINT16 or #LMB_SKIN_FORMAT_UINT32, `influence_count` of them: indices
    /// of the rig's joints. The joint of a weight of 0 is ignored.
    lmb_skin_attribute joints;
    /// #LMB_SKIN_FORMAT_FLOAT, #LMB_SKIN_FORMAT_UINT8 or #LMB_SKIN_FORMAT_UINT16, as many. Divided by their sum.
    lmb_skin_attribute weights;
    const lmb_skin_target *targets; ///< morph targets
    uint32_t target_count;          ///< at most #LMB_MAX_CHANNELS; 0 for none
    uint32_t channel_count;         ///< float channels of the rig, if there are targets
} lmb_skin_def;

/// No name, no attributes, 4 influences.
LMB_API lmb_skin_def lmb_default_skin_def(void);

/// Creates a mesh from copies of the attributes.
///
/// Fails with #LMB_ERROR_ARGUMENT if a pointer is NULL, a format is not one of the stated ones, a stride is shorter
/// than an element, a joint is not below `joint_count`, a position, normal, tangent or weight is not finite or above
/// 2^40, a weight is negative, or the weights of a vertex are all 0; the message names mesh, attribute and vertex. Also
/// if a target has a channel or a vertex that does not exist, vertices that do not ascend, or a displacement that is
/// not finite or above 2^40; the message names target and vertex. With #LMB_ERROR_LIMIT if a count is out of range, or
/// the mesh would take 2^31 words or more, and with #LMB_ERROR_MEMORY. `host` may be NULL.
LMB_API lmb_result lmb_skin_create(const lmb_skin_def *def, const lmb_host *host, lmb_skin **skin, lmb_error *error);
/// NULL is allowed. No run may use it any more.
LMB_API void lmb_skin_destroy(lmb_skin *skin);

/// What a skin has.
typedef struct lmb_skin_info {
    uint32_t vertex_count;
    uint32_t joint_count;     ///< of the rig
    uint32_t influence_count; ///< the most that a vertex has, without those of weight 0
    bool has_targets;         ///< whether morph targets displace a vertex: runs then need the channels
    /// The words that the kernel reads: for a run on a device, the host copies them to a buffer, unchanged. They depend
    /// on the version of the library, so do not store them in files.
    const uint32_t *words;
    size_t word_count;
} lmb_skin_info;

/// Returns what a skin has. It lives as long as the skin.
LMB_API const lmb_skin_info *lmb_skin_get_info(const lmb_skin *skin);

typedef enum lmb_skin_method {
    LMB_SKIN_METHOD_LINEAR,          ///< from #LMB_OUTPUT_PALETTE
    LMB_SKIN_METHOD_DUAL_QUATERNION, ///< from #LMB_OUTPUT_DUAL_QUATERNIONS
    LMB_SKIN_METHOD_COUNT
} lmb_skin_method;

/// Outputs of a run.
typedef enum lmb_skin_output {
    LMB_SKIN_OUTPUT_POSITIONS,          ///< #LMB_SKIN_FORMAT_FLOAT
    LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS, ///< #LMB_SKIN_FORMAT_FLOAT; from the previous palette, which is then needed
    LMB_SKIN_OUTPUT_NORMALS,            ///< #LMB_SKIN_FORMAT_FLOAT or #LMB_SKIN_FORMAT_SNORM16
    LMB_SKIN_OUTPUT_TANGENTS,           ///< #LMB_SKIN_FORMAT_FLOAT or #LMB_SKIN_FORMAT_SNORM16
    LMB_SKIN_OUTPUT_COUNT
} lmb_skin_output;

/// Returns the name of an output: "positions", "previous positions", "normals", "tangents".
LMB_API const char *lmb_skin_output_name(lmb_skin_output output);

/// The layout of a stream.
typedef struct lmb_skin_stream {
    lmb_skin_format format; ///< #LMB_SKIN_FORMAT_NONE: not written
    uint32_t stride;        ///< bytes from vertex to vertex, a multiple of 4; 0: without gaps
} lmb_skin_stream;

/// How a run skins, for which characters, and what it writes. The same on the CPU and on the GPU. Start from
/// lmb_default_skin_layout().
typedef struct lmb_skin_layout {
    lmb_skin_method method;
    uint32_t character_count; ///< of the batch: indices in a list must be below
    /// The characters of the palette: all of the batch, or a span of them (lmb_gpu_span). Listed characters outside of
    /// a span are left to the runs of other spans.
    uint32_t first_character;
    uint32_t palette_count; ///< characters of the palette
    /// False: a character's place in the streams is its index minus `first_character`; they have room for
    /// `palette_count` characters. True: with a list, its place is its position in the list (without one this has no
    /// effect); the streams have room for as many characters as the list has indices, on the GPU for `list_capacity`.
    bool packed;
    uint32_t character_vertices; ///< vertices from character to character, at least those of the mesh; 0: as many
    lmb_skin_stream streams[LMB_SKIN_OUTPUT_COUNT];
} lmb_skin_layout;

/// Linear, for a batch of `character_count` characters in one span; writes positions as floats without gaps, and
/// nothing else.
LMB_API lmb_skin_layout lmb_default_skin_layout(uint32_t character_count);

/// Returns the stride of a stream in bytes: what the layout states, or that of the format without gaps. 0 for a stream
/// that is not written.
LMB_API uint32_t lmb_skin_stride(const lmb_skin_layout *layout, lmb_skin_output output);
/// Returns the bytes from character to character in a stream: the stride times `character_vertices`, or the vertices of
/// the mesh if that is 0.
LMB_API size_t lmb_skin_character_bytes(const lmb_skin *skin, const lmb_skin_layout *layout, lmb_skin_output output);

/// Checks a layout for a mesh. `characters` is the number of characters that the streams have room for.
///
/// Fails with #LMB_ERROR_ARGUMENT if a pointer is NULL, no stream is written, a format or a stride is not possible, the
/// mesh lacks the attribute, or the span is not within the batch; with #LMB_ERROR_LIMIT if a stream or the palette
/// would have 2^31 words or more. Runs check this, too.
LMB_API lmb_result lmb_skin_check_layout(const lmb_skin *skin, const lmb_skin_layout *layout, uint32_t characters,
                                         lmb_error *error);

/// Caller-owned memory of a run on the CPU, aligned to 4. Start from a zeroed one.
typedef struct lmb_skin_run_info {
    lmb_skin_layout layout;
    /// Of the span's characters: float [palette_count][J][3][4], the batch's #LMB_OUTPUT_PALETTE, or float
    /// [palette_count][J][8], its #LMB_OUTPUT_DUAL_QUATERNIONS.
    const float *palette;
    /// The same of the frame before, needed for #LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS: #LMB_OUTPUT_PREVIOUS_PALETTE of
    /// this frame, or kept from the last one, as dual quaternions must be. In the first frame of a character give it
    /// the palette of this frame.
    const float *previous_palette;
    /// Of the span's characters: float [palette_count][channel_count], the batch's #LMB_OUTPUT_CHANNELS. Needed if
    /// lmb_skin_info.has_targets, and those of the frame before for #LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS.
    const float *channels;
    const float *previous_channels;
    const uint32_t *list;                 ///< indices of characters, or NULL: all of the span
    uint32_t list_count;                  ///< number of these indices
    void *streams[LMB_SKIN_OUTPUT_COUNT]; ///< the first element of each stream that is written
    uint32_t *refused_sums; ///< #LMB_REFUSAL_COUNT counters, which a run adds to: zero them before; may be NULL
} lmb_skin_run_info;

/// Skins on the CPU.
///
/// Allocates nothing. Threads may share a run: give each a part of the list or of the span, and its own counters.
/// Unlike those of lmb_cpu_run_range(), pointers are those of the part: with another `first_character` palettes and
/// channels begin there too, and streams begin at the part's first character. A character that is listed twice is
/// skinned twice. The caller's floating-point environment does not affect the result and is restored. Fails as
/// lmb_skin_check_layout() does, with #LMB_ERROR_ARGUMENT if a needed pointer is NULL, and with #LMB_ERROR_UNSUPPORTED
/// if this machine lacks the path.
LMB_API lmb_result lmb_skin_run(const lmb_skin *skin, lmb_cpu_path path, const lmb_skin_run_info *info,
                                lmb_error *error);

/// @}

#ifdef __cplusplus
}
#endif

#endif
