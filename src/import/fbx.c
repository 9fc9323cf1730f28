// Reads FBX files with ufbx, and builds rig, clips and meshes from its scene.
//
// ufbx allocates from the import's memory, converts units and axes, and evaluates the transform of a node at a time:
// rotation orders, pivots, pre- and post-rotations, layers. A node whose children do not inherit its scale (inherit
// type), and whose scale moves or is not uniform, gets a child that has the scale, so that plain products of local
// transforms give the model matrices of FBX. Geometric transforms are applied to meshes alone.
#include "fbx.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Max number of ancestors of a node.
#define MOST_ANCESTORS LMB_MAX_JOINTS

lmb_affine lmb_fbx_affine(const ufbx_matrix *matrix) {
    lmb_affine result;
    for (int column = 0; column < 4; column++) {
        result.m[0][column] = (float)matrix->cols[column].x;
        result.m[1][column] = (float)matrix->cols[column].y;
        result.m[2][column] = (float)matrix->cols[column].z;
    }
    return result;
}

// ---- The scene ----

static void *allocate(void *user, size_t size) {
    return lmb_pool_allocate(user, 1, size);
}

// Keeps the old memory if there is no new one. Without this function ufbx would release it, and release it again.
static void *reallocate(void *user, void *memory, size_t old_size, size_t size) {
    void *larger = lmb_pool_allocate(user, 1, size);
    if (larger != NULL) {
        memcpy(larger, memory, old_size < size ? old_size : size);
        lmb_pool_release(user, memory);
    }
    return larger;
}

static void release(void *user, void *memory, size_t size) {
    (void)size;
    lmb_pool_release(user, memory);
}

// Where ufbx was last known to read.
static ufbx_progress_result remember(void *user, const ufbx_progress *progress) {
    *(uint64_t *)user = progress->bytes_read;
    return UFBX_PROGRESS_CONTINUE;
}

static bool fail_to_read(lmb_importer *importer, const ufbx_error *error, uint64_t at) {
    if (error->type == UFBX_ERROR_OUT_OF_MEMORY) {
        return lmb_importer_fail_memory(importer);
    }
    const lmb_result result = error->type == UFBX_ERROR_NODE_DEPTH_LIMIT      ? LMB_ERROR_LIMIT
                              : error->type == UFBX_ERROR_UNSUPPORTED_VERSION ? LMB_ERROR_UNSUPPORTED
                                                                              : LMB_ERROR_FORMAT;
    char place[40] = "";
    if (at > 0) {
        snprintf(place, sizeof place, " after byte %" PRIu64, at);
    }
    const bool has_info = error->info_length > 0;
    return lmb_importer_fail(importer, result, "not read as FBX%s: %s%s%.200s%s", place, error->description.data,
                             has_info ? " (" : "", has_info ? error->info : "", has_info ? ")" : "");
}

static ufbx_scene *load(lmb_importer *importer, const uint8_t *bytes, size_t size) {
    uint64_t at = 0;
    const ufbx_allocator_opts memory = {
        .allocator = {.alloc_fn = allocate, .realloc_fn = reallocate, .free_fn = release, .user = &importer->scratch}};
    const ufbx_load_opts options = {
        .temp_allocator = memory,
        .result_allocator = memory,
        .progress_cb = {.fn = remember, .user = &at},
        .file_format = UFBX_FILE_FORMAT_FBX,
        .node_depth_limit = MOST_ANCESTORS,
        .target_axes = ufbx_axes_right_handed_y_up,
        .target_unit_meters = 1,
        .space_conversion = UFBX_SPACE_CONVERSION_MODIFY_GEOMETRY,
        .handedness_conversion_axis = UFBX_MIRROR_AXIS_X,
        .inherit_mode_handling = UFBX_INHERIT_MODE_HANDLING_COMPENSATE,
        .ignore_geometry = importer->adds_clips,
        .ignore_embedded = importer->adds_clips,
    };
    ufbx_error error;
    ufbx_scene *scene = ufbx_load_memory(bytes, size, &options, &error);
    if (scene == NULL) {
        fail_to_read(importer, &error, at);
    }
    return scene;
}

// Axes and unit, which ufbx ignores if they make no sense.
static bool check_settings(lmb_importer *importer, const ufbx_scene_settings *settings) {
    static const char *const keys[][2] = {
        {"CoordAxis", "CoordAxisSign"}, {"UpAxis", "UpAxisSign"}, {"FrontAxis", "FrontAxisSign"}};
    bool is_given = false;
    int64_t axes = 0;
    for (int i = 0; i < 3; i++) {
        const ufbx_prop *axis = ufbx_find_prop(&settings->props, keys[i][0]);
        const int64_t sign = ufbx_find_int(&settings->props, keys[i][1], 1);
        if (axis != NULL && (axis->value_int < 0 || axis->value_int > 2 || (sign != 1 && sign != -1))) {
            return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "GlobalSettings: %s is %" PRId64 ", %s is %" PRId64,
                                     keys[i][0], axis->value_int, keys[i][1], sign);
        }
        is_given = is_given || axis != NULL;
        axes |= (int64_t)1 << (axis != NULL ? axis->value_int : (int64_t)i);
    }
    if (is_given && axes != 7) {
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "GlobalSettings: two axes are one");
    }
    const double centimetres = ufbx_find_real(&settings->props, "UnitScaleFactor", 1);
    return (centimetres >= 1e-6 && centimetres <= 1e6) ||
           lmb_importer_fail(importer, LMB_ERROR_FORMAT, "GlobalSettings: UnitScaleFactor is %g", centimetres);
}

// ---- Nodes ----

typedef struct pending {
    const ufbx_node *node;
    uint32_t parent;
} pending;

// A name for a node that has none, or that of a node's scale.
static char *make_name(lmb_fbx *fbx, const ufbx_node *node) {
    lmb_importer *importer = fbx->tables.importer;
    const char *parent = node->is_scale_helper ? fbx->tables.nodes[fbx->node_of[node->parent->typed_id]].name : "";
    const size_t size = strlen(parent) + 24;
    char *name = lmb_importer_scratch(importer, size, 1);
    if (name != NULL && node->is_scale_helper) {
        snprintf(name, size, "%s_scale", parent);
    } else if (name != NULL) {
        snprintf(name, size, "node_%" PRIu32, fbx->tables.node_count);
    }
    return name;
}

static bool add_node(lmb_fbx *fbx, pending entry, lmb_gltf_names *names, lmb_name_list *scales) {
    lmb_gltf *tables = &fbx->tables;
    lmb_importer *importer = tables->importer;
    if (tables->node_count == LMB_MAX_JOINTS) {
        return lmb_importer_fail(importer, LMB_ERROR_LIMIT, "more than %u nodes", LMB_MAX_JOINTS);
    }
    const bool is_named = entry.node->name.length > 0 && !entry.node->is_scale_helper;
    const char *asked = is_named ? entry.node->name.data : make_name(fbx, entry.node);
    const char *name = asked != NULL ? lmb_gltf_make_unique(importer, names, asked) : NULL;
    if (name == NULL) {
        return false;
    }
    if (entry.node->is_scale_helper) {
        lmb_name_list_add(scales, name);
    }
    fbx->node_of[entry.node->typed_id] = tables->node_count;
    return lmb_importer_append(importer, &importer->scratch, &fbx->sources, &fbx->source_count, &entry.node,
                               sizeof entry.node) &&
           lmb_gltf_add_node(tables, name, entry.parent);
}

// Pushes children in reverse, so that the first child is taken first and nodes keep the file's order.
static bool push_children(lmb_importer *importer, const ufbx_node *node, uint32_t parent, pending **stack,
                          uint32_t *count) {
    for (size_t i = node->children.count; i-- > 0;) {
        const pending child = {node->children.data[i], parent};
        if (!lmb_importer_append(importer, &importer->scratch, stack, count, &child, sizeof child)) {
            return false;
        }
    }
    return true;
}

// Lists all nodes but the root, which is the scene itself. Does not recurse, because the file decides how deep its
// nodes are nested.
static bool list_nodes(lmb_fbx *fbx) {
    lmb_gltf *tables = &fbx->tables;
    lmb_importer *importer = tables->importer;
    lmb_gltf_names names = {0};
    lmb_name_list scales = {0};
    pending *stack = NULL;
    uint32_t count = 0;
    fbx->node_of = lmb_importer_scratch(importer, fbx->scene->nodes.count, sizeof *fbx->node_of);
    for (size_t i = 0; fbx->node_of != NULL && i < fbx->scene->nodes.count; i++) {
        fbx->node_of[i] = LMB_NONE;
    }
    bool success = fbx->node_of != NULL && push_children(importer, fbx->scene->root_node, LMB_NONE, &stack, &count);
    while (success && count > 0) {
        const pending entry = stack[--count];
        const uint32_t index = tables->node_count;
        success = add_node(fbx, entry, &names, &scales) && push_children(importer, entry.node, index, &stack, &count);
    }
    lmb_pool_release(&importer->scratch, stack);
    return success && lmb_gltf_order_as_listed(tables) &&
           lmb_importer_note_names(importer, "nodes are renamed, since others have their names", &names.renamed) &&
           lmb_importer_note_names(importer, "scales that children do not inherit are nodes of their own", &scales);
}

static void read_rests(lmb_fbx *fbx) {
    for (uint32_t i = 0; i < fbx->tables.node_count; i++) {
        const ufbx_transform *local = &fbx->sources[i]->local_transform;
        lmb_transform *rest = &fbx->tables.nodes[i].rest;
        for (int k = 0; k < 4; k++) {
            rest->rotation[k] = (float)local->rotation.v[k];
        }
        for (int k = 0; k < 3; k++) {
            rest->translation[k] = (float)local->translation.v[k];
            rest->scale[k] = (float)local->scale.v[k];
        }
    }
}

// ---- Skins ----

const ufbx_skin_deformer *lmb_fbx_skin_of(const ufbx_mesh *mesh) {
    for (size_t i = 0; i < mesh->skin_deformers.count; i++) {
        if (mesh->skin_deformers.data[i]->clusters.count > 0) {
            return mesh->skin_deformers.data[i];
        }
    }
    return NULL;
}

// Finds the meshes' matrix when they were bound, and its inverse. With it, inverse bind matrices are those of the bones
// at that time, and skins that were bound together have the same. Any matrix that has an inverse will do.
static void find_bind(const ufbx_skin_cluster *cluster, lmb_affine *to_model, lmb_affine *from_model) {
    const ufbx_matrix matrix = ufbx_matrix_mul(&cluster->bind_to_world, &cluster->geometry_to_bone);
    *to_model = lmb_fbx_affine(&matrix);
    if (!lmb_affine_invert(*to_model, from_model)) {
        *to_model = *from_model = lmb_affine_identity();
    }
}

static bool read_skin(lmb_fbx *fbx, const ufbx_skin_deformer *source, lmb_gltf_skin *skin) {
    lmb_importer *importer = fbx->tables.importer;
    const uint32_t count = (uint32_t)source->clusters.count;
    lmb_affine from_model;
    find_bind(source->clusters.data[0], &skin->to_model, &from_model);
    skin->joint_count = count;
    skin->nodes = lmb_importer_scratch(importer, count, sizeof *skin->nodes);
    skin->inverse_binds = lmb_importer_scratch(importer, count, sizeof *skin->inverse_binds);
    if (skin->nodes == NULL || skin->inverse_binds == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const ufbx_skin_cluster *cluster = source->clusters.data[i];
        skin->nodes[i] = fbx->node_of[cluster->bone_node->typed_id];
        if (skin->nodes[i] == LMB_NONE) {
            return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED,
                                     "skin '%.100s': the scene's root is one of its bones", source->name.data);
        }
        skin->inverse_binds[i] = lmb_affine_multiply(lmb_fbx_affine(&cluster->geometry_to_bone), from_model);
    }
    return true;
}

static bool note_skin(lmb_fbx *fbx, const ufbx_mesh *mesh, const ufbx_skin_deformer *skin) {
    lmb_importer *importer = fbx->tables.importer;
    const bool is_linear =
        skin->skinning_method == UFBX_SKINNING_METHOD_LINEAR || skin->skinning_method == UFBX_SKINNING_METHOD_RIGID;
    return (is_linear || lmb_importer_note(importer,
                                           "mesh '%.200s' is skinned by dual quaternions: the file's weights between"
                                           " these and matrices are left out",
                                           mesh->name.data)) &&
           (mesh->skin_deformers.count == 1 ||
            lmb_importer_note(importer, "mesh '%.200s' has several skins: all but one are left out", mesh->name.data));
}

static bool read_skins(lmb_fbx *fbx) {
    lmb_gltf *tables = &fbx->tables;
    lmb_importer *importer = tables->importer;
    const ufbx_scene *scene = fbx->scene;
    tables->skins = lmb_importer_scratch(importer, scene->skin_deformers.count, sizeof *tables->skins);
    fbx->skin_of = lmb_importer_scratch(importer, scene->skin_deformers.count, sizeof(lmb_gltf_skin *));
    bool success = tables->skins != NULL && fbx->skin_of != NULL;
    for (size_t i = 0; success && i < scene->meshes.count; i++) {
        const ufbx_mesh *mesh = scene->meshes.data[i];
        const ufbx_skin_deformer *skin = lmb_fbx_skin_of(mesh);
        if (skin == NULL || mesh->instances.count == 0 || fbx->skin_of[skin->typed_id] != NULL) {
            continue;
        }
        fbx->skin_of[skin->typed_id] = &tables->skins[tables->skin_count++];
        success = read_skin(fbx, skin, fbx->skin_of[skin->typed_id]) && note_skin(fbx, mesh, skin);
    }
    return success;
}

// Marks what is in the rig besides the bones of skins and what surrounds them: meshes without a skin, and bones that
// move. Whatever else moves in a file, such as cameras and the controls of an animator, is no part of a character.
static void mark_rig(lmb_fbx *fbx) {
    lmb_gltf *tables = &fbx->tables;
    lmb_gltf_mark_around_bones(tables);
    for (uint32_t i = 0; i < tables->node_count; i++) {
        const ufbx_node *source = fbx->sources[i];
        const ufbx_mesh *mesh = source->mesh;
        const bool is_rigid = mesh != NULL && mesh->num_triangles > 0 && lmb_fbx_skin_of(mesh) == NULL;
        tables->nodes[i].mesh = is_rigid ? mesh->typed_id : LMB_NONE;
        tables->nodes[i].moves = source->bone != NULL && fbx->is_moved[i];
    }
}

// ---- Float channels: blend shapes, and numbers of nodes ----

// FBX interpolates linearly between the mesh itself, at 0, and the shapes of a channel, at their weights, which ascend.
// Beyond the last shape the last line goes on.
double lmb_fbx_shape_weight(const ufbx_blend_channel *channel, size_t shape, double weight) {
    const ufbx_blend_keyframe *keys = channel->keyframes.data;
    const size_t count = channel->keyframes.count;
    const bool is_positive = weight >= 0.0;
    const double side = is_positive ? 1.0 : -1.0;
    double from = 0.0, to = 0.0;
    size_t previous = count, next = count;
    for (size_t i = 0; i < count; i++) {
        const size_t key = is_positive ? i : count - 1 - i;
        if (side * keys[key].target_weight > side * to) {
            previous = next;
            from = to;
            next = key;
            to = keys[key].target_weight;
            if (side * to > side * weight) {
                break;
            }
        }
    }
    const double part = next < count ? (weight - from) / (to - from) : 0.0;
    return shape == next ? part : shape == previous ? 1.0 - part : 0.0;
}

static bool name_shape(lmb_fbx *fbx, const ufbx_blend_channel *channel, size_t shape, lmb_gltf_names *names,
                       lmb_channel_def *def) {
    lmb_importer *importer = fbx->tables.importer;
    const ufbx_blend_keyframe *key = &channel->keyframes.data[shape];
    char made[32];
    const char *asked = channel->name.data;
    if (key->shape != channel->target_shape || channel->name.length == 0) {
        asked = key->shape->name.data;
    }
    if (*asked == '\0') {
        snprintf(made, sizeof made, "shape_%" PRIu32, fbx->tables.channel_count);
        asked = made;
    }
    *def = lmb_default_channel_def();
    def->name = lmb_gltf_make_unique(importer, names, asked);
    def->rest = (float)lmb_fbx_shape_weight(channel, shape, channel->weight);
    return def->name != NULL;
}

static bool add_channel(lmb_fbx *fbx, const lmb_channel_def *def) {
    lmb_gltf *tables = &fbx->tables;
    lmb_importer *importer = tables->importer;
    if (tables->channel_count == LMB_MAX_CHANNELS) {
        return lmb_importer_fail(importer, LMB_ERROR_LIMIT, "more than %u blend shapes and numbers", LMB_MAX_CHANNELS);
    }
    return lmb_importer_append(importer, &importer->scratch, &tables->channels, &tables->channel_count, def,
                               sizeof *def);
}

static bool read_blend_channel(lmb_fbx *fbx, const ufbx_blend_channel *channel, lmb_gltf_names *names) {
    lmb_gltf *tables = &fbx->tables;
    fbx->channel_at[channel->typed_id] = tables->channel_count;
    bool success = true;
    for (size_t i = 0; success && i < channel->keyframes.count; i++) {
        lmb_channel_def def;
        success = name_shape(fbx, channel, i, names, &def) && add_channel(fbx, &def);
    }
    return success;
}

bool lmb_fbx_is_added(const ufbx_node *node, const char *name) {
    const ufbx_prop *property = ufbx_find_prop(&node->props, name);
    return property != NULL && (property->flags & UFBX_PROP_FLAG_USER_DEFINED) != 0;
}

// A number is called NODE.PROPERTY.
static bool read_number(lmb_fbx *fbx, uint32_t node, const ufbx_prop *property, lmb_gltf_names *names) {
    lmb_importer *importer = fbx->tables.importer;
    const char *of = fbx->tables.nodes[node].name;
    const size_t size = strlen(of) + property->name.length + 2;
    char *asked = lmb_importer_scratch(importer, size, 1);
    if (asked == NULL) {
        return false;
    }
    snprintf(asked, size, "%s.%s", of, property->name.data);
    lmb_channel_def def = lmb_default_channel_def();
    const lmb_fbx_number number = {fbx->sources[node], property->name.data, fbx->tables.channel_count};
    def.name = lmb_gltf_make_unique(importer, names, asked);
    def.rest = (float)property->value_real;
    return def.name != NULL && add_channel(fbx, &def) &&
           lmb_importer_append(importer, &importer->scratch, &fbx->numbers, &fbx->number_count, &number, sizeof number);
}

static bool is_number(const ufbx_prop *property) {
    const uint32_t needed = UFBX_PROP_FLAG_USER_DEFINED | UFBX_PROP_FLAG_ANIMATED;
    return (property->flags & needed) == needed &&
           (property->type == UFBX_PROP_NUMBER || property->type == UFBX_PROP_INTEGER ||
            property->type == UFBX_PROP_BOOLEAN) &&
           fabs(property->value_real) <= (double)LMB_LARGEST;
}

static bool read_numbers(lmb_fbx *fbx, lmb_gltf_names *names) {
    bool success = true;
    for (uint32_t i = 0; success && i < fbx->source_count; i++) {
        const ufbx_prop_list *properties = &fbx->sources[i]->props.props;
        for (size_t k = 0; success && k < properties->count; k++) {
            success = !is_number(&properties->data[k]) || read_number(fbx, i, &properties->data[k], names);
        }
    }
    return success;
}

static bool read_channels(lmb_fbx *fbx) {
    lmb_gltf *tables = &fbx->tables;
    lmb_importer *importer = tables->importer;
    const ufbx_blend_channel_list *list = &fbx->scene->blend_channels;
    lmb_gltf_names names = {0};
    fbx->channel_at = lmb_importer_scratch(importer, list->count, sizeof *fbx->channel_at);
    bool success = fbx->channel_at != NULL;
    for (size_t i = 0; success && i < list->count; i++) {
        success = read_blend_channel(fbx, list->data[i], &names);
    }
    if (!success || !read_numbers(fbx, &names)) {
        return false;
    }
    tables->channel_of = lmb_importer_scratch(importer, tables->channel_count, sizeof *tables->channel_of);
    for (uint32_t i = 0; tables->channel_of != NULL && i < tables->channel_count; i++) {
        tables->channel_of[i] = i;
    }
    return tables->channel_of != NULL &&
           lmb_importer_note_names(importer, "float channels are renamed, since others have their names",
                                   &names.renamed);
}

// ---- Notes ----

// Whether the name of an element is one that the import has, too.
static bool is_name_kept(const ufbx_element *element) {
    switch (element->type) {
    case UFBX_ELEMENT_NODE:
    case UFBX_ELEMENT_MESH:
    case UFBX_ELEMENT_MATERIAL:
    case UFBX_ELEMENT_ANIM_STACK:
    case UFBX_ELEMENT_BLEND_CHANNEL:
    case UFBX_ELEMENT_BLEND_SHAPE:
        return true;
    default:
        return false;
    }
}

// Notes what ufbx mended, each kind once, with the elements that it concerns.
static bool note_warnings(lmb_fbx *fbx) {
    const ufbx_scene *scene = fbx->scene;
    const ufbx_warning_list *warnings = &scene->metadata.warnings;
    bool success = true;
    for (int type = 0; success && type < UFBX_WARNING_TYPE_COUNT; type++) {
        lmb_name_list names = {0};
        const char *what = NULL;
        for (size_t i = 0; i < warnings->count; i++) {
            const ufbx_warning *warning = &warnings->data[i];
            const ufbx_element *element =
                warning->element_id < scene->elements.count ? scene->elements.data[warning->element_id] : NULL;
            if (warning->type == (ufbx_warning_type)type &&
                (type != UFBX_WARNING_BAD_UNICODE || (element != NULL && is_name_kept(element)))) {
                what = warning->description.data;
                lmb_name_list_add(&names, element != NULL ? element->name.data : "the file");
            }
        }
        success = what == NULL || lmb_importer_note_names(fbx->tables.importer, what, &names);
    }
    return success;
}

static bool note_left_out(lmb_fbx *fbx) {
    const ufbx_scene *scene = fbx->scene;
    const struct {
        size_t count;
        const char *what;
    } rows[] = {{scene->constraints.count, "constraints: their nodes move by their own curves alone"},
                {scene->cache_deformers.count, "caches of vertices are left out"},
                {scene->nurbs_surfaces.count, "NURBS surfaces are left out"}};
    bool success = true;
    for (size_t i = 0; success && i < sizeof rows / sizeof *rows; i++) {
        success = rows[i].count == 0 || lmb_importer_note(fbx->tables.importer, "%zu %s", rows[i].count, rows[i].what);
    }
    return success;
}

static bool read_scene(lmb_fbx *fbx) {
    lmb_gltf *tables = &fbx->tables;
    if (!check_settings(tables->importer, &fbx->scene->settings) || !note_warnings(fbx) || !note_left_out(fbx) ||
        !list_nodes(fbx)) {
        return false;
    }
    read_rests(fbx);
    if (!lmb_fbx_find_moved(fbx) || !read_channels(fbx)) {
        return false;
    }
    if (tables->importer->adds_clips) {
        return lmb_gltf_match_rig(tables) && lmb_fbx_build_clips(fbx);
    }
    if (!read_skins(fbx)) {
        return false;
    }
    mark_rig(fbx);
    return lmb_gltf_build_rig(tables) && lmb_fbx_build_clips(fbx) && lmb_fbx_build_meshes(fbx);
}

bool lmb_fbx_read(lmb_importer *importer, const uint8_t *bytes, size_t size) {
    if (size == 0) {
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "is empty");
    }
    lmb_fbx fbx = {.tables = {.importer = importer}, .scene = load(importer, bytes, size)};
    if (fbx.scene == NULL) {
        return false;
    }
    const bool success = read_scene(&fbx);
    ufbx_free_scene(fbx.scene);
    return success;
}
