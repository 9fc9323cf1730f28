// What the rows of a motion database are in float64, written from motion_database.h: their moments, their features, and
// these normalised. Mirrored rows are those of the motion, reflected.
#ifndef LIMBER_TESTS_SUPPORT_MOTION_ROWS_H
#define LIMBER_TESTS_SUPPORT_MOTION_ROWS_H

#include "motion_takes.h"
#include "random_motion.h"

enum {
    FEATURES = LMB_MOTION_FEATURES,
    WIDTH = LMB_MOTION_ROW_SIZE,
    MAX_NUMBER = LMB_MAX_MOTION_FEATURE,
    GROUPS = 7 // without those of further joints
};

typedef enum feature_unit { UNIT_LENGTH, UNIT_VELOCITY, UNIT_NONE } feature_unit;

typedef struct feature_group {
    uint32_t first, end; // features
    feature_unit unit;
    float weight;
} feature_group;

// Which features rows have. The group of a further joint is GROUPS and its index.
typedef struct feature_layout {
    uint32_t count;
    feature_group groups[GROUPS + JOINT_FEATURES];
    uint32_t group_count;
    lmb_motion_joint joints[JOINT_FEATURES];
    uint32_t joint_count;
} feature_layout;

feature_layout layout_of(const lmb_motion_database_def *def);

// What the header says of the numbers of a mirrored row.
void mirror_numbers(const feature_layout *layout, const int16_t numbers[WIDTH], int16_t mirrored[WIDTH]);

typedef struct moment {
    uint32_t take, index; // index / rate seconds
    float time;
    uint32_t tags;
    bool can_be_found;
} moment;

typedef struct expectation {
    uint32_t count;
    uint32_t *first; // of each take, and the count
    moment *moments;
    double rate;
    double *durations;
    bool *loops;
    feature_layout layout;
    uint32_t choice_count; // count, or twice as many: then the mirrored rows follow
    double (*features)[WIDTH];
    double mean[WIDTH], factor[WIDTH];
    double (*normalised)[WIDTH]; // times the scale, not rounded
    double scale;
} expectation;

// `sources` has the takes of the definition, which may share clips. Features are left out.
expectation expect_rows(const lmb_motion_database_def *def, const take_source *sources);

void expect_features(const lmb_motion_database_def *def, const take_source *sources, expectation *e);

void release_expectation(expectation *e);

#endif
