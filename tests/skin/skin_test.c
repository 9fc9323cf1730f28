// Skinning on the CPU: against the formulas in float64, the same bits on every path, formats, strides and lists, and
// invalid input.
#include "failing_host.h"
#include "skin_scene.h"

#include <limber/mesh.h>

#include <fenv.h>
#include <math.h>
#include <stdio.h>

#define VERTICES 333u // no multiple of a number of lanes

// The oracle: float64, from the formulas in skin.h and their source.

typedef struct oracle_vertex {
    double position[3], normal[3], tangent[3], side;
    double scale;     // of the terms that the position is the sum of
    double condition; // how far the matrix is from flat: determinant / longest column^3
} oracle_vertex;

static double weight_sum(const skin_scene *scene, uint32_t vertex) {
    double sum = 0.0;
    for (uint32_t i = 0; i < scene->def.influence_count; i++) {
        sum += (double)scene->vertices[vertex].weights[i];
    }
    return sum;
}

static void normalize(double v[3]) {
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++) {
        v[i] /= length;
    }
}

// A vertex displaced by the targets.
typedef struct morphed_vertex {
    double position[3], normal[3], tangent[3];
} morphed_vertex;

static morphed_vertex oracle_morph(const skin_scene *scene, uint32_t vertex, const float *channels) {
    morphed_vertex m;
    for (int i = 0; i < 3; i++) {
        m.position[i] = (double)scene->vertices[vertex].position[i];
        m.normal[i] = (double)scene->vertices[vertex].normal[i];
        m.tangent[i] = (double)scene->vertices[vertex].tangent[i];
    }
    normalize(m.normal);
    normalize(m.tangent);
    for (uint32_t t = 0; t < scene->def.target_count; t++) {
        const lmb_skin_target *target = &scene->targets[t];
        for (uint32_t d = 0; d < target->delta_count; d++) {
            for (int i = 0; i < 3 && target->deltas[d].vertex == vertex; i++) {
                const double weight = (double)channels[target->channel];
                m.position[i] += weight * (double)target->deltas[d].position[i];
                m.normal[i] += weight * (double)target->deltas[d].normal[i];
                m.tangent[i] += weight * (double)target->deltas[d].tangent[i];
            }
        }
    }
    return m;
}

// Solves transpose(m) x = n by Cramer's rule: x is the inverse transpose of m times n.
static double solve_transposed(double m[3][4], const double n[3], double x[3]) {
    double a[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a[i][j] = m[j][i];
        }
    }
#define DETERMINANT(c0, c1, c2)                                                                                        \
    ((c0[0]) * ((c1[1]) * (c2[2]) - (c2[1]) * (c1[2])) - (c1[0]) * ((c0[1]) * (c2[2]) - (c2[1]) * (c0[2])) +           \
     (c2[0]) * ((c0[1]) * (c1[2]) - (c1[1]) * (c0[2])))
    double columns[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            columns[j][i] = a[i][j];
        }
    }
    const double whole = DETERMINANT(columns[0], columns[1], columns[2]);
    x[0] = DETERMINANT(n, columns[1], columns[2]) / whole;
    x[1] = DETERMINANT(columns[0], n, columns[2]) / whole;
    x[2] = DETERMINANT(columns[0], columns[1], n) / whole;
    return whole;
}

static oracle_vertex oracle_linear(const skin_scene *scene, uint32_t vertex, const float *palette,
                                   const float *channels) {
    const skin_scene_vertex *v = &scene->vertices[vertex];
    const morphed_vertex from = oracle_morph(scene, vertex, channels);
    const double sum = weight_sum(scene, vertex);
    double m[3][4] = {{0.0}};
    oracle_vertex result = {.scale = 0.0};
    for (uint32_t i = 0; i < scene->def.influence_count; i++) {
        for (int e = 0; e < 12 && v->weights[i] > 0.0f; e++) {
            const double entry = (double)palette[(size_t)v->joints[i] * 12 + (size_t)e];
            const double by = e % 4 < 3 ? fabs(from.position[e % 4]) + (double)scene->def.target_count : 1.0;
            m[e / 4][e % 4] += (double)v->weights[i] / sum * entry;
            result.scale += fabs((double)v->weights[i] / sum * entry * by);
        }
    }
    double longest = 0.0;
    for (int row = 0; row < 3; row++) {
        result.position[row] = m[row][3];
        result.tangent[row] = 0.0;
        for (int column = 0; column < 3; column++) {
            result.position[row] += m[row][column] * from.position[column];
            result.tangent[row] += m[row][column] * from.tangent[column];
            longest = fmax(longest, fabs(m[row][column]));
        }
    }
    const double determinant = solve_transposed(m, from.normal, result.normal);
    normalize(result.normal);
    normalize(result.tangent);
    result.condition = fabs(determinant) / (longest * longest * longest);
    result.side = (v->tangent[3] < 0.0f ? -1.0 : 1.0) * (determinant < 0.0 ? -1.0 : 1.0);
    return result;
}

typedef struct quaternion64 {
    double x, y, z, w;
} quaternion64;

static quaternion64 multiply64(quaternion64 a, quaternion64 b) {
    return (quaternion64){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static quaternion64 conjugate64(quaternion64 q) {
    return (quaternion64){-q.x, -q.y, -q.z, q.w};
}

static void rotate64(quaternion64 q, const double v[3], double rotated[3]) {
    const quaternion64 pure = {v[0], v[1], v[2], 0.0};
    const quaternion64 turned = multiply64(multiply64(q, pure), conjugate64(q));
    rotated[0] = turned.x;
    rotated[1] = turned.y;
    rotated[2] = turned.z;
}

// Returns the heaviest of the influences, the first of equal ones.
static uint32_t heaviest(const skin_scene *scene, uint32_t vertex) {
    uint32_t found = 0;
    for (uint32_t i = 1; i < scene->def.influence_count; i++) {
        found = scene->vertices[vertex].weights[i] > scene->vertices[vertex].weights[found] ? i : found;
    }
    return found;
}

static oracle_vertex oracle_dual(const skin_scene *scene, uint32_t vertex, const float *palette,
                                 const float *channels) {
    const skin_scene_vertex *v = &scene->vertices[vertex];
    const morphed_vertex from = oracle_morph(scene, vertex, channels);
    const float *pivot = palette + (size_t)v->joints[heaviest(scene, vertex)] * 8;
    double r[4] = {0}, d[4] = {0}, nearest = 1.0;
    for (uint32_t i = 0; i < scene->def.influence_count; i++) {
        if (v->weights[i] > 0.0f) {
            const float *q = palette + (size_t)v->joints[i] * 8;
            double dot = 0.0;
            for (int e = 0; e < 4; e++) {
                dot += (double)pivot[e] * (double)q[e];
            }
            nearest = fmin(nearest, fabs(dot));
            for (int e = 0; e < 4; e++) {
                r[e] += (dot < 0.0 ? -1.0 : 1.0) * (double)v->weights[i] * (double)q[e];
                d[e] += (dot < 0.0 ? -1.0 : 1.0) * (double)v->weights[i] * (double)q[e + 4];
            }
        }
    }
    const double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    const quaternion64 rotation = {r[0] / length, r[1] / length, r[2] / length, r[3] / length};
    const quaternion64 dual = {d[0] / length, d[1] / length, d[2] / length, d[3] / length};
    const quaternion64 moved = multiply64(dual, conjugate64(rotation));
    oracle_vertex result = {.side = v->tangent[3] < 0.0f ? -1.0 : 1.0};
    rotate64(rotation, from.position, result.position);
    rotate64(rotation, from.normal, result.normal);
    rotate64(rotation, from.tangent, result.tangent);
    normalize(result.normal);
    normalize(result.tangent);
    result.position[0] += 2.0 * moved.x;
    result.position[1] += 2.0 * moved.y;
    result.position[2] += 2.0 * moved.z;
    // The sum of rotations that oppose each other is short, and its direction less exact.
    result.scale = (3.0 + 12.0 + (double)scene->def.target_count) * weight_sum(scene, vertex) / length;
    result.condition = nearest < 1e-6 ? 0.0 : length / weight_sum(scene, vertex); // either hemisphere is right there
    return result;
}

typedef struct largest_errors {
    double position, normal, tangent;
    uint32_t count;
} largest_errors;

static double distance(const double expected[3], const float found[3]) {
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        most = fmax(most, fabs(expected[i] - (double)found[i]));
    }
    return most;
}

static const float *element(const skin_scene_outputs *outputs, lmb_skin_output output, uint32_t floats,
                            uint32_t character, uint32_t vertex) {
    return (const float *)(const void *)outputs->streams[output] + ((size_t)character * VERTICES + vertex) * floats;
}

static largest_errors compare_with_oracle(lmb_skin_method method, uint32_t influences, uint32_t targets) {
    skin_scene scene = skin_scene_create(VERTICES, influences, targets, SKIN_SCENE_USUAL, 7);
    const lmb_skin_layout layout = skin_scene_layout(method, LMB_SKIN_FORMAT_FLOAT);
    skin_scene_outputs outputs = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0);
    lmb_error error;
    assert_ok(skin_scene_run(&scene, LMB_CPU_REFERENCE, &layout, NULL, 0, &outputs, &error), &error);
    largest_errors errors = {0};
    const size_t floats = scene.palette_floats[method] / SKIN_SCENE_CHARACTERS;
    for (uint32_t i = 0; i < SKIN_SCENE_CHARACTERS * VERTICES; i++) {
        const uint32_t character = i / VERTICES, vertex = i % VERTICES;
        const float *now = scene.palettes[method][0] + character * floats;
        const float *before = scene.palettes[method][1] + character * floats;
        const float *weights = scene.channels[0] + character * SKIN_SCENE_CHANNELS;
        const float *weights_before = scene.channels[1] + character * SKIN_SCENE_CHANNELS;
        const bool linear = method == LMB_SKIN_METHOD_LINEAR;
        const oracle_vertex expected =
            linear ? oracle_linear(&scene, vertex, now, weights) : oracle_dual(&scene, vertex, now, weights);
        const oracle_vertex previous = linear ? oracle_linear(&scene, vertex, before, weights_before)
                                              : oracle_dual(&scene, vertex, before, weights_before);
        if (expected.condition < 0.05 || previous.condition < 0.05) {
            continue;
        }
        const float *tangent = element(&outputs, LMB_SKIN_OUTPUT_TANGENTS, 4, character, vertex);
        const double position =
            distance(expected.position, element(&outputs, LMB_SKIN_OUTPUT_POSITIONS, 3, character, vertex));
        const double position_before =
            distance(previous.position, element(&outputs, LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS, 3, character, vertex));
        errors.position = fmax(errors.position, position / expected.scale);
        errors.position = fmax(errors.position, position_before / previous.scale);
        errors.normal = fmax(
            errors.normal, distance(expected.normal, element(&outputs, LMB_SKIN_OUTPUT_NORMALS, 3, character, vertex)));
        errors.tangent = fmax(errors.tangent, distance(expected.tangent, tangent));
        assert_true((double)tangent[3] == expected.side);
        errors.count++;
    }
    for (int i = 0; i < LMB_REFUSAL_COUNT; i++) {
        assert_int_equal(outputs.refused[i], 0);
    }
    skin_scene_outputs_destroy(&outputs);
    skin_scene_destroy(&scene);
    return errors;
}

static void results_match_the_formulas(void **state) {
    (void)state;
    for (uint32_t influences = 1; influences <= LMB_MAX_SKIN_INFLUENCES; influences++) {
        for (uint32_t i = 0; i < 2 * LMB_SKIN_METHOD_COUNT; i++) {
            const uint32_t method = i / 2, targets = i % 2 == 0 ? 0 : 20;
            const largest_errors errors = compare_with_oracle((lmb_skin_method)method, influences, targets);
            printf("method %u, %u influences, %u targets: %u vertices; position %.1e, normal %.1e, tangent %.1e\n",
                   method, influences, targets, errors.count, errors.position, errors.normal, errors.tangent);
            assert_true(errors.count > SKIN_SCENE_CHARACTERS * VERTICES / 4);
            assert_true(errors.position < 1e-6);
            assert_true(errors.normal < 1e-5);
            assert_true(errors.tangent < 1e-5);
        }
    }
}

static void expect_same(const skin_scene_outputs *expected, const skin_scene_outputs *found, const char *what) {
    for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        for (size_t at = 0; at < expected->sizes[i]; at++) {
            if (expected->streams[i][at] != found->streams[i][at]) {
                fail_msg("%s: byte %zu of the %s differs", what, at, lmb_skin_output_name((lmb_skin_output)i));
            }
        }
    }
    for (int i = 0; i < LMB_REFUSAL_COUNT; i++) {
        if (expected->refused[i] != found->refused[i]) {
            fail_msg("%s: %u refusals of kind %d instead of %u", what, found->refused[i], i, expected->refused[i]);
        }
    }
}

// Every path has the bits of the reference, whatever the host writes.
static void paths_have_the_same_bits(void **state) {
    (void)state;
    static const uint32_t list[] = {3, 4, 0, 8, 3, SKIN_SCENE_CHARACTERS, 1, UINT32_MAX};
    const uint32_t listed = sizeof list / sizeof list[0];
    uint32_t refused_weights = 0;
    for (uint32_t i = 0; i < 24; i++) {
        const skin_scene_values values = i % 2 == 0 ? SKIN_SCENE_EXTREME : SKIN_SCENE_USUAL;
        const uint32_t targets = i / 4 % 2 == 0 ? 0 : 3 + i;
        skin_scene scene = skin_scene_create(1 + i * 13, 1 + i % LMB_MAX_SKIN_INFLUENCES, targets, values, i);
        lmb_skin_layout layout =
            skin_scene_layout((lmb_skin_method)(i / 2 % 2), i % 3 ? LMB_SKIN_FORMAT_FLOAT : LMB_SKIN_FORMAT_SNORM16);
        layout.packed = i % 5 == 0;
        skin_scene_outputs expected = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0x55);
        lmb_error error;
        assert_ok(skin_scene_run(&scene, LMB_CPU_REFERENCE, &layout, list, listed, &expected, &error), &error);
        assert_int_equal(expected.refused[LMB_REFUSED_CHARACTER], 2);
        if (values == SKIN_SCENE_USUAL || i > 2) { // the first meshes have few vertices
            const bool extreme = values == SKIN_SCENE_EXTREME;
            assert_true((expected.refused[LMB_REFUSED_POSE] > 0) == extreme);
            assert_true(expected.refused[LMB_REFUSED_WEIGHT] == 0 || (extreme && targets > 0));
            refused_weights += expected.refused[LMB_REFUSED_WEIGHT];
        }
        for (lmb_cpu_path path = LMB_CPU_FAST; path < LMB_CPU_PATH_COUNT; path++) {
            if (lmb_cpu_has(path)) {
                skin_scene_outputs found = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0x55);
                assert_ok(skin_scene_run(&scene, path, &layout, list, listed, &found, &error), &error);
                expect_same(&expected, &found, lmb_cpu_path_name(path));
                skin_scene_outputs_destroy(&found);
            }
        }
        skin_scene_outputs_destroy(&expected);
        skin_scene_destroy(&scene);
    }
    assert_true(refused_weights > 0);
}

// Neither the mesh nor the result depends on the caller's rounding, which stays as it is.
static void the_callers_rounding_does_not_matter(void **state) {
    (void)state;
    skin_scene scene = skin_scene_create(100, 4, 3, SKIN_SCENE_USUAL, 15);
    const lmb_skin_layout layout = skin_scene_layout(LMB_SKIN_METHOD_LINEAR, LMB_SKIN_FORMAT_FLOAT);
    skin_scene_outputs expected = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0);
    skin_scene_outputs found = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0);
    lmb_skin *upward = NULL;
    lmb_error error;
    assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &layout, NULL, 0, &expected, &error), &error);
    assert_int_equal(fesetround(FE_UPWARD), 0);
    const lmb_result created = lmb_skin_create(&scene.def, NULL, &upward, &error);
    const lmb_result ran = skin_scene_run(&scene, LMB_CPU_FAST, &layout, NULL, 0, &found, &error);
    const int rounding = fegetround();
    fesetround(FE_TONEAREST);
    assert_int_equal(rounding, FE_UPWARD);
    assert_ok(created, &error);
    assert_ok(ran, &error);
    expect_same(&expected, &found, "rounding upward");
    assert_int_equal(lmb_skin_get_info(upward)->word_count, lmb_skin_get_info(scene.skin)->word_count);
    assert_memory_equal(lmb_skin_get_info(upward)->words, lmb_skin_get_info(scene.skin)->words,
                        lmb_skin_get_info(upward)->word_count * sizeof(uint32_t));
    lmb_skin_destroy(upward);
    skin_scene_outputs_destroy(&found);
    skin_scene_outputs_destroy(&expected);
    skin_scene_destroy(&scene);
}

// All floats of any run are zero, or between the limits of the snapping rule.
static void floats_are_snapped(void **state) {
    (void)state;
    for (int method = 0; method < LMB_SKIN_METHOD_COUNT; method++) {
        skin_scene scene = skin_scene_create(2000, 4, 20, SKIN_SCENE_EXTREME, 99);
        const lmb_skin_layout layout = skin_scene_layout((lmb_skin_method)method, LMB_SKIN_FORMAT_FLOAT);
        skin_scene_outputs outputs = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0xff);
        lmb_error error;
        assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &layout, NULL, 0, &outputs, &error), &error);
        for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
            const uint32_t *words = (const uint32_t *)(const void *)outputs.streams[i];
            for (size_t at = 0; at < outputs.sizes[i] / 4; at++) {
                const uint32_t magnitude = words[at] & 0x7fffffffu;
                assert_true(words[at] == 0 || (magnitude >= 0x2b800000u && magnitude <= 0x53800000u));
            }
        }
        skin_scene_outputs_destroy(&outputs);
        skin_scene_destroy(&scene);
    }
}

// A packed run has the listed characters in the order of the list, another one at their indices.
static void slots_follow_the_list(void **state) {
    (void)state;
    static const uint32_t list[] = {5, 2, SKIN_SCENE_CHARACTERS + 1, 7};
    skin_scene scene = skin_scene_create(40, 4, 0, SKIN_SCENE_USUAL, 3);
    lmb_skin_layout layout = skin_scene_layout(LMB_SKIN_METHOD_LINEAR, LMB_SKIN_FORMAT_FLOAT);
    layout.character_vertices = 50;
    skin_scene_outputs all = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0);
    skin_scene_outputs some = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0);
    lmb_skin_layout packed_layout = layout;
    packed_layout.packed = true;
    skin_scene_outputs packed = skin_scene_outputs_create(scene.skin, &layout, 4, 0);
    lmb_error error;
    assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &layout, NULL, 0, &all, &error), &error);
    assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &layout, list, 4, &some, &error), &error);
    assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &packed_layout, list, 4, &packed, &error), &error);
    for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        const size_t bytes = lmb_skin_character_bytes(scene.skin, &layout, (lmb_skin_output)i);
        char *zeros = calloc(bytes, 1);
        assert_memory_not_equal(all.streams[i], zeros, bytes);
        for (uint32_t character = 0; character < SKIN_SCENE_CHARACTERS; character++) {
            const bool listed = character == 5 || character == 2 || character == 7;
            assert_memory_equal(some.streams[i] + character * bytes,
                                listed ? all.streams[i] + character * bytes : zeros, bytes);
        }
        assert_memory_equal(packed.streams[i], all.streams[i] + 5 * bytes, bytes);
        assert_memory_equal(packed.streams[i] + bytes, all.streams[i] + 2 * bytes, bytes);
        assert_memory_equal(packed.streams[i] + 2 * bytes, zeros, bytes);
        assert_memory_equal(packed.streams[i] + 3 * bytes, all.streams[i] + 7 * bytes, bytes);
        free(zeros);
    }
    assert_int_equal(some.refused[LMB_REFUSED_CHARACTER], 1);
    assert_int_equal(packed.refused[LMB_REFUSED_CHARACTER], 1);
    skin_scene_outputs_destroy(&packed);
    skin_scene_outputs_destroy(&some);
    skin_scene_outputs_destroy(&all);
    skin_scene_destroy(&scene);
}

// Runs for the spans of a batch together write what one run writes, and count an invalid index once.
static void spans_make_a_whole(void **state) {
    (void)state;
    static const uint32_t list[] = {8, 0, 3, 99, 4};
    skin_scene scene = skin_scene_create(70, 4, 5, SKIN_SCENE_USUAL, 4);
    lmb_skin_layout layout = skin_scene_layout(LMB_SKIN_METHOD_DUAL_QUATERNION, LMB_SKIN_FORMAT_FLOAT);
    layout.packed = true;
    skin_scene_outputs whole = skin_scene_outputs_create(scene.skin, &layout, 5, 0);
    skin_scene_outputs parts = skin_scene_outputs_create(scene.skin, &layout, 5, 0);
    lmb_error error;
    assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &layout, list, 5, &whole, &error), &error);
    for (uint32_t first = 0; first < SKIN_SCENE_CHARACTERS; first += 4) {
        layout.first_character = first;
        layout.palette_count = SKIN_SCENE_CHARACTERS - first < 4 ? SKIN_SCENE_CHARACTERS - first : 4;
        assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &layout, list, 5, &parts, &error), &error);
    }
    expect_same(&whole, &parts, "spans");
    assert_int_equal(whole.refused[LMB_REFUSED_CHARACTER], 1);
    skin_scene_outputs_destroy(&parts);
    skin_scene_outputs_destroy(&whole);
    skin_scene_destroy(&scene);
}

// Interleaved streams leave the rest of the host's vertices as it is.
static void streams_may_interleave(void **state) {
    (void)state;
    enum { STRIDE = 48, COUNT = 21 }; // position, normal, 4 bytes of the host, tangent, 4 more
    static const size_t offsets[LMB_SKIN_OUTPUT_COUNT] = {0, 0, 12, 28};
    skin_scene scene = skin_scene_create(COUNT, 4, 0, SKIN_SCENE_USUAL, 5);
    const lmb_skin_layout apart = skin_scene_layout(LMB_SKIN_METHOD_LINEAR, LMB_SKIN_FORMAT_FLOAT);
    skin_scene_outputs expected = skin_scene_outputs_create(scene.skin, &apart, SKIN_SCENE_CHARACTERS, 0);
    lmb_error error;
    assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &apart, NULL, 0, &expected, &error), &error);
    lmb_skin_run_info info = {.layout = apart, .palette = scene.palettes[LMB_SKIN_METHOD_LINEAR][0]};
    char vertices[SKIN_SCENE_CHARACTERS * COUNT * STRIDE];
    memset(vertices, 0x77, sizeof vertices);
    info.layout.streams[LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS].format = LMB_SKIN_FORMAT_NONE;
    for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        info.layout.streams[i].stride = STRIDE;
        info.streams[i] = vertices + offsets[i];
    }
    assert_ok(lmb_skin_run(scene.skin, LMB_CPU_FAST, &info, &error), &error);
    for (uint32_t i = 0; i < SKIN_SCENE_CHARACTERS * COUNT; i++) {
        const char *vertex = vertices + (size_t)i * STRIDE;
        assert_memory_equal(vertex, expected.streams[LMB_SKIN_OUTPUT_POSITIONS] + i * 12, 12);
        assert_memory_equal(vertex + 12, expected.streams[LMB_SKIN_OUTPUT_NORMALS] + i * 12, 12);
        assert_memory_equal(vertex + 28, expected.streams[LMB_SKIN_OUTPUT_TANGENTS] + i * 16, 16);
        assert_memory_equal(vertex + 24, "wwww", 4);
        assert_memory_equal(vertex + 44, "wwww", 4);
    }
    skin_scene_outputs_destroy(&expected);
    skin_scene_destroy(&scene);
}

static void integers_are_the_nearest(void **state) {
    (void)state;
    skin_scene scene = skin_scene_create(VERTICES, 4, 0, SKIN_SCENE_USUAL, 6);
    const lmb_skin_layout floats = skin_scene_layout(LMB_SKIN_METHOD_LINEAR, LMB_SKIN_FORMAT_FLOAT);
    const lmb_skin_layout integers = skin_scene_layout(LMB_SKIN_METHOD_LINEAR, LMB_SKIN_FORMAT_SNORM16);
    skin_scene_outputs exact = skin_scene_outputs_create(scene.skin, &floats, SKIN_SCENE_CHARACTERS, 0);
    skin_scene_outputs rounded = skin_scene_outputs_create(scene.skin, &integers, SKIN_SCENE_CHARACTERS, 0x55);
    lmb_error error;
    assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &floats, NULL, 0, &exact, &error), &error);
    assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &integers, NULL, 0, &rounded, &error), &error);
    for (uint32_t i = 0; i < SKIN_SCENE_CHARACTERS * VERTICES; i++) {
        int16_t normal[4], tangent[4];
        memcpy(normal, rounded.streams[LMB_SKIN_OUTPUT_NORMALS] + i * 8, sizeof normal);
        memcpy(tangent, rounded.streams[LMB_SKIN_OUTPUT_TANGENTS] + i * 8, sizeof tangent);
        for (int c = 0; c < 3; c++) {
            const float *n = (const float *)(const void *)exact.streams[LMB_SKIN_OUTPUT_NORMALS] + i * 3;
            const float *t = (const float *)(const void *)exact.streams[LMB_SKIN_OUTPUT_TANGENTS] + i * 4;
            assert_true(fabs((double)normal[c] - 32767.0 * (double)n[c]) < 0.51);
            assert_true(fabs((double)tangent[c] - 32767.0 * (double)t[c]) < 0.51);
        }
        assert_int_equal(normal[3], 0);
        const float *t = (const float *)(const void *)exact.streams[LMB_SKIN_OUTPUT_TANGENTS] + i * 4;
        assert_int_equal(tangent[3], t[3] < 0.0f ? -32767 : 32767);
    }
    skin_scene_outputs_destroy(&rounded);
    skin_scene_outputs_destroy(&exact);
    skin_scene_destroy(&scene);
}

// Attributes in every format describe the same mesh, up to their rounding.
static void formats_describe_the_same_mesh(void **state) {
    (void)state;
    static const uint8_t joints8[4] = {1, 2, 200, 201}, weights8[4] = {51, 204, 0, 0};
    static const uint16_t joints16[4] = {1, 2, 9000, 9001}, weights16[4] = {13107, 52428, 0, 0};
    static const uint32_t joints32[4] = {1, 2, 9000, UINT32_MAX};
    static const float weights[4] = {0.2f, 0.8f, 0.0f, 0.0f}, position[3] = {1.0f, 2.0f, 3.0f};
    static const float normal[3] = {0.0f, 0.0f, -1.0f}, tangent[4] = {-1.0f, 0.0f, 0.0f, -1.0f};
    static const int16_t normal16[4] = {0, 0, -32768, 0}, tangent16[4] = {-32767, 0, 0, -32767};
    lmb_skin_def def = lmb_default_skin_def();
    def.joint_count = 3;
    def.vertex_count = 1;
    def.positions = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, position, 0};
    def.normals = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, normal, 0};
    def.tangents = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, tangent, 0};
    def.joints = (lmb_skin_attribute){LMB_SKIN_FORMAT_UINT32, joints32, 0};
    def.weights = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, weights, 0};
    lmb_skin_def others[2] = {def, def};
    others[0].normals = (lmb_skin_attribute){LMB_SKIN_FORMAT_SNORM16, normal16, 0};
    others[0].joints = (lmb_skin_attribute){LMB_SKIN_FORMAT_UINT8, joints8, 0};
    others[0].weights = (lmb_skin_attribute){LMB_SKIN_FORMAT_UINT8, weights8, 0};
    others[1].tangents = (lmb_skin_attribute){LMB_SKIN_FORMAT_SNORM16, tangent16, 0};
    others[1].joints = (lmb_skin_attribute){LMB_SKIN_FORMAT_UINT16, joints16, 0};
    others[1].weights = (lmb_skin_attribute){LMB_SKIN_FORMAT_UINT16, weights16, 0};
    lmb_skin *skin = NULL;
    lmb_error error;
    assert_ok(lmb_skin_create(&def, NULL, &skin, &error), &error);
    assert_int_equal(lmb_skin_get_info(skin)->influence_count, 2);
    assert_int_equal(lmb_skin_get_info(skin)->joint_count, 3);
    assert_int_equal(lmb_skin_get_info(skin)->vertex_count, 1);
    for (int i = 0; i < 2; i++) {
        lmb_skin *other = NULL;
        assert_ok(lmb_skin_create(&others[i], NULL, &other, &error), &error);
        assert_int_equal(lmb_skin_get_info(other)->word_count, lmb_skin_get_info(skin)->word_count);
        for (size_t at = 0; at < lmb_skin_get_info(skin)->word_count; at++) {
            const uint32_t a = lmb_skin_get_info(skin)->words[at], b = lmb_skin_get_info(other)->words[at];
            assert_true(a == b || (a > b ? a - b : b - a) <= 1); // weights may differ by their last bit
        }
        lmb_skin_destroy(other);
    }
    lmb_skin_destroy(skin);
}

// Directions that a matrix maps to zero stay, and a flat matrix has the normal of its plane.
static void flat_matrices_have_normals(void **state) {
    (void)state;
    static const float flat[12] = {2, 0, 0, 5, 0, 3, 0, 6, 0, 0, 0, 7}, none[12] = {0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 7};
    static const float tiny[12] = {1e-6f, 0, 0, 0, 0, 1e-6f, 0, 0, 0, 0, 1e-6f, 0};
    static const float position[3] = {1, 1, 1}, normal[3] = {0.6f, 0.0f, 0.8f}, tangent[4] = {0, 0, 1, 1}, weight = 1;
    static const uint32_t joint = 0;
    lmb_skin_def def = lmb_default_skin_def();
    def.joint_count = def.vertex_count = def.influence_count = 1;
    def.positions = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, position, 0};
    def.normals = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, normal, 0};
    def.tangents = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, tangent, 0};
    def.joints = (lmb_skin_attribute){LMB_SKIN_FORMAT_UINT32, &joint, 0};
    def.weights = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, &weight, 0};
    lmb_skin *skin = NULL;
    lmb_error error;
    assert_ok(lmb_skin_create(&def, NULL, &skin, &error), &error);
    float positions[3], normals[3], tangents[4];
    lmb_skin_run_info info = {.layout = lmb_default_skin_layout(1), .streams = {positions, NULL, normals, tangents}};
    info.layout.streams[LMB_SKIN_OUTPUT_NORMALS].format = info.layout.streams[LMB_SKIN_OUTPUT_TANGENTS].format =
        LMB_SKIN_FORMAT_FLOAT;
    info.palette = flat;
    assert_ok(lmb_skin_run(skin, LMB_CPU_REFERENCE, &info, &error), &error);
    assert_true(positions[0] == 7.0f && positions[1] == 9.0f && positions[2] == 7.0f);
    assert_true(normals[0] == 0.0f && normals[1] == 0.0f && fabsf(normals[2] - 1.0f) < 1e-6f);
    assert_true(tangents[0] == 0.0f && tangents[1] == 0.0f && tangents[2] == 1.0f && tangents[3] == 1.0f);
    info.palette = none;
    assert_ok(lmb_skin_run(skin, LMB_CPU_REFERENCE, &info, &error), &error);
    assert_true(positions[0] == 5.0f && normals[0] == 0.6f && normals[2] == 0.8f && tangents[2] == 1.0f);
    info.palette = tiny;
    assert_ok(lmb_skin_run(skin, LMB_CPU_REFERENCE, &info, &error), &error);
    assert_true(fabsf(normals[0] - 0.6f) < 1e-6f && fabsf(normals[2] - 0.8f) < 1e-6f);
    lmb_skin_destroy(skin);
}

// A refused vertex is as in the bind pose, and the vertices beside it are right.
static void invalid_palettes_are_counted(void **state) {
    (void)state;
    for (int method = 0; method < LMB_SKIN_METHOD_COUNT; method++) {
        skin_scene scene = skin_scene_create(64, 1, 0, SKIN_SCENE_USUAL, 8);
        lmb_skin_layout layout = skin_scene_layout((lmb_skin_method)method, LMB_SKIN_FORMAT_FLOAT);
        layout.streams[LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS].format = LMB_SKIN_FORMAT_NONE;
        skin_scene_outputs valid = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0);
        lmb_error error;
        assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &layout, NULL, 0, &valid, &error), &error);
        const uint32_t joint = scene.vertices[10].joints[0];
        const size_t floats = method == LMB_SKIN_METHOD_LINEAR ? 12 : 8;
        float *at = scene.palettes[method][0] + (size_t)joint * floats; // of character 0
        static const float bad[] = {NAN, INFINITY, -INFINITY, 1.2e12f};
        for (size_t i = 0; i < floats + 1; i++) {
            float kept[12];
            memcpy(kept, at, floats * sizeof *at);
            if (i < floats) {
                at[i] = bad[i % 4];
            } else {
                memset(at, 0, floats * sizeof *at); // no rotation: valid for matrices only
            }
            skin_scene_outputs found = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0);
            assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &layout, NULL, 0, &found, &error), &error);
            const bool refused = i < floats || method == LMB_SKIN_METHOD_DUAL_QUATERNION;
            uint32_t count = 0;
            for (uint32_t vertex = 0; vertex < 64; vertex++) {
                const bool bound = scene.vertices[vertex].joints[0] == joint;
                const char *written = found.streams[LMB_SKIN_OUTPUT_POSITIONS] + vertex * 12;
                count += bound && refused;
                if (!bound || refused) {
                    assert_memory_equal(written,
                                        bound ? (const char *)scene.vertices[vertex].position
                                              : valid.streams[LMB_SKIN_OUTPUT_POSITIONS] + vertex * 12,
                                        12);
                }
            }
            assert_int_equal(found.refused[LMB_REFUSED_POSE], count);
            skin_scene_outputs_destroy(&found);
            memcpy(at, kept, floats * sizeof *at);
        }
        skin_scene_outputs_destroy(&valid);
        skin_scene_destroy(&scene);
    }
}

// Targets whose weights are 0 change no bit. Others change only the vertices that they displace.
static void targets_of_weight_zero_change_nothing(void **state) {
    (void)state;
    skin_scene scene = skin_scene_create(VERTICES, 4, 9, SKIN_SCENE_USUAL, 12);
    const lmb_skin_layout layout = skin_scene_layout(LMB_SKIN_METHOD_LINEAR, LMB_SKIN_FORMAT_FLOAT);
    lmb_skin *with_targets = scene.skin;
    lmb_skin_def def = scene.def;
    lmb_error error;
    def.target_count = 0;
    assert_true(lmb_skin_get_info(with_targets)->has_targets);
    assert_ok(lmb_skin_create(&def, NULL, &scene.skin, &error), &error);
    assert_false(lmb_skin_get_info(scene.skin)->has_targets);
    skin_scene_outputs without = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0);
    assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &layout, NULL, 0, &without, &error), &error);
    lmb_skin_destroy(scene.skin);
    scene.skin = with_targets;
    memset(scene.channels, 0, sizeof scene.channels);
    skin_scene_outputs still = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0);
    assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &layout, NULL, 0, &still, &error), &error);
    expect_same(&without, &still, "weights of 0");
    const uint32_t channel = scene.targets[3].channel;
    scene.channels[0][channel] = 0.7f; // of character 0
    skin_scene_outputs moved = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0);
    assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &layout, NULL, 0, &moved, &error), &error);
    uint32_t displaced = 0;
    bool is_displaced[VERTICES] = {false};
    for (uint32_t t = 0; t < scene.def.target_count; t++) {
        for (uint32_t d = 0; d < scene.targets[t].delta_count && scene.targets[t].channel == channel; d++) {
            is_displaced[scene.targets[t].deltas[d].vertex] = true;
        }
    }
    for (uint32_t i = 0; i < SKIN_SCENE_CHARACTERS * VERTICES; i++) {
        const char *a = moved.streams[LMB_SKIN_OUTPUT_POSITIONS] + i * 12,
                   *b = still.streams[LMB_SKIN_OUTPUT_POSITIONS] + i * 12;
        assert_true((memcmp(a, b, 12) != 0) == (i < VERTICES && is_displaced[i]));
        displaced += i < VERTICES && is_displaced[i];
    }
    assert_in_range(displaced, 1, VERTICES - 1);
    skin_scene_outputs_destroy(&moved);
    skin_scene_outputs_destroy(&still);
    skin_scene_outputs_destroy(&without);
    skin_scene_destroy(&scene);
}

// A weight that is not finite is counted for each vertex of its targets, which stay as with a weight of 0.
static void invalid_weights_are_counted(void **state) {
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    skin_scene scene = skin_scene_create(50, 2, 1, SKIN_SCENE_USUAL, 13);
    const lmb_skin_layout layout = skin_scene_layout(LMB_SKIN_METHOD_DUAL_QUATERNION, LMB_SKIN_FORMAT_FLOAT);
    memset(scene.channels, 0, sizeof scene.channels);
    skin_scene_outputs still = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0);
    lmb_error error;
    assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &layout, NULL, 0, &still, &error), &error);
    for (int i = 0; i < 3; i++) {
        scene.channels[0][SKIN_SCENE_CHANNELS + scene.targets[0].channel] = bad[i]; // of character 1
        scene.channels[1][2 * SKIN_SCENE_CHANNELS + scene.targets[0].channel] = bad[i];
        skin_scene_outputs found = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0);
        assert_ok(skin_scene_run(&scene, LMB_CPU_FAST, &layout, NULL, 0, &found, &error), &error);
        assert_int_equal(found.refused[LMB_REFUSED_WEIGHT], 2 * scene.targets[0].delta_count);
        found.refused[LMB_REFUSED_WEIGHT] = 0;
        expect_same(&still, &found, "invalid weights");
        skin_scene_outputs_destroy(&found);
    }
    skin_scene_outputs_destroy(&still);
    skin_scene_destroy(&scene);
}

static void expect_refused(const lmb_skin_def *def, lmb_result result, const char *text) {
    lmb_skin *skin = (lmb_skin *)(uintptr_t)1;
    lmb_error error = {0};
    assert_int_equal(lmb_skin_create(def, NULL, &skin, &error), result);
    assert_null(skin);
    if (strstr(error.message, text) == NULL) {
        fail_msg("'%s' lacks '%s'", error.message, text);
    }
}

static void invalid_meshes_are_refused(void **state) {
    (void)state;
    skin_scene scene = skin_scene_create(20, 4, 0, SKIN_SCENE_USUAL, 9);
    const lmb_skin_def good = scene.def;
    lmb_skin_def def;
#define REFUSED(change, result, text)                                                                                  \
    def = good;                                                                                                        \
    change;                                                                                                            \
    expect_refused(&def, result, text)
    REFUSED(def.joint_count = 0, LMB_ERROR_LIMIT, "0 joints");
    REFUSED(def.joint_count = LMB_MAX_JOINTS + 1, LMB_ERROR_LIMIT, "joints");
    REFUSED(def.vertex_count = 0, LMB_ERROR_LIMIT, "0 vertices");
    REFUSED(def.vertex_count = LMB_MAX_SKIN_VERTICES + 1, LMB_ERROR_LIMIT, "vertices");
    REFUSED(def.influence_count = 0, LMB_ERROR_LIMIT, "0 influences");
    REFUSED(def.influence_count = 9, LMB_ERROR_LIMIT, "9 influences");
    REFUSED(def.positions.data = NULL, LMB_ERROR_ARGUMENT, "positions are NULL");
    REFUSED(def.positions.format = LMB_SKIN_FORMAT_NONE, LMB_ERROR_ARGUMENT, "format of its positions");
    REFUSED(def.positions.format = LMB_SKIN_FORMAT_SNORM16, LMB_ERROR_ARGUMENT, "format of its positions");
    REFUSED(def.normals.format = LMB_SKIN_FORMAT_UINT8, LMB_ERROR_ARGUMENT, "format of its normals");
    REFUSED(def.tangents.format = LMB_SKIN_FORMAT_COUNT, LMB_ERROR_ARGUMENT, "format of its tangents");
    REFUSED(def.joints.format = LMB_SKIN_FORMAT_FLOAT, LMB_ERROR_ARGUMENT, "format of its joints");
    REFUSED(def.weights.format = LMB_SKIN_FORMAT_UINT32, LMB_ERROR_ARGUMENT, "format of its weights");
    REFUSED(def.positions.stride = 11, LMB_ERROR_ARGUMENT, "11 bytes, is not 12 to");
    REFUSED(def.tangents.stride = 15, LMB_ERROR_ARGUMENT, "15 bytes, is not 16 to");
    REFUSED(def.weights.stride = LMB_MAX_SKIN_STRIDE + 1, LMB_ERROR_ARGUMENT, "weights");
#undef REFUSED
    float *const numbers[] = {&scene.vertices[13].position[1], &scene.vertices[13].normal[2],
                              &scene.vertices[13].tangent[0], &scene.vertices[13].weights[0]};
    static const char *const names[] = {"position", "normal", "tangent", "weight"};
    static const float bad[] = {NAN, INFINITY, -INFINITY, 1.2e12f, -1.2e12f};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 5; j++) {
            char text[60];
            const float kept = *numbers[i];
            *numbers[i] = bad[j];
            snprintf(text, sizeof text, "vertex 13: its %s is", names[i]);
            expect_refused(&good, LMB_ERROR_ARGUMENT, text);
            *numbers[i] = kept;
        }
    }
    skin_scene_vertex kept = scene.vertices[13];
    scene.vertices[13].tangent[3] = NAN;
    expect_refused(&good, LMB_ERROR_ARGUMENT, "vertex 13: its tangent has a sign that is NaN");
    scene.vertices[13] = kept;
    scene.vertices[13].weights[2] = -0.1f;
    expect_refused(&good, LMB_ERROR_ARGUMENT, "vertex 13: its weight is negative");
    scene.vertices[13] = kept;
    scene.vertices[13].joints[0] = SKIN_SCENE_JOINTS;
    expect_refused(&good, LMB_ERROR_ARGUMENT, "vertex 13: its joint is not one of the rig");
    scene.vertices[13] = kept;
    memset(scene.vertices[13].weights, 0, sizeof kept.weights);
    expect_refused(&good, LMB_ERROR_ARGUMENT, "vertex 13: its weight is 0 for all of its joints");
    scene.vertices[13] = kept;
    expect_refused(NULL, LMB_ERROR_ARGUMENT, "descriptor is NULL");
    assert_int_equal(lmb_skin_create(&good, NULL, NULL, NULL), LMB_ERROR_ARGUMENT);
    lmb_skin_destroy(NULL);
    skin_scene_destroy(&scene);
}

static void invalid_targets_are_refused(void **state) {
    (void)state;
    skin_scene scene = skin_scene_create(20, 4, 3, SKIN_SCENE_USUAL, 14);
    lmb_skin_def def = scene.def;
    lmb_skin_delta deltas[3] = {{.vertex = 2}, {.vertex = 5}, {.vertex = 6}};
    scene.targets[1].name = "smile";
    def.channel_count = 0;
    expect_refused(&def, LMB_ERROR_ARGUMENT, "target 0: channel");
    def.channel_count = LMB_MAX_CHANNELS + 1;
    expect_refused(&def, LMB_ERROR_LIMIT, "65536 channels");
    def = scene.def;
    def.target_count = LMB_MAX_CHANNELS + 1;
    expect_refused(&def, LMB_ERROR_LIMIT, "65536 targets");
    def = scene.def;
    def.targets = NULL;
    expect_refused(&def, LMB_ERROR_ARGUMENT, "its targets are NULL");
    def = scene.def;
    lmb_skin_target targets[3];
    memcpy(targets, scene.targets, sizeof targets);
    def.targets = targets;
    targets[1].delta_count = 3;
    targets[1].deltas = NULL;
    expect_refused(&def, LMB_ERROR_ARGUMENT, "target 1 'smile': its displacements are NULL");
    targets[1].deltas = deltas;
    for (uint32_t count = 21; count != 0; count *= 2) { // which may be too many for an array
        targets[1].delta_count = count;
        expect_refused(&def, LMB_ERROR_ARGUMENT, "displacements, and there are 20 vertices");
    }
    targets[1].delta_count = 3;
    lmb_skin *skin = NULL;
    lmb_error error;
    assert_ok(lmb_skin_create(&def, NULL, &skin, &error), &error);
    lmb_skin_destroy(skin);
    deltas[2].vertex = 5;
    expect_refused(&def, LMB_ERROR_ARGUMENT, "target 1 'smile': vertex 5 does not ascend");
    deltas[2].vertex = 20;
    expect_refused(&def, LMB_ERROR_ARGUMENT, "target 1 'smile': vertex 20 does not exist");
    deltas[2].vertex = 6;
    float *const numbers[] = {&deltas[2].position[0], &deltas[2].normal[1], &deltas[2].tangent[2]};
    static const float bad[] = {NAN, INFINITY, -1.2e12f};
    for (int i = 0; i < 9; i++) {
        *numbers[i / 3] = bad[i % 3];
        expect_refused(&def, LMB_ERROR_ARGUMENT, "vertex 6 has a displacement that is not finite");
        *numbers[i / 3] = 0.0f;
    }
    static float memory[SKIN_SCENE_CHARACTERS * 20 * 4];
    lmb_skin_run_info info = {.layout = skin_scene_layout(LMB_SKIN_METHOD_LINEAR, LMB_SKIN_FORMAT_FLOAT),
                              .palette = scene.palettes[LMB_SKIN_METHOD_LINEAR][0],
                              .previous_palette = scene.palettes[LMB_SKIN_METHOD_LINEAR][1],
                              .streams = {memory, memory, memory, memory}};
    assert_int_equal(lmb_skin_run(scene.skin, LMB_CPU_FAST, &info, &error), LMB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "the channels are NULL"));
    info.channels = scene.channels[0];
    assert_int_equal(lmb_skin_run(scene.skin, LMB_CPU_FAST, &info, &error), LMB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "the previous channels are NULL"));
    skin_scene_destroy(&scene);
}

static void expect_run_refused(const skin_scene *scene, lmb_cpu_path path, const lmb_skin_run_info *info,
                               lmb_result result, const char *text) {
    lmb_error error = {0};
    assert_int_equal(lmb_skin_run(scene->skin, path, info, &error), result);
    if (strstr(error.message, text) == NULL) {
        fail_msg("'%s' lacks '%s'", error.message, text);
    }
}

static void invalid_runs_are_refused(void **state) {
    (void)state;
    skin_scene scene = skin_scene_create(20, 4, 0, SKIN_SCENE_USUAL, 10);
    static float memory[SKIN_SCENE_CHARACTERS * 20 * 4];
    const lmb_skin_run_info good = {.layout = skin_scene_layout(LMB_SKIN_METHOD_LINEAR, LMB_SKIN_FORMAT_FLOAT),
                                    .palette = scene.palettes[LMB_SKIN_METHOD_LINEAR][0],
                                    .previous_palette = scene.palettes[LMB_SKIN_METHOD_LINEAR][1],
                                    .streams = {memory, memory, memory, memory}};
    lmb_skin_run_info info;
#define REFUSED(change, result, text)                                                                                  \
    info = good;                                                                                                       \
    change;                                                                                                            \
    expect_run_refused(&scene, LMB_CPU_REFERENCE, &info, result, text)
    REFUSED(info.layout.method = LMB_SKIN_METHOD_COUNT, LMB_ERROR_ARGUMENT, "no method");
    REFUSED(info.layout.first_character = 1, LMB_ERROR_ARGUMENT, "not in a batch");
    REFUSED(info.layout.palette_count = 10, LMB_ERROR_ARGUMENT, "not in a batch");
    REFUSED(info.layout.first_character = UINT32_MAX, LMB_ERROR_ARGUMENT, "not in a batch");
    REFUSED(info.layout.character_vertices = 19, LMB_ERROR_ARGUMENT, "19 vertices, and the mesh 20");
    REFUSED(info.layout.character_vertices = 100000000, LMB_ERROR_LIMIT, "2^31 words");
    REFUSED(info.layout.character_count = info.layout.palette_count = 8000000, LMB_ERROR_LIMIT, "palette of");
    REFUSED(info.layout.streams[0].format = LMB_SKIN_FORMAT_SNORM16, LMB_ERROR_ARGUMENT,
            "format of the stream of positions");
    REFUSED(info.layout.streams[2].format = LMB_SKIN_FORMAT_UINT8, LMB_ERROR_ARGUMENT,
            "format of the stream of normals");
    REFUSED(info.layout.streams[0].stride = 8, LMB_ERROR_ARGUMENT, "8 bytes, is not a multiple of 4 from 12");
    REFUSED(info.layout.streams[0].stride = 14, LMB_ERROR_ARGUMENT, "14 bytes");
    REFUSED(info.layout.streams[3].stride = 1024, LMB_ERROR_ARGUMENT, "1024 bytes");
    REFUSED(memset(info.layout.streams, 0, sizeof info.layout.streams), LMB_ERROR_ARGUMENT, "no stream is written");
    REFUSED(info.palette = NULL, LMB_ERROR_ARGUMENT, "the palette is NULL");
    REFUSED(info.previous_palette = NULL, LMB_ERROR_ARGUMENT, "the previous palette is NULL");
    REFUSED(info.streams[1] = NULL, LMB_ERROR_ARGUMENT, "previous positions is NULL");
    REFUSED(info.list_count = 3, LMB_ERROR_ARGUMENT, "a list of 3 characters is NULL");
#undef REFUSED
    expect_run_refused(&scene, LMB_CPU_PATH_COUNT, &good, LMB_ERROR_ARGUMENT, "unknown path");
    expect_run_refused(&scene, LMB_CPU_REFERENCE, NULL, LMB_ERROR_ARGUMENT, "info is NULL");
    assert_int_equal(lmb_skin_run(NULL, LMB_CPU_REFERENCE, &good, NULL), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_skin_check_layout(scene.skin, NULL, 1, NULL), LMB_ERROR_ARGUMENT);
    // Previous positions alone need the previous palette alone.
    info = good;
    memset(info.layout.streams, 0, sizeof info.layout.streams);
    info.layout.streams[LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS].format = LMB_SKIN_FORMAT_FLOAT;
    info.palette = NULL;
    lmb_error error;
    assert_ok(lmb_skin_run(scene.skin, LMB_CPU_FAST, &info, &error), &error);
    // A mesh without normals and tangents writes none.
    lmb_skin_def def = scene.def;
    def.normals.format = def.tangents.format = LMB_SKIN_FORMAT_NONE;
    lmb_skin_destroy(scene.skin);
    assert_ok(lmb_skin_create(&def, NULL, &scene.skin, &error), &error);
    info = good;
    expect_run_refused(&scene, LMB_CPU_REFERENCE, &info, LMB_ERROR_ARGUMENT, "no normals to be written");
    info.layout.streams[LMB_SKIN_OUTPUT_NORMALS].format = LMB_SKIN_FORMAT_NONE;
    expect_run_refused(&scene, LMB_CPU_REFERENCE, &info, LMB_ERROR_ARGUMENT, "no tangents to be written");
    assert_string_equal(lmb_skin_output_name(LMB_SKIN_OUTPUT_COUNT), "unknown output");
    skin_scene_destroy(&scene);
}

static lmb_result create_with(const lmb_host *host, lmb_error *error, void *user) {
    lmb_skin *skin = NULL;
    const lmb_result result = lmb_skin_create(user, host, &skin, error);
    lmb_skin_destroy(skin);
    return result;
}

static void failing_allocations_leave_nothing(void **state) {
    (void)state;
    skin_scene scene = skin_scene_create(20, 4, 0, SKIN_SCENE_USUAL, 11);
    failing_host_try_all(create_with, &scene.def);
    skin_scene_destroy(&scene);
}

// ---- Fewer influences ----

// Draws weights with ties, some of them 0.
static void draw_weights(random_source *source, lmb_vertex *vertices) {
    for (uint32_t i = 0; i < VERTICES * LMB_MAX_INFLUENCES; i++) {
        lmb_vertex *vertex = &vertices[i / LMB_MAX_INFLUENCES];
        const uint32_t k = i % LMB_MAX_INFLUENCES;
        vertex->weights[k] = random_below(source, 3) == 0 ? 0.0f : 0.125f * (float)(1 + random_below(source, 6));
        vertex->weights[k] += k == 5 ? (float)random_between(source, 0.01, 1.0) : 0.0f;
        vertex->joints[k] = 10 + k;
    }
}

// The influences that stay: those of which fewer than `count` others are larger, or equal and before them.
static void expect_reduced(const lmb_vertex *given, const lmb_vertex *reduced, uint32_t count, double *loss) {
    double sum = 0.0, kept = 0.0;
    uint32_t order[LMB_MAX_INFLUENCES];
    for (uint32_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        uint32_t before = 0;
        for (uint32_t k = 0; k < LMB_MAX_INFLUENCES; k++) {
            before += given->weights[k] > given->weights[i] || (given->weights[k] == given->weights[i] && k < i);
        }
        order[before] = i;
        sum += (double)given->weights[i];
        kept += before < count ? (double)given->weights[i] : 0.0;
    }
    for (uint32_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        const double weight = i < count ? (double)given->weights[order[i]] / kept : 0.0;
        assert_true(fabs((double)reduced->weights[i] - weight) <= 1e-7);
        assert_int_equal(reduced->joints[i], weight > 0.0 ? given->joints[order[i]] : 0);
    }
    *loss = fmax(*loss, 1.0 - kept / sum);
}

static void influences_are_reduced(void **state) {
    (void)state;
    random_source source = {12};
    lmb_error error;
    for (uint32_t count = 1; count <= LMB_MAX_INFLUENCES; count++) {
        lmb_vertex given[VERTICES] = {0}, reduced[VERTICES];
        float largest = -1.0f;
        double loss = 0.0;
        draw_weights(&source, given);
        memcpy(reduced, given, sizeof given);
        assert_ok(lmb_reduce_influences(reduced, VERTICES, count, &largest, &error), &error);
        for (uint32_t i = 0; i < VERTICES; i++) {
            expect_reduced(&given[i], &reduced[i], count, &loss);
        }
        assert_true(fabs((double)largest - loss) <= 1e-6 && (count < LMB_MAX_INFLUENCES) == (largest > 0.0f));
    }
    assert_ok(lmb_reduce_influences(NULL, 0, 4, NULL, NULL), &error);
}

static void invalid_influences_are_refused(void **state) {
    (void)state;
    lmb_error error;
    lmb_vertex vertices[3] = {{.weights = {1.0f}}, {.weights = {1.0f}}, {.weights = {1.0f}}};
    static const uint32_t counts[] = {0, LMB_MAX_INFLUENCES + 1};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(lmb_reduce_influences(vertices, 3, counts[i], NULL, &error), LMB_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "1 to 8 may be kept"));
    }
    assert_int_equal(lmb_reduce_influences(NULL, 3, 4, NULL, &error), LMB_ERROR_ARGUMENT);
    assert_string_equal(error.message, "influences: vertices is NULL");
    static const float bad[] = {0.0f, -0.5f, NAN, INFINITY};
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        vertices[1].weights[0] = bad[i];
        assert_int_equal(lmb_reduce_influences(vertices, 3, 4, NULL, &error), LMB_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "the weights of vertex 1 are"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_match_the_formulas),
        cmocka_unit_test(paths_have_the_same_bits),
        cmocka_unit_test(floats_are_snapped),
        cmocka_unit_test(slots_follow_the_list),
        cmocka_unit_test(spans_make_a_whole),
        cmocka_unit_test(streams_may_interleave),
        cmocka_unit_test(integers_are_the_nearest),
        cmocka_unit_test(formats_describe_the_same_mesh),
        cmocka_unit_test(flat_matrices_have_normals),
        cmocka_unit_test(invalid_palettes_are_counted),
        cmocka_unit_test(invalid_meshes_are_refused),
        cmocka_unit_test(invalid_runs_are_refused),
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(the_callers_rounding_does_not_matter),
        cmocka_unit_test(targets_of_weight_zero_change_nothing),
        cmocka_unit_test(invalid_weights_are_counted),
        cmocka_unit_test(invalid_targets_are_refused),
        cmocka_unit_test(influences_are_reduced),
        cmocka_unit_test(invalid_influences_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
