// Tables of fields: each element of each field that has a range is refused just outside it, by its name, and not at its
// ends.
#include "suite.h"

#include "base/fields.h"

#include <limber/graph.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define JOINTS 5u
#define PARAMETERS 3u
#define EVENTS 2u

typedef union any_def {
    lmb_two_bone_def two_bone;
    lmb_aim_def aim;
    lmb_feet_def feet;
    lmb_twist_def twist;
    lmb_chain_def chain;
    lmb_player_def player;
    lmb_transition_def transition;
    lmb_motion_def motion;
    lmb_fade_def fade;
} any_def; // and smaller ones

static const lmb_field_context context = {JOINTS, PARAMETERS, EVENTS, 0};

// Sets all joints to 0 and all numbers of elements to their maximum.
static void make_valid(const lmb_fields *fields, uint8_t *def) {
    for (uint32_t i = 0; i < fields->count; i++) {
        const lmb_field *field = &fields->rows[i];
        for (uint32_t k = 0; k < field->count; k++) {
            uint8_t *at = def + field->offset + k * lmb_field_element_size(field);
            const uint32_t word = field->kind == LMB_FIELD_COUNT ? field->most : 0;
            if (field->kind == LMB_FIELD_COUNT || field->kind == LMB_FIELD_JOINT) {
                memcpy(at, &word, sizeof word);
            } else if (field->kind == LMB_FIELD_INSIDE) {
                make_valid(field->inside, at);
            }
        }
    }
}

typedef struct walk {
    const lmb_fields *fields;
    any_def *def;
    uint32_t tried;
} walk;

// Stores bytes of a field, and expects that they are refused by a name, or accepted if that is NULL.
static void try_bytes(walk *w, void *at, const void *bytes, size_t size, const char *name) {
    uint8_t before[sizeof(lmb_value)];
    lmb_field_fault fault = {0};
    memcpy(before, at, size);
    memcpy(at, bytes, size);
    const bool valid = lmb_fields_check(w->fields, w->def, &context, &fault);
    if (name == NULL ? !valid : valid || strcmp(fault.field, name) != 0 || fault.why[0] == '\0') {
        fail_msg("%s: expected %s, got %s: %s", name == NULL ? "valid" : name, name == NULL ? "none" : "a fault",
                 fault.field, fault.why);
    }
    memcpy(at, before, size);
    w->tried++;
}

static void try_word(walk *w, void *at, uint32_t good, uint32_t bad, const char *name) {
    try_bytes(w, at, &good, sizeof good, NULL);
    try_bytes(w, at, &bad, sizeof bad, name);
}

static void try_number(walk *w, const lmb_field *field, void *at, const char *name) {
    const float good[] = {field->min, field->max};
    const float bad[] = {nextafterf(field->min, -INFINITY), nextafterf(field->max, INFINITY), NAN};
    for (int i = 0; i < 2; i++) {
        try_bytes(w, at, &good[i], sizeof good[i], NULL);
    }
    for (int i = 0; i < 3; i++) {
        const bool has_bound = i == 0 ? field->min > -INFINITY : i != 1 || field->max < INFINITY;
        try_bytes(w, at, &bad[i], sizeof bad[i], has_bound ? name : NULL);
    }
}

static void try_axis(walk *w, void *at, const char *name) {
    const float good[][3] = {{0.0f, 0.0f, 1e-45f}, {0.0f, -LMB_LARGEST, 0.0f}};
    const float bad[][3] = {{0.0f, 0.0f, 0.0f}, {LMB_LARGEST, 1e12f, 0.0f}, {0.0f, NAN, 1.0f}, {0.0f, 0.0f, INFINITY}};
    for (int i = 0; i < 2; i++) {
        try_bytes(w, at, good[i], sizeof good[i], NULL);
    }
    for (int i = 0; i < 4; i++) {
        try_bytes(w, at, bad[i], sizeof bad[i], name);
    }
}

static void try_value(walk *w, void *at, const char *name) {
    const lmb_value good[] = {lmb_constant(-LMB_LARGEST), lmb_parameter(PARAMETERS - 1)};
    const lmb_value bad[] = {lmb_constant(INFINITY), lmb_constant(NAN), lmb_parameter(PARAMETERS)};
    for (int i = 0; i < 2; i++) {
        try_bytes(w, at, &good[i], sizeof good[i], NULL);
    }
    for (int i = 0; i < 3; i++) {
        try_bytes(w, at, &bad[i], sizeof bad[i], name);
    }
}

// A point in the buffer of points: its index counts, and its values do not.
static void try_slot(walk *w, const lmb_field *field, uint8_t *def, const char *name) {
    lmb_point_slot *slot = (lmb_point_slot *)(void *)(def + field->slot);
    lmb_value *first = (lmb_value *)(void *)(def + field->offset);
    const lmb_value before = *first;
    *first = lmb_constant(NAN);
    slot->in_buffer = true;
    try_word(w, &slot->index, LMB_MAX_POINTS - 1, LMB_MAX_POINTS, name);
    slot->in_buffer = false;
    *first = before;
}

static void walk_fields(walk *w, const lmb_fields *fields, uint8_t *def, const char *outer);

static void walk_element(walk *w, const lmb_field *field, uint8_t *at, const char *name) {
    char inside[96];
    switch (field->kind) {
    case LMB_FIELD_JOINT:
        try_word(w, at, JOINTS - 1, JOINTS, name);
        break;
    case LMB_FIELD_INDEX:
        try_word(w, at, field->most - 1, field->most, name);
        break;
    case LMB_FIELD_EVENT:
        try_word(w, at, LMB_NONE, EVENTS, name);
        try_word(w, at, EVENTS - 1, LMB_NONE - 1, name);
        break;
    case LMB_FIELD_COUNT:
        try_word(w, at, 1, field->most + 1, name);
        try_word(w, at, field->most, 0, name);
        break;
    case LMB_FIELD_CHOICE:
        try_word(w, at, field->most - 1, field->most, name);
        break;
    case LMB_FIELD_NUMBER:
        try_number(w, field, at, name);
        break;
    case LMB_FIELD_VALUE:
    case LMB_FIELD_POINT:
        try_value(w, at, name);
        break;
    case LMB_FIELD_INSIDE:
        snprintf(inside, sizeof inside, "%s.", name);
        walk_fields(w, field->inside, at, inside);
        break;
    default:
        break;
    }
}

static void walk_fields(walk *w, const lmb_fields *fields, uint8_t *def, const char *outer) {
    for (uint32_t i = 0; i < fields->count; i++) {
        const lmb_field *field = &fields->rows[i];
        char whole[64], name[80];
        snprintf(whole, sizeof whole, "%s%s", outer, field->name);
        if (field->kind == LMB_FIELD_AXIS) {
            try_axis(w, def + field->offset, whole);
            continue;
        }
        if (field->kind == LMB_FIELD_POINT) {
            try_slot(w, field, def, whole);
        }
        for (uint32_t k = 0; k < field->count; k++) {
            snprintf(name, sizeof name, "%s[%u]", whole, (unsigned)k);
            const bool indexed = field->is_counted || (lmb_field_is_inside(field) && field->count > 1);
            walk_element(w, field, def + field->offset + k * lmb_field_element_size(field), indexed ? name : whole);
        }
    }
}

static void each_range_is_checked(void **state) {
    (void)state;
    static const struct {
        const lmb_fields *fields;
        uint32_t min; // tries
        bool needs_joints;
    } rows[] = {
        {&lmb_two_bone_fields, 50, true},    {&lmb_aim_fields, 100, true},      {&lmb_feet_fields, 300, true},
        {&lmb_twist_fields, 50, true},       {&lmb_chain_fields, 40, true},     {&lmb_player_fields, 15, false},
        {&lmb_transition_fields, 14, false}, {&lmb_fade_fields, 20, false},     {&lmb_state_fields, 8, false},
        {&lmb_smoothed_fields, 8, false},    {&lmb_group_fields, 2, false},     {&lmb_motion_fields, 20, false},
        {&lmb_warp_fields, 20, false},       {&lmb_matching_fields, 30, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        any_def def;
        lmb_field_fault fault = {0};
        lmb_fields_default(rows[i].fields, &def);
        assert_int_equal(lmb_fields_check(rows[i].fields, &def, &context, &fault), !rows[i].needs_joints);
        make_valid(rows[i].fields, (uint8_t *)&def);
        assert_true(lmb_fields_check(rows[i].fields, &def, &context, &fault));
        walk walk = {rows[i].fields, &def, 0};
        walk_fields(&walk, rows[i].fields, (uint8_t *)&def, "");
        assert_in_range(walk.tried, rows[i].min, 1000);
    }
}

static void rows_are_found(void **state) {
    (void)state;
    const size_t ankles[] = {offsetof(lmb_node_def, feet.feet[0].ankle), offsetof(lmb_node_def, feet.feet[3].ankle)};
    for (uint32_t i = 0; i < lmb_matching_fields.count; i++) {
        const lmb_field *field = &lmb_matching_fields.rows[i];
        assert_ptr_equal(lmb_fields_find(&lmb_matching_fields, field->offset), field->count > 0 ? field : NULL);
    }
    for (int i = 0; i < 2; i++) {
        const lmb_field *ankle = lmb_fields_find(&lmb_node_fields, ankles[i]);
        assert_non_null(ankle);
        assert_string_equal(ankle->name, "ankle");
    }
    assert_null(lmb_fields_find(&lmb_node_fields, sizeof(lmb_node_def)));
    assert_null(lmb_fields_find(&lmb_node_fields, (size_t)0 - sizeof(float)));
}

// Elements beyond the stated number are not checked.
static void unused_elements_are_not_checked(void **state) {
    (void)state;
    lmb_aim_def aim = lmb_default_node_def().aim;
    lmb_field_fault fault = {0};
    aim.joint_count = 2;
    aim.joints[0] = aim.joints[1] = 0;
    aim.shares[2] = NAN;
    assert_true(lmb_fields_check(&lmb_aim_fields, &aim, &context, &fault));
    aim.joint_count = 3;
    assert_false(lmb_fields_check(&lmb_aim_fields, &aim, &context, &fault));
    assert_string_equal(fault.field, "joints[2]");
}

static void ranges_are_printed(void **state) {
    (void)state;
    lmb_feet_def feet = lmb_default_node_def().feet;
    lmb_chain_def chain = lmb_default_node_def().chain;
    lmb_field_fault fault = {0};
    make_valid(&lmb_feet_fields, (uint8_t *)&feet);
    make_valid(&lmb_chain_fields, (uint8_t *)&chain);
    feet.max_angle = -1.0f;
    assert_false(lmb_fields_check(&lmb_feet_fields, &feet, &context, &fault));
    assert_string_equal(fault.why, "it is not 0 or more");
    feet.max_angle = 0.0f;
    feet.teleport = INFINITY;
    assert_false(lmb_fields_check(&lmb_feet_fields, &feet, &context, &fault));
    assert_string_equal(fault.why, "it is not from 0 to 2^40");
    feet.teleport = 0.0f;
    feet.pelvis_half_life = 1001.0f;
    assert_false(lmb_fields_check(&lmb_feet_fields, &feet, &context, &fault));
    assert_string_equal(fault.why, "it is not from 0 to 1000");
    chain.gravity[1] = NAN;
    assert_false(lmb_fields_check(&lmb_chain_fields, &chain, &context, &fault));
    assert_string_equal(fault.field, "gravity");
    assert_string_equal(fault.why, "it is not from -2^20 to 2^20");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_range_is_checked),
        cmocka_unit_test(rows_are_found),
        cmocka_unit_test(unused_elements_are_not_checked),
        cmocka_unit_test(ranges_are_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
