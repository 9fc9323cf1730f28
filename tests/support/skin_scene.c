#include "skin_scene.h"

static void fill_direction(random_source *source, float *to, uint32_t components) {
    float rotation[4];
    random_rotation(source, rotation);
    memcpy(to, rotation, components * sizeof *to);
}

static void fill_influences(random_source *source, uint32_t count, skin_scene_vertex *vertex) {
    const uint32_t used = 1 + random_below(source, count);
    for (uint32_t i = 0; i < count; i++) {
        // The joint of a weight of 0 may be anything.
        vertex->joints[i] = i < used ? random_below(source, SKIN_SCENE_JOINTS) : SKIN_SCENE_JOINTS + 7;
        vertex->weights[i] = i < used ? (float)random_between(source, 0.01, 2.0) : 0.0f;
    }
}

static void fill_vertex(random_source *source, skin_scene_values values, uint32_t influences,
                        skin_scene_vertex *vertex) {
    fill_direction(source, vertex->normal, 3);
    fill_direction(source, vertex->tangent, 4);
    fill_influences(source, influences, vertex);
    for (int i = 0; i < 3; i++) {
        vertex->position[i] =
            values == SKIN_SCENE_EXTREME ? random_allowed(source) : (float)random_between(source, -2.0, 2.0);
    }
    if (values == SKIN_SCENE_EXTREME) {
        vertex->weights[0] = 1.0f;
        for (uint32_t i = 1; i < influences; i++) {
            vertex->weights[i] = vertex->weights[i] > 0.0f ? fabsf(random_allowed(source)) : 0.0f;
            vertex->joints[i] %= SKIN_SCENE_JOINTS;
        }
        vertex->normal[random_below(source, 3)] = random_allowed(source);
        vertex->tangent[random_below(source, 3)] = random_allowed(source);
    }
}

// A rotation with scales per axis, some of them mirrored, and a translation.
static void fill_matrix(random_source *source, float *to) {
    lmb_transform transform = lmb_transform_identity();
    random_rotation(source, transform.rotation);
    const bool mirrored = random_below(source, 8) == 0;
    for (int i = 0; i < 3; i++) {
        transform.translation[i] = (float)random_between(source, -3.0, 3.0);
        transform.scale[i] = (float)random_between(source, 0.5, 2.0) * (mirrored ? -1.0f : 1.0f);
    }
    const lmb_affine matrix = lmb_affine_from_transform(transform);
    memcpy(to, &matrix, sizeof matrix);
}

static void fill_dual(random_source *source, float *to) {
    float translation[3];
    random_rotation(source, to);
    for (int i = 0; i < 3; i++) {
        translation[i] = (float)random_between(source, -3.0, 3.0);
    }
    const float *r = to, *t = translation;
    to[4] = 0.5f * (t[0] * r[3] + t[1] * r[2] - t[2] * r[1]);
    to[5] = 0.5f * (t[1] * r[3] + t[2] * r[0] - t[0] * r[2]);
    to[6] = 0.5f * (t[2] * r[3] + t[0] * r[1] - t[1] * r[0]);
    to[7] = -0.5f * (t[0] * r[0] + t[1] * r[1] + t[2] * r[2]);
}

static float *create_palette(random_source *source, skin_scene_values values, lmb_skin_method method, size_t *floats) {
    const size_t joints = (size_t)SKIN_SCENE_CHARACTERS * SKIN_SCENE_JOINTS;
    const size_t components = method == LMB_SKIN_METHOD_LINEAR ? LMB_MATRIX_COMPONENTS : LMB_DUAL_COMPONENTS;
    *floats = joints * components;
    float *palette = calloc(*floats, sizeof *palette);
    assert_non_null(palette);
    for (size_t joint = 0; joint < joints; joint++) {
        float *to = palette + joint * components;
        if (method == LMB_SKIN_METHOD_LINEAR) {
            fill_matrix(source, to);
        } else {
            fill_dual(source, to);
        }
        // Most joints of most characters stay valid, so that not every vertex is refused.
        const bool any_bits = random_below(source, 4) == 0;
        for (size_t i = 0; i < components && values == SKIN_SCENE_EXTREME; i++) {
            to[i] = any_bits && random_below(source, 3) == 0 ? random_extreme(source) : to[i];
            to[i] = !any_bits && random_below(source, 4) == 0 ? random_allowed(source) : to[i];
        }
    }
    return palette;
}

static void fill_delta(random_source *source, skin_scene_values values, lmb_skin_delta *delta) {
    float *const vectors[] = {delta->position, delta->normal, delta->tangent};
    for (int i = 0; i < 9; i++) {
        vectors[i / 3][i % 3] =
            values == SKIN_SCENE_EXTREME ? random_allowed(source) : (float)random_between(source, -0.5, 0.5);
    }
}

// Targets that displace all, some or none of the vertices. Several may have one channel.
static lmb_skin_target *create_targets(random_source *source, uint32_t count, uint32_t vertex_count,
                                       skin_scene_values values) {
    lmb_skin_target *targets = calloc(count + 1, sizeof *targets);
    assert_non_null(targets);
    for (uint32_t t = 0; t < count; t++) {
        lmb_skin_delta *deltas = calloc(vertex_count, sizeof *deltas);
        assert_non_null(deltas);
        const uint32_t one_in = 1 + t % 5 * 3;
        for (uint32_t vertex = 0; vertex < vertex_count && t % 7 != 6; vertex++) {
            if (random_below(source, one_in) == 0) {
                lmb_skin_delta *delta = &deltas[targets[t].delta_count++];
                delta->vertex = vertex;
                fill_delta(source, values, delta);
            }
        }
        targets[t].deltas = deltas;
        targets[t].channel = random_below(source, SKIN_SCENE_CHANNELS);
    }
    return targets;
}

static void fill_channels(random_source *source, skin_scene_values values, float *channels) {
    for (uint32_t i = 0; i < SKIN_SCENE_CHARACTERS * SKIN_SCENE_CHANNELS; i++) {
        const bool any_bits = values == SKIN_SCENE_EXTREME && random_below(source, 2) == 0;
        channels[i] = random_below(source, 3) == 0 ? 0.0f
                      : any_bits                   ? random_extreme(source)
                                                   : (float)random_between(source, -1.0, 1.0);
    }
}

skin_scene skin_scene_create(uint32_t vertex_count, uint32_t influence_count, uint32_t target_count,
                             skin_scene_values values, uint64_t seed) {
    random_source source = random_branch(seed, vertex_count);
    skin_scene scene = {.vertices = calloc(vertex_count, sizeof *scene.vertices), .def = lmb_default_skin_def()};
    assert_non_null(scene.vertices);
    for (uint32_t i = 0; i < vertex_count; i++) {
        fill_vertex(&source, values, influence_count, &scene.vertices[i]);
    }
    const uint32_t stride = sizeof *scene.vertices;
    scene.def.name = "scene";
    scene.def.joint_count = SKIN_SCENE_JOINTS;
    scene.def.vertex_count = vertex_count;
    scene.def.influence_count = influence_count;
    scene.def.positions = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, scene.vertices->position, stride};
    scene.def.normals = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, scene.vertices->normal, stride};
    scene.def.tangents = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, scene.vertices->tangent, stride};
    scene.def.joints = (lmb_skin_attribute){LMB_SKIN_FORMAT_UINT32, scene.vertices->joints, stride};
    scene.def.weights = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, scene.vertices->weights, stride};
    scene.targets = create_targets(&source, target_count, vertex_count, values);
    scene.def.targets = scene.targets;
    scene.def.target_count = target_count;
    scene.def.channel_count = SKIN_SCENE_CHANNELS;
    fill_channels(&source, values, scene.channels[0]);
    fill_channels(&source, values, scene.channels[1]);
    lmb_error error;
    if (lmb_skin_create(&scene.def, NULL, &scene.skin, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    for (int method = 0; method < LMB_SKIN_METHOD_COUNT; method++) {
        for (int frame = 0; frame < 2; frame++) {
            scene.palettes[method][frame] =
                create_palette(&source, values, (lmb_skin_method)method, &scene.palette_floats[method]);
        }
    }
    return scene;
}

void skin_scene_destroy(skin_scene *scene) {
    lmb_skin_destroy(scene->skin);
    free(scene->vertices);
    for (uint32_t i = 0; i < scene->def.target_count; i++) {
        free((void *)(uintptr_t)scene->targets[i].deltas);
    }
    free(scene->targets);
    for (int method = 0; method < LMB_SKIN_METHOD_COUNT; method++) {
        free(scene->palettes[method][0]);
        free(scene->palettes[method][1]);
    }
}

skin_scene_outputs skin_scene_outputs_create(const lmb_skin *skin, const lmb_skin_layout *layout, uint32_t slots,
                                             int byte) {
    skin_scene_outputs outputs = {0};
    for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        outputs.sizes[i] = slots * lmb_skin_character_bytes(skin, layout, (lmb_skin_output)i);
        if (outputs.sizes[i] > 0) {
            outputs.streams[i] = malloc(outputs.sizes[i]);
            assert_non_null(outputs.streams[i]);
            memset(outputs.streams[i], byte, outputs.sizes[i]);
        }
    }
    return outputs;
}

void skin_scene_outputs_destroy(skin_scene_outputs *outputs) {
    for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        free(outputs->streams[i]);
    }
}

lmb_skin_layout skin_scene_layout(lmb_skin_method method, lmb_skin_format directions) {
    lmb_skin_layout layout = lmb_default_skin_layout(SKIN_SCENE_CHARACTERS);
    layout.method = method;
    layout.streams[LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS].format = LMB_SKIN_FORMAT_FLOAT;
    layout.streams[LMB_SKIN_OUTPUT_NORMALS].format = directions;
    layout.streams[LMB_SKIN_OUTPUT_TANGENTS].format = directions;
    return layout;
}

lmb_result skin_scene_run(const skin_scene *scene, lmb_cpu_path path, const lmb_skin_layout *layout,
                          const uint32_t *list, uint32_t list_count, skin_scene_outputs *outputs, lmb_error *error) {
    const size_t character_floats = scene->palette_floats[layout->method] / SKIN_SCENE_CHARACTERS;
    lmb_skin_run_info info = {
        .layout = *layout,
        .palette = scene->palettes[layout->method][0] + layout->first_character * character_floats,
        .previous_palette = scene->palettes[layout->method][1] + layout->first_character * character_floats,
        .channels = scene->channels[0] + layout->first_character * SKIN_SCENE_CHANNELS,
        .previous_channels = scene->channels[1] + layout->first_character * SKIN_SCENE_CHANNELS,
        .list = list,
        .list_count = list_count,
        .refused_sums = outputs->refused};
    for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        info.streams[i] = outputs->streams[i];
    }
    return lmb_skin_run(scene->skin, path, &info, error);
}
