// BVH files: every set and order of channels against products of matrices in float64, the ways in which programs write
// the format, and every error.
#include "failing_host.h"
#include "suite.h"

#include <limber/cpu.h>
#include <limber/import.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define LARGEST_TEXT 4096

static lmb_result read_text(const char *text, float unit, lmb_import **import, lmb_error *error) {
    const lmb_import_def def = {.bytes = text, .size = strlen(text), .name = "a.bvh", .bvh_unit = unit};
    *error = (lmb_error){0};
    return lmb_import_create(&def, NULL, import, error);
}

static lmb_import *load(const char *text) {
    lmb_import *import = NULL;
    lmb_error error;
    if (read_text(text, 0.0f, &import, &error) != LMB_OK) {
        fail_msg("%s\n%s", error.message, text);
    }
    return import;
}

static void assert_close(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.9g is not %.9g", value, expected);
    }
}

static bool has_note(const lmb_import *import, const char *text) {
    bool has = false;
    for (uint32_t i = 0; i < lmb_import_get_content(import)->note_count; i++) {
        has = has || strstr(lmb_import_get_content(import)->notes[i], text) != NULL;
    }
    return has;
}

// Samples the only clip of an import at one of its keys.
static lmb_transform key_of(const lmb_import *import, const char *joint_name, uint32_t key) {
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    const lmb_clip *clip = lmb_import_get_content(import)->clips[0];
    const uint32_t joint = lmb_rig_find_joint(rig, joint_name);
    lmb_node_def node = lmb_clip_node(0, lmb_constant((float)key * lmb_clip_get_info(clip)->duration));
    node.loop = false;
    const lmb_graph_def def = {.rig = rig, .clips = &clip, .clip_count = 1, .nodes = &node, .node_count = 1};
    lmb_graph *graph = NULL;
    lmb_cpu *cpu = NULL;
    float local[LMB_POSE_COMPONENTS * 8];
    assert_in_range(joint, 0, 7);
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    const lmb_batch_def batch = {graph, 1, LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = local}};
    assert_int_equal(lmb_cpu_run(cpu, &batch, &(lmb_batch_inputs){0}, &outputs, NULL), LMB_OK);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
    const uint32_t joint_count = lmb_rig_get_def(rig)->joint_count;
    float components[LMB_POSE_COMPONENTS];
    for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
        components[i] = local[i * joint_count + joint];
    }
    lmb_transform transform;
    memcpy(&transform, components, sizeof transform);
    return transform;
}

// ---- Every set of channels in every order.

static const char *const names[] = {"Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"};

static void multiply(double a[3][3], double b[3][3], double result[3][3]) {
    double product[3][3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            product[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k];
        }
    }
    memcpy(result, product, sizeof product);
}

static void rotation_about(int axis, double degrees, double m[3][3]) {
    const double c = cos(degrees * 3.14159265358979323846 / 180.0);
    const double s = sin(degrees * 3.14159265358979323846 / 180.0);
    const int b = (axis + 1) % 3, d = (axis + 2) % 3;
    memset(m, 0, 9 * sizeof **m);
    m[axis][axis] = 1.0;
    m[b][b] = m[d][d] = c;
    m[b][d] = -s;
    m[d][b] = s;
}

// Expects a key to be what the channels of a frame say: offset (10, 20, 30), and value[c] for channel c.
static void check_key(const lmb_transform *key, const int *channels, int count, const double *values) {
    double position[3] = {0.1, 0.2, 0.3};
    double rotation[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < count; i++) {
        if (channels[i] < 3) {
            position[channels[i]] = values[i] * 0.01;
        } else {
            double turn[3][3];
            rotation_about(channels[i] - 3, values[i], turn);
            multiply(rotation, turn, rotation);
        }
    }
    const float *q = key->rotation;
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double matrix[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                                 {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                                 {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 3; i++) {
        assert_close(key->translation[i], position[i], 1e-7);
        for (int k = 0; k < 3; k++) {
            assert_close(matrix[i][k], rotation[i][k], 1e-6);
        }
    }
}

// Two frames of a joint with these channels, below a root that has its own, so that values are found at their place.
static void check_channels(const int *channels, int count) {
    static const double first[] = {3, -8, 25, 40, -75, 170}, second[] = {-60, 7.5, 0, -300, 95, 400.25};
    char text[LARGEST_TEXT];
    size_t size = (size_t)snprintf(text, sizeof text,
                                   "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 1 Yrotation\nJOINT Spine\n{\n"
                                   "OFFSET 10 20 30\nCHANNELS %d",
                                   count);
    double values[2][6];
    for (int i = 0; i < count; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, " %s", names[channels[i]]);
        values[0][i] = first[channels[i]];
        values[1][i] = second[channels[i]];
    }
    size += (size_t)snprintf(text + size, sizeof text - size, "\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.25");
    for (int frame = 0; frame < 2; frame++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "\n%d", frame * 90);
        for (int i = 0; i < count; i++) {
            size += (size_t)snprintf(text + size, sizeof text - size, " %.17g", values[frame][i]);
        }
    }
    lmb_import *import = load(text);
    assert_close(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->duration, 0.25, 0.0);
    for (uint32_t frame = 0; frame < 2; frame++) {
        const lmb_transform key = key_of(import, "Spine", frame);
        check_key(&key, channels, count, values[frame]);
    }
    lmb_import_destroy(import);
}

// Appends every channel that is not used yet, and checks each list on the way: 1,957 in all.
static void check_all_channels(int *channels, int count) {
    check_channels(channels, count);
    for (int next = 0; next < 6; next++) {
        bool used = false;
        for (int i = 0; i < count; i++) {
            used = used || channels[i] == next;
        }
        if (!used) {
            channels[count] = next;
            check_all_channels(channels, count + 1);
        }
    }
}

static void channels_of_any_set_and_order(void **state) {
    (void)state;
    int channels[6];
    check_all_channels(channels, 0);
}

// ---- How programs write it.

#define TREE                                                                                                           \
    "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 100 0\n  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation"        \
    " Yrotation\n  JOINT Spine\n  {\n    OFFSET 0 10 0\n    CHANNELS 3 Zrotation Xrotation Yrotation\n    End Site\n"  \
    "    {\n      OFFSET 0 20 0\n    }\n  }\n}\n"
#define FRAMES "MOTION\nFrames: 2\nFrame Time: 0.5\n0 100 0 0 0 0 0 0 0\n1 2 3 0 0 0 90 0 0\n"

// Expects what TREE FRAMES says.
static void check_usual(const char *text, const char *spine) {
    lmb_import *import = load(text);
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    assert_int_equal(lmb_rig_get_def(rig)->joint_count, 3);
    assert_close(lmb_rig_get_def(rig)->joints[0].rest.translation[1], 1.0, 1e-7);
    assert_int_equal(lmb_import_get_content(import)->clip_count, 1);
    assert_string_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->name, "Motion");
    const lmb_transform hips = key_of(import, "Hips", 1);
    assert_close(hips.translation[0], 0.01, 1e-8);
    assert_close(hips.translation[1], 0.02, 1e-8);
    assert_close(hips.translation[2], 0.03, 1e-8);
    assert_close(key_of(import, spine, 1).rotation[2], sqrt(0.5), 1e-7);
    lmb_import_destroy(import);
}

static char *replaced(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    char *copy = malloc(strlen(text) + strlen(to) + 1);
    assert_non_null(at);
    assert_non_null(copy);
    sprintf(copy, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return copy;
}

static void programs_write_it_differently(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *spine;
    } rows[] = {
        {"HIERARCHY", "\xEF\xBB\xBFHIERARCHY", "Spine"},
        {"HIERARCHY", "  # exported\n// by a program\nhierarchy", "Spine"},
        {"ROOT Hips\n{", "root Hips {", "Spine"},
        {"ROOT Hips\n{", "Root Hips{ # the pelvis", "Spine"},
        {"JOINT Spine", "Joint   Spine  // of two", "Spine"},
        {"JOINT Spine", "joint Lower Spine", "Lower Spine"},
        {"JOINT Spine", "JOINT Bip01#1:Spine", "Bip01#1:Spine"},
        {"JOINT Spine\n", "JOINT Spine\t\r\n", "Spine"},
        {"OFFSET 0 100 0", "offset +0.0 1.e2 -.0E+1", "Spine"},
        {"CHANNELS 6 Xposition Yposition", "Channels 6 XPosition yposition", "Spine"},
        {"Zrotation Xrotation Yrotation\n  JOINT", "\nZROTATION\nxRotation Yrotation JOINT", "Spine"},
        {"End Site", "End site", "Spine"},
        {"End Site", "END SITE tip", "Spine"},
        {"End Site", "EndSite", "Spine"},
        {"Frames: 2", "Frames:2", "Spine"},
        {"Frames: 2", "FRAMES :2.0", "Spine"},
        {"Frame Time: 0.5", "Frame Time:0.5", "Spine"},
        {"Frame Time: 0.5", "frame  time 5e-1", "Spine"},
        {"1 2 3 0", "1 # x\n\n2\t3\n0", "Spine"},
        {"90 0 0\n", "90 0 0", "Spine"},
    };
    check_usual(TREE FRAMES, "Spine");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *text = replaced(TREE FRAMES, rows[i].from, rows[i].to);
        check_usual(text, rows[i].spine);
        free(text);
    }
}

// Old programs end lines with a carriage return alone.
static void lines_end_in_any_way(void **state) {
    (void)state;
    char text[] = TREE FRAMES;
    for (char *at = text; *at != '\0'; at++) {
        *at = *at == '\n' ? '\r' : *at;
    }
    check_usual(text, "Spine");
    char *broken = replaced(text, "90 0 0", "90 x 0");
    lmb_import *import = NULL;
    lmb_error error;
    assert_int_equal(read_text(broken, 0.0f, &import, &error), LMB_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "line 20, column 16: 'x' where a number is expected"));
    free(broken);
}

static void units_are_chosen(void **state) {
    (void)state;
    static const float units[] = {0.0f, 0.01f, 1.0f, 0.0254f};
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        lmb_import *import = NULL;
        lmb_error error;
        assert_int_equal(read_text(TREE FRAMES, units[i], &import, &error), LMB_OK);
        const double unit = units[i] == 0.0f ? 0.01 : (double)units[i];
        assert_close(lmb_rig_get_def(lmb_import_get_content(import)->rig)->joints[1].rest.translation[1], 10.0 * unit,
                     1e-6);
        assert_close(key_of(import, "Hips", 1).translation[2], 3.0 * unit, 1e-6);
        lmb_import_destroy(import);
    }
    static const float bad[] = {-1.0f, 1e-7f, 1e7f, NAN, INFINITY};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        lmb_import *import = NULL;
        lmb_error error;
        assert_int_equal(read_text(TREE FRAMES, bad[i], &import, &error), LMB_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "bvh_unit"));
        assert_null(import);
    }
}

static void joints_of_one_name_get_others(void **state) {
    (void)state;
    lmb_import *import = load("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xposition\nJOINT a\n{\nOFFSET 0 1 0\n"
                              "CHANNELS 1 Xposition\n}\nJOINT a_2\n{\nOFFSET 0 2 0\nCHANNELS 1 Xposition\n}\nJOINT a\n"
                              "{\nOFFSET 0 3 0\nCHANNELS 1 Xposition\n}\nJOINT\n{\nOFFSET 0 0 0\n}\n}\n"
                              "MOTION\nFrames: 1\nFrame Time: 0\n100 200 300 400\n");
    static const char *const expected[] = {"a", "a_2", "a_2_2", "a_3", "node_4"};
    for (uint32_t i = 0; i < COUNT_OF(expected); i++) {
        assert_string_equal(lmb_rig_get_def(lmb_import_get_content(import)->rig)->joints[i].name, expected[i]);
    }
    assert_true(has_note(import, "joints are renamed, since others have their names: a_2, a_2_2, a_3"));
    assert_close(key_of(import, "a_2_2", 0).translation[0], 3.0, 1e-6);
    assert_close(key_of(import, "a_3", 0).translation[0], 4.0, 1e-6);
    lmb_import_destroy(import);
}

static void several_roots_are_read(void **state) {
    (void)state;
    lmb_import *import =
        load("HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xposition }\nROOT b { OFFSET 100 0 0 CHANNELS 2"
             " Yposition Zrotation JOINT c\n{ } }\nMOTION Frames: 1 Frame Time: 0.1\n7 8 180");
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    assert_int_equal(lmb_rig_get_def(rig)->joint_count, 3);
    assert_int_equal(lmb_rig_get_def(rig)->joints[lmb_rig_find_joint(rig, "b")].parent, LMB_NONE);
    assert_int_equal(lmb_rig_get_def(rig)->joints[lmb_rig_find_joint(rig, "c")].parent, lmb_rig_find_joint(rig, "b"));
    const lmb_transform b = key_of(import, "b", 0);
    assert_close(b.translation[0], 1.0, 1e-7);
    assert_close(b.translation[1], 0.08, 1e-7);
    assert_close(fabs(b.rotation[2]), 1.0, 1e-7);
    lmb_import_destroy(import);
}

static void what_is_left_out_is_noted(void **state) {
    (void)state;
    static const struct {
        const char *text, *note;
    } rows[] = {
        {TREE, "it has no frames: without a clip"},
        {TREE "MOTION\nFrames: 0\nFrame Time: 0.1\n", "it has no frames: without a clip"},
        {"HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: 4000000000\nFrame Time: 1\n", "it has no frames: without a clip"},
        {TREE "MOTION\nFrames: 1\nFrame Time: 0.1\n0 100 0 0 0 360 0 0 0\n", "moves no joint of the rig: left out"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        lmb_import *import = load(rows[i].text);
        assert_int_equal(lmb_import_get_content(import)->clip_count, 0);
        assert_true(has_note(import, rows[i].note));
        lmb_import_destroy(import);
    }
    lmb_import *import = load(TREE FRAMES "0 0 0 0 0 0 0 0 0\n");
    assert_true(has_note(import, "9 words behind the 2 frames that it states are left out"));
    lmb_import_destroy(import);
}

static void errors_name_line_and_column(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *message;
    } rows[] = {
        {"HIERARCHY", "", "line 2, column 1: 'ROOT' where HIERARCHY is expected"},
        {"ROOT Hips", "JOINT Hips", "line 2, column 1: 'JOINT' where ROOT is expected"},
        {"Hips\n{", "Hips\n", "line 4, column 3: 'OFFSET' where { is expected"},
        {"OFFSET 0 100 0", "OFFSET 0 nan 0", "line 4, column 12: 'nan' where a number is expected"},
        {"OFFSET 0 100 0", "OFFSET 0 1e30 0", "line 4, column 12: '1e30' is too large"},
        {"OFFSET 0 100 0", "OFFSET 0 1-0 0", "line 4, column 12: '1-0' where a number is expected"},
        {"OFFSET 0 100 0", "OFFSET 0 100", "line 5, column 3: 'CHANNELS' where a number is expected"},
        {"OFFSET 0 100 0", "OFFSET 0 0 0 OFFSET 0 0 0", "column 16: a second OFFSET of joint 'Hips'"},
        {"CHANNELS 3", "CHANNELS 7", "line 9, column 14: 7 is no count from 0 to 6"},
        {"CHANNELS 3", "CHANNELS 2.5", "2.5 is no count"},
        {"CHANNELS 3", "CHANNELS 4", "'End' where a channel as Xposition or Zrotation is expected"},
        {"CHANNELS 3", "CHANNELS 2", "'Yrotation' where OFFSET, CHANNELS, JOINT, End Site or '}' is expected"},
        {"CHANNELS 3", "CHANNELS 0 CHANNELS 3", NULL},
        {"    End Site", "CHANNELS 1 Xposition End Site", "a second CHANNELS of joint 'Spine'"},
        {"OFFSET 0 20 0", "CHANNELS 0", "CHANNELS of joint 'EndSite_Spine'"},
        {"OFFSET 0 20 0", "JOINT x {}", "'JOINT' where OFFSET"},
        {"Zrotation Xrotation Yrotation\n    End", "Zrotation Xrotation Zrotation\n    End",
         "line 9, column 36: a second Zrotation of joint 'Spine'"},
        {"Xposition", "Xscale", "'Xscale' where a channel"},
        {"}\nMOTION", "MOTION", "'MOTION' where OFFSET"},
        {"}\nMOTION", "}\n}\nMOTION", "'}' where ROOT is expected"},
        {"Frames: 2", "", "'Frame' where Frames is expected"},
        {"Frames: 2", "Frames: -1", "-1 is no count"},
        {"Frames: 2", "Frames: 2000", "line 17, column 9: 2000 frames of 9 numbers are more than the file has"},
        {"Frames: 2", "Frames: 4294967296", "is no count"},
        {"Frames: 2", "Frames: 3", "line 21, column 1: the file ends where a number is expected"},
        {"Frame Time: 0.5", "Frame Time: 0", "line 18, column 13: Frame Time is 0 s"},
        {"Frame Time: 0.5", "Frame Time: -1", "Frame Time is -1 s"},
        {"Frame Time: 0.5", "Frame Time:", "line 19, column 1"}, // takes the first number, and misses one at the end
        {"0 90 0 0", "0 90 0 zero", "line 20, column 18: 'zero' where a number is expected"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *text = replaced(TREE FRAMES, rows[i].from, rows[i].to);
        lmb_import *import = NULL;
        lmb_error error;
        const lmb_result result = read_text(text, 0.0f, &import, &error);
        if (rows[i].message == NULL) {
            assert_int_equal(result, LMB_OK);
        } else if (result != LMB_ERROR_FORMAT || import != NULL || strstr(error.message, "a.bvh: line ") == NULL ||
                   strstr(error.message, rows[i].message) == NULL) {
            fail_msg("row %zu: %s: %s", i, lmb_result_name(result), error.message);
        }
        lmb_import_destroy(import);
        free(text);
    }
}

static void files_cut_anywhere_are_answered(void **state) {
    (void)state;
    const size_t size = strlen(TREE FRAMES);
    for (size_t cut = 0; cut < size; cut++) {
        const lmb_import_def def = {.bytes = TREE FRAMES, .size = cut, .name = "cut.bvh"};
        lmb_import *import = NULL;
        lmb_error error = {0};
        const lmb_result result = lmb_import_create(&def, NULL, &import, &error);
        assert_true((result == LMB_OK) == (import != NULL));
        assert_true(result == LMB_OK || strstr(error.message, "cut.bvh: ") == error.message);
        lmb_import_destroy(import);
    }
}

// A hierarchy that is deeper than any stack, and joints of one name.
static void many_joints_take_little(void **state) {
    (void)state;
    enum { COUNT = 70000 };
    char *text = malloc(COUNT * 12 + 100);
    assert_non_null(text);
    size_t size = (size_t)sprintf(text, "HIERARCHY\nROOT a\n{\n");
    for (int i = 0; i < COUNT; i++) {
        size += (size_t)sprintf(text + size, "JOINT a\n{\n");
    }
    lmb_import *import = NULL;
    lmb_error error;
    assert_int_equal(read_text(text, 0.0f, &import, &error), LMB_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "more than 65535 joints"));
    free(text);
}

static lmb_result create(const lmb_host *host, lmb_error *error, void *user) {
    (void)user;
    lmb_import *import = NULL;
    const lmb_import_def def = {.bytes = TREE FRAMES, .size = strlen(TREE FRAMES)};
    const lmb_result result = lmb_import_create(&def, host, &import, error);
    lmb_import_destroy(import);
    return result;
}

static void every_failed_allocation_is_survived(void **state) {
    (void)state;
    failing_host_try_all(create, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_of_any_set_and_order),
        cmocka_unit_test(programs_write_it_differently),
        cmocka_unit_test(lines_end_in_any_way),
        cmocka_unit_test(units_are_chosen),
        cmocka_unit_test(joints_of_one_name_get_others),
        cmocka_unit_test(several_roots_are_read),
        cmocka_unit_test(what_is_left_out_is_noted),
        cmocka_unit_test(errors_name_line_and_column),
        cmocka_unit_test(files_cut_anywhere_are_answered),
        cmocka_unit_test(many_joints_take_little),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
