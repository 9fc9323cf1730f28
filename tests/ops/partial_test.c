// Partial poses: the blend that follows from joint weights, and these weights passed from blend to blend.
#include "scene.h"

#include <math.h>
#include <string.h>

enum { JOINTS = 256, CLIPS = 4, CHARACTERS = 21 };

// A clip with a constant random pose and joint weights.
typedef struct part {
    float translations[JOINTS][3];
    float rotations[JOINTS][4];
    uint8_t weights[JOINTS];
    lmb_track_def tracks[2 * JOINTS];
} part;

static const float start[] = {0.0f};

static void draw_weight(random_source *source, uint8_t *weight) {
    static const uint8_t odd[] = {0, 1, 2, 127, 128, 254, 255};
    *weight = random_below(source, 3) == 0 ? odd[random_below(source, sizeof odd)] : (uint8_t)random_below(source, 256);
}

static lmb_clip_def draw_part(part *part, random_source *source) {
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        for (int i = 0; i < 3; i++) {
            part->translations[joint][i] = (float)random_between(source, -1.0, 1.0);
        }
        for (int i = 0; i < 4; i++) {
            part->rotations[joint][i] = (float)random_between(source, 0.1, 1.0);
        }
        draw_weight(source, &part->weights[joint]);
        part->tracks[2 * joint] = (lmb_track_def){joint, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 1,
                                                  start, part->translations[joint]};
        part->tracks[2 * joint + 1] =
            (lmb_track_def){joint, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 1, start, part->rotations[joint]};
    }
    return (lmb_clip_def){.tracks = part->tracks, .track_count = 2 * JOINTS, .joint_weights = part->weights};
}

static void start_parts(test_scene *scene, part *joint_maps, lmb_clip_def *clips, uint64_t seed) {
    random_source source = {seed};
    scene_start(scene, scene_rig(JOINTS, SCENE_WIDE, seed), CHARACTERS, 2);
    for (uint32_t i = 0; i < CLIPS; i++) {
        clips[i] = draw_part(&joint_maps[i], &source);
        lmb_node_def *node = scene_add(scene, LMB_OP_CLIP, LMB_NONE, LMB_NONE);
        node->clip = lmb_constant((float)i);
    }
    scene->clips = clips;
    scene->clip_count = CLIPS;
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        *scene_parameter(scene, character, 0) = (float)character / (CHARACTERS - 1);
        *scene_parameter(scene, character, 1) = (float)random_between(&source, 0.0, 1.0);
    }
}

static lmb_node_def *add_partial(test_scene *scene, uint32_t a, uint32_t b, uint32_t parameter) {
    lmb_node_def *node = scene_add(scene, LMB_OP_PARTIAL, a, b);
    node->weight = lmb_parameter(parameter);
    return node;
}

static void run_on_every_path(test_scene *scene, const char *title) {
    for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        if (lmb_cpu_has((lmb_cpu_path)path)) {
            scene->path = (lmb_cpu_path)path;
            scene_run(scene);
            scene_compare_local(scene, title, SCENE_BOUNDS);
        }
    }
}

static part joint_maps[CLIPS];
static lmb_clip_def clips[CLIPS];

static void of_two_clips(void **state) {
    (void)state;
    test_scene scene;
    start_parts(&scene, joint_maps, clips, 1);
    add_partial(&scene, 0, 1, 0);
    run_on_every_path(&scene, "partial");
    scene_end(&scene);
}

// The weights from the first blend determine the second one, and so on.
static void weights_are_handed_on(void **state) {
    (void)state;
    test_scene scene;
    start_parts(&scene, joint_maps, clips, 2);
    add_partial(&scene, 0, 1, 0);
    add_partial(&scene, 4, 2, 1);
    add_partial(&scene, 5, 3, 0);
    run_on_every_path(&scene, "partial, chained");
    scene_end(&scene);
}

// The effect of other operations on joint weights.
static void through_other_operations(void **state) {
    (void)state;
    test_scene scene;
    start_parts(&scene, joint_maps, clips, 3);
    scene_add(&scene, LMB_OP_BLEND, 0, 1)->weight = lmb_parameter(0);
    lmb_node_def *weighted = scene_add(&scene, LMB_OP_WEIGHTED, 2, 3);
    weighted->weights[1] = lmb_parameter(1);
    *scene_parameter(&scene, 3, 1) = 0.0f;
    add_partial(&scene, 4, 5, 0);
    run_on_every_path(&scene, "partial of blends");
    scene_end(&scene);
}

// A mask of the program instead of the clip's own weights.
static void weights_of_a_node(void **state) {
    (void)state;
    uint8_t mask[JOINTS];
    random_source source = {4};
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        draw_weight(&source, &mask[joint]);
    }
    test_scene scene;
    start_parts(&scene, joint_maps, clips, 4);
    scene.masks[0] = mask;
    scene.mask_count = 1;
    scene.nodes[1].joint_weights = 0;
    add_partial(&scene, 0, 1, 0);
    run_on_every_path(&scene, "partial, weights of a node");
    scene_end(&scene);
}

// With equal weights, the result is the blend, bit by bit. If one pose lacks a joint, the result is the other pose.
static void identities(void **state) {
    (void)state;
    test_scene partial, blend;
    start_parts(&partial, joint_maps, clips, 5);
    start_parts(&blend, joint_maps, clips, 5);
    memset(joint_maps[0].weights, 100, JOINTS);
    memset(joint_maps[1].weights, 100, JOINTS);
    joint_maps[0].weights[7] = 0;
    joint_maps[1].weights[8] = 0;
    add_partial(&partial, 0, 1, 0);
    scene_add(&blend, LMB_OP_BLEND, 0, 1)->weight = lmb_parameter(0);
    scene_run(&partial);
    scene_run(&blend);
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
                const float *got = scene_component(&partial, partial.buffers[LMB_OUTPUT_LOCAL], character, joint, i);
                // Blends by 0 and 1 give the clips themselves, except for a rotation's sign from the choice of
                // hemisphere.
                const uint32_t from = joint == 7 ? CHARACTERS - 1 : joint == 8 ? 0 : character;
                const float *expected = scene_component(&blend, blend.buffers[LMB_OUTPUT_LOCAL], from, joint, i);
                if (joint == 7 || joint == 8) {
                    assert_true(fabsf(fabsf(*got) - fabsf(*expected)) < 1e-6f);
                } else {
                    assert_memory_equal(got, expected, sizeof *got);
                }
            }
        }
    }
    scene_end(&partial);
    scene_end(&blend);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_two_clips),
        cmocka_unit_test(weights_are_handed_on),
        cmocka_unit_test(through_other_operations),
        cmocka_unit_test(weights_of_a_node),
        cmocka_unit_test(identities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
