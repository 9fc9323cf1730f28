// Measures a character in the poses of its base clips, or in those of a graph.
#include "measure.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <limber/cpu.h>

#include "graphics.h"

#define SAMPLES 12u // of each base clip
#define DISPLAY_SIZE 1.7f
// A joint that is higher by no more than this share of all joints' height than the lowest one is low.
#define FOOT_SHARE 0.14f

// The palettes of some poses.
typedef struct poses {
    float *palettes;
    uint32_t count;
    uint32_t joint_count;
} poses;

static const float *palette_of(const poses *poses, uint32_t pose) {
    return poses->palettes + (size_t)pose * poses->joint_count * LMB_MATRIX_COMPONENTS;
}

static void ask_for_pose(const character *character, uint32_t pose, float *parameters) {
    uint32_t base = pose / SAMPLES;
    if (base < character->base_count) {
        float share = (float)(pose % SAMPLES) / (float)SAMPLES;
        parameters[PARAMETER_BASE_TIME + base] = share * lmb_clip_get_info(character->bases[base])->duration;
        parameters[PARAMETER_BASE_WEIGHT + base] = 1.0f;
    }
}

// Runs the poses of a graph for `count` rows of parameters: characters are at the origin, and so are all points unless
// `first_points` are those of one. The caller frees the palettes.
static lmb_result run_graph(const lmb_graph *graph, const float *parameters, const float *first_points, uint32_t count,
                            poses *poses, lmb_error *error) {
    const size_t row = (size_t)lmb_graph_get_info(graph)->point_count * 4, points = (size_t)count * row;
    *poses = (struct poses){.count = count, .joint_count = lmb_graph_get_info(graph)->joint_count};
    poses->palettes = calloc((size_t)count * poses->joint_count * LMB_MATRIX_COMPONENTS, sizeof(float));
    float *zeros = calloc(points + (size_t)count * LMB_MATRIX_COMPONENTS, sizeof(float));
    lmb_cpu *cpu = NULL;
    if (poses->palettes == NULL || zeros == NULL) {
        viewer_fail(error, LMB_ERROR_MEMORY, "no memory to measure the character");
    }
    if (poses->palettes == NULL || zeros == NULL || lmb_cpu_create(graph, LMB_CPU_FAST, NULL, &cpu, error)) {
        free(zeros);
        return error->result;
    }
    float *transforms = zeros + points;
    for (uint32_t i = 0; i < count; i++) {
        if (first_points != NULL) {
            memcpy(zeros + i * row, first_points, row * sizeof *zeros);
        }
        for (size_t axis = 0; axis < 3; axis++) {
            transforms[(size_t)i * LMB_MATRIX_COMPONENTS + axis * 5] = 1.0f;
        }
    }
    const lmb_batch_def batch = {graph, count, LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_inputs inputs = {.parameters = parameters, .points = zeros, .transforms = transforms};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_PALETTE] = poses->palettes};
    lmb_result result = lmb_cpu_run_poses(cpu, &batch, &inputs, &outputs, 0, batch.character_count, error);
    lmb_cpu_destroy(cpu);
    free(zeros);
    return result;
}

static lmb_result run_bases(const character *character, poses *poses, lmb_error *error) {
    const uint32_t count = SAMPLES * (character->base_count > 0 ? character->base_count : 1);
    float *parameters = calloc(count, PARAMETER_COUNT * sizeof(float));
    if (parameters == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory to measure the character");
    }
    for (uint32_t i = 0; i < count; i++) {
        ask_for_pose(character, i, parameters + (size_t)i * PARAMETER_COUNT);
    }
    const lmb_result result = run_graph(character->graph, parameters, NULL, count, poses, error);
    free(parameters);
    return result;
}

static void transform_point(const float *matrix, const float point[3], float result[3]) {
    for (size_t row = 0; row < 3; row++) {
        const float *m = matrix + row * 4;
        result[row] = m[0] * point[0] + m[1] * point[1] + m[2] * point[2] + m[3];
    }
}

static void skin_point(const float *palette, const lmb_vertex *vertex, float result[3]) {
    result[0] = result[1] = result[2] = 0.0f;
    for (size_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        if (vertex->weights[i] > 0.0f) {
            float moved[3];
            transform_point(palette + (size_t)vertex->joints[i] * LMB_MATRIX_COMPONENTS, vertex->position, moved);
            for (size_t axis = 0; axis < 3; axis++) {
                result[axis] += vertex->weights[i] * moved[axis];
            }
        }
    }
}

static void grow(measure_bounds *bounds, const float point[3]) {
    for (size_t axis = 0; axis < 3; axis++) {
        bounds->low[axis] = fminf(bounds->low[axis], point[axis]);
        bounds->high[axis] = fmaxf(bounds->high[axis], point[axis]);
    }
}

static void turn_about_y(float turn, float point[3]) {
    const float x = point[0], z = point[2];
    point[0] = cosf(turn) * x + sinf(turn) * z;
    point[2] = cosf(turn) * z - sinf(turn) * x;
}

// Returns the bounds over `count` poses from `first` on, whose points are turned about Y. Model units.
static measure_bounds find_bounds(const character *character, const poses *poses, uint32_t first, uint32_t count,
                                  float turn) {
    measure_bounds bounds = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    uint32_t level = character->level_count - 1;
    for (uint32_t i = 0; i < character_mesh_count(character, level); i++) {
        const lmb_mesh *mesh = character_mesh(character, level, i);
        for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++) {
            for (uint32_t pose = first; pose < first + count; pose++) {
                float point[3];
                skin_point(palette_of(poses, pose), &mesh->vertices[vertex], point);
                turn_about_y(turn, point);
                grow(&bounds, point);
            }
        }
    }
    return bounds;
}

lmb_result measure_poses(const character *character, const float *parameters, uint32_t count, float turn,
                         measure_bounds *bounds, lmb_error *error) {
    poses poses;
    lmb_result result = run_graph(character->graph, parameters, NULL, count, &poses, error);
    float origin[3];
    memcpy(origin, character->origin, sizeof origin);
    turn_about_y(turn, origin);
    for (uint32_t i = 0; result == LMB_OK && i < count; i++) {
        bounds[i] = find_bounds(character, &poses, i, 1, turn);
        for (size_t axis = 0; axis < 3; axis++) {
            bounds[i].low[axis] = (bounds[i].low[axis] - origin[axis]) * character->unit;
            bounds[i].high[axis] = (bounds[i].high[axis] - origin[axis]) * character->unit;
        }
    }
    free(poses.palettes);
    return result;
}

static bool bind_position(const lmb_rig *rig, uint32_t joint, float position[3]) {
    lmb_affine bind;
    if (!lmb_affine_invert(lmb_rig_get_def(rig)->joints[joint].inverse_bind, &bind)) {
        return false;
    }
    for (size_t axis = 0; axis < 3; axis++) {
        position[axis] = bind.m[axis][3];
    }
    return true;
}

static float lowest_height(const character *character, const poses *poses, uint32_t joint, const float position[3]) {
    float lowest = FLT_MAX;
    for (uint32_t pose = 0; pose < poses->count; pose++) {
        float point[3];
        transform_point(palette_of(poses, pose) + (size_t)joint * LMB_MATRIX_COMPONENTS, position, point);
        lowest = fminf(lowest, point[1]);
    }
    return (lowest - character->origin[1]) * character->unit;
}

// The joints of a rig in the rest pose, as lmb_root_motion_measure_feet() looks at them.
typedef struct resting {
    const lmb_rig *rig;
    lmb_affine *models;
    uint32_t *children; // without extra joints
    bool *has_skin;     // a vertex follows the joint
    float low, height;
} resting;

// A rigid mesh below a joint has an extra joint of its own: it counts for the joint.
static void find_skinned(const character *character, bool *has_skin) {
    const uint32_t level = character->level_count - 1;
    for (uint32_t i = 0; i < character_mesh_count(character, level); i++) {
        const lmb_mesh *mesh = character_mesh(character, level, i);
        for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++) {
            for (size_t k = 0; k < LMB_MAX_INFLUENCES; k++) {
                if (mesh->vertices[vertex].weights[k] > 0.0f) {
                    has_skin[mesh->vertices[vertex].joints[k]] = true;
                }
            }
        }
    }
    for (uint32_t joint = lmb_rig_get_def(character->rig)->joint_count; joint-- > 0;) {
        const uint32_t parent = lmb_rig_get_def(character->rig)->joints[joint].parent;
        if (has_skin[joint] && parent != LMB_NONE && lmb_rig_get_def(character->rig)->joints[joint].is_extra) {
            has_skin[parent] = true;
        }
    }
}

static void measure_rest(resting *rest) {
    float high = -FLT_MAX;
    rest->low = FLT_MAX;
    for (uint32_t joint = 0; joint < lmb_rig_get_def(rest->rig)->joint_count; joint++) {
        const uint32_t parent = lmb_rig_get_def(rest->rig)->joints[joint].parent;
        const lmb_affine local = lmb_affine_from_transform(lmb_rig_get_def(rest->rig)->joints[joint].rest);
        rest->models[joint] = parent != LMB_NONE ? lmb_affine_multiply(rest->models[parent], local) : local;
        if (!lmb_rig_get_def(rest->rig)->joints[joint].is_extra) {
            rest->low = fminf(rest->low, rest->models[joint].m[1][3]);
            high = fmaxf(high, rest->models[joint].m[1][3]);
            if (parent != LMB_NONE) {
                rest->children[parent]++;
            }
        }
    }
    rest->height = fmaxf(high - rest->low, 0.0f);
}

static bool is_low(const resting *rest, uint32_t joint) {
    return rest->models[joint].m[1][3] <= rest->low + FOOT_SHARE * rest->height;
}

// Returns the joint before a foot's if the contact is between both: it is low, too, and holds nothing else.
static uint32_t find_heel(const resting *rest, uint32_t joint) {
    const uint32_t parent = lmb_rig_get_def(rest->rig)->joints[joint].parent;
    return parent != LMB_NONE && rest->children[parent] == 1 && is_low(rest, parent) ? parent : LMB_NONE;
}

// A foot is the end of a limb that is low in the rest pose. A joint that only guides others, such as a pole, has no
// skin.
static bool is_foot(const resting *rest, uint32_t joint) {
    const uint32_t heel = find_heel(rest, joint);
    return !lmb_rig_get_def(rest->rig)->joints[joint].is_extra && rest->children[joint] == 0 && is_low(rest, joint) &&
           (rest->has_skin[joint] || (heel != LMB_NONE && rest->has_skin[heel]));
}

// Finds the middle between a joint and the one before it, in the bind pose: as far from the joint as in the rest pose.
static void find_middle(const resting *rest, uint32_t joint, float position[3]) {
    lmb_affine inverse, bind;
    if (lmb_affine_invert(lmb_affine_from_transform(lmb_rig_get_def(rest->rig)->joints[joint].rest), &inverse) &&
        lmb_affine_invert(lmb_rig_get_def(rest->rig)->joints[joint].inverse_bind, &bind)) {
        const float middle[3] = {0.5f * inverse.m[0][3], 0.5f * inverse.m[1][3], 0.5f * inverse.m[2][3]};
        transform_point(bind.m[0], middle, position);
    }
}

// Counts the vertices that follow a joint, and stores their bounds in the bind pose.
static uint32_t find_skin_of(const character *character, uint32_t joint, measure_bounds *bounds) {
    const uint32_t level = character->level_count - 1;
    uint32_t count = 0;
    *bounds = (measure_bounds){{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (uint32_t i = 0; i < character_mesh_count(character, level); i++) {
        const lmb_mesh *mesh = character_mesh(character, level, i);
        for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++) {
            const lmb_vertex *found = &mesh->vertices[vertex];
            bool follows = false;
            for (size_t k = 0; k < LMB_MAX_INFLUENCES; k++) {
                follows = follows || (found->weights[k] > 0.5f && found->joints[k] == joint);
            }
            if (follows) {
                grow(bounds, found->position);
                count++;
            }
        }
    }
    return count;
}

// A foot of one joint has its contact in the middle of its skin, which may be that of an extra joint below it.
static void find_sole(const character *character, const resting *rest, uint32_t foot, character_contact *contact) {
    uint32_t most = 0;
    for (uint32_t joint = foot; joint < lmb_rig_get_def(rest->rig)->joint_count; joint++) {
        const bool is_part = joint == foot || (lmb_rig_get_def(rest->rig)->joints[joint].is_extra &&
                                               lmb_rig_get_def(rest->rig)->joints[joint].parent == foot);
        measure_bounds bounds;
        const uint32_t count = is_part ? find_skin_of(character, joint, &bounds) : 0;
        if (count > most) {
            most = count;
            contact->joint = joint;
            for (size_t axis = 0; axis < 3; axis++) {
                contact->position[axis] = 0.5f * (bounds.low[axis] + bounds.high[axis]);
            }
        }
    }
}

static void find_contacts_of(character *character, const resting *rest, const poses *poses) {
    const uint32_t joint_count = lmb_rig_get_def(character->rig)->joint_count;
    for (uint32_t joint = 0; joint < joint_count && character->contact_count < CHARACTER_CONTACTS; joint++) {
        character_contact contact = {.joint = joint};
        if (!is_foot(rest, joint) || !bind_position(character->rig, joint, contact.position)) {
            continue;
        }
        if (find_heel(rest, joint) != LMB_NONE) {
            find_middle(rest, joint, contact.position);
        } else {
            find_sole(character, rest, joint, &contact);
        }
        contact.planted = lowest_height(character, poses, contact.joint, contact.position);
        character->contacts[character->contact_count++] = contact;
    }
}

// Finds the points below the middles of the feet.
static lmb_result find_contacts(character *character, const poses *poses, lmb_error *error) {
    const size_t joints = lmb_rig_get_def(character->rig)->joint_count;
    resting rest = {.rig = character->rig,
                    .models = calloc(joints + 1, sizeof *rest.models),
                    .children = calloc(joints + 1, sizeof *rest.children),
                    .has_skin = calloc(joints + 1, sizeof *rest.has_skin)};
    lmb_result result = LMB_OK;
    character->contact_count = 0;
    if (rest.models == NULL || rest.children == NULL || rest.has_skin == NULL) {
        result = viewer_fail(error, LMB_ERROR_MEMORY, "no memory to measure the character");
    } else {
        measure_rest(&rest);
        find_skinned(character, rest.has_skin);
        find_contacts_of(character, &rest, poses);
    }
    free(rest.models);
    free(rest.children);
    free(rest.has_skin);
    return result;
}

static void set_sizes(character *character, const measure_bounds *bounds) {
    float size[3];
    for (size_t axis = 0; axis < 3; axis++) {
        size[axis] = fmaxf(bounds->high[axis] - bounds->low[axis], 1e-6f);
    }
    float longest = fmaxf(size[0], fmaxf(size[1], size[2]));
    // If a file does not use metres, scales the character to the size of a person.
    character->unit = longest > 0.5f && longest < 5.0f ? 1.0f : DISPLAY_SIZE / longest;
    character->height = size[1] * character->unit;
    character->width = 0.5f * (size[0] + size[2]) * character->unit;
    character->origin[0] = 0.5f * (bounds->low[0] + bounds->high[0]);
    character->origin[1] = bounds->low[1];
    character->origin[2] = 0.5f * (bounds->low[2] + bounds->high[2]);
}

lmb_result character_measure(character *character, lmb_error *error) {
    poses poses = {0};
    lmb_result result = run_bases(character, &poses, error);
    if (result == LMB_OK) {
        measure_bounds bounds = find_bounds(character, &poses, 0, SAMPLES, 0.0f);
        character->ground[0] = bounds.low[1];
        for (uint32_t base = 1; base < character->base_count; base++) {
            const measure_bounds own = find_bounds(character, &poses, base * SAMPLES, SAMPLES, 0.0f);
            character->ground[base] = own.low[1];
            grow(&bounds, own.low);
            grow(&bounds, own.high);
        }
        set_sizes(character, &bounds);
        for (uint32_t base = 0; base < character->base_count; base++) {
            character->ground[base] = (character->ground[base] - bounds.low[1]) * character->unit;
        }
        result = find_contacts(character, &poses, error);
    }
    free(poses.palettes);
    return result;
}

lmb_result character_measure_graph(character *character, const lmb_graph *graph, const float *parameters,
                                   const float *points, uint32_t count, lmb_error *error) {
    poses poses = {0};
    lmb_result result = run_graph(graph, parameters, points, count, &poses, error);
    if (result == LMB_OK) {
        const measure_bounds bounds = find_bounds(character, &poses, 0, count, 0.0f);
        set_sizes(character, &bounds);
        result = find_contacts(character, &poses, error);
    }
    free(poses.palettes);
    return result;
}
