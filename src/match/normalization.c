// The normalisation of a database's features: which belong together, their means and factors, of which features those
// of mirrored rows come, and how a feature becomes a number.
#include "base/float_environment.h"
#include "database.h"

#include <math.h>
#include <string.h>

// A deviation up to this, times the lengths that occur, is rounding.
#define ROUNDING 1e-5

// Groups of features, which share a deviation.
typedef struct group {
    uint32_t first, end;
    enum { POSITIONS, VELOCITIES, HEADINGS } kind;
    float weight;
} group;
#define GROUPS 7

typedef struct groups {
    group list[GROUPS + LMB_MOST_MOTION_JOINTS];
    uint32_t count;
} groups;

static groups find_groups(const lmb_motion_database_def *def) {
    const lmb_motion_weights *w = &def->weights;
    groups made = {{{0, 3, POSITIONS, w->foot_positions},
                    {3, 6, POSITIONS, w->foot_positions},
                    {6, 9, VELOCITIES, w->foot_velocities},
                    {9, 12, VELOCITIES, w->foot_velocities},
                    {12, 15, VELOCITIES, w->hip_velocity},
                    {MATCH_PATH, MATCH_PATH + 6, POSITIONS, w->path},
                    {MATCH_PATH + 6, MATCH_FEATURES, HEADINGS, w->headings}},
                   GROUPS};
    uint32_t first = MATCH_FEATURES;
    for (uint32_t i = 0; i < def->joint_count; i++) {
        const lmb_motion_joint *joint = &def->joints[i];
        const uint32_t end = first + lmb_motion_count_axes(joint);
        made.list[made.count++] = (group){first, end, joint->is_velocity ? VELOCITIES : POSITIONS, joint->weight};
        first = end;
    }
    return made;
}

void lmb_motion_write_mirrors(uint32_t mirrors[LMB_MOTION_ROW_SIZE]) {
    for (uint32_t i = 0; i < LMB_MOTION_ROW_SIZE; i++) {
        const bool is_of_left = i < 3 || (i >= 6 && i < 9), is_of_foot = i < 12;
        const bool negates = i < MATCH_PATH ? i % 3 == 0 : i < MATCH_FEATURES && i % 2 == 1;
        mirrors[i] = (is_of_left ? i + 3 : is_of_foot ? i - 3 : i) | (negates ? MATCH_MIRROR_NEGATES : 0);
    }
}

void lmb_motion_count_features(motion_header *header, const lmb_motion_database_def *def) {
    const groups groups = find_groups(def);
    for (uint32_t i = 0; i < def->joint_count; i++) {
        const uint32_t mirror = def->joints[i].mirror != LMB_NONE ? def->joints[i].mirror : i;
        uint32_t from = groups.list[GROUPS + mirror].first, at = groups.list[GROUPS + i].first;
        for (int k = 0; k < 3; k++) {
            if (def->joints[i].axes[k]) {
                header->mirrors[at++] = from++ | (k == 0 ? MATCH_MIRROR_NEGATES : 0);
            }
        }
        header->feature_count = groups.list[GROUPS + i].end;
    }
}

static double sum_of(const motion_header *header, double (*features)[LMB_MOTION_ROW_SIZE], uint32_t index) {
    double sum = 0.0;
    for (uint32_t row = 0; row < header->row_count; row++) {
        sum += features[row][index];
    }
    return sum;
}

static double squares_of(const motion_header *header, double (*features)[LMB_MOTION_ROW_SIZE], uint32_t index,
                         double mean) {
    double squares = 0.0;
    for (uint32_t row = 0; row < header->row_count; row++) {
        squares += (features[row][index] - mean) * (features[row][index] - mean);
    }
    return squares;
}

// Finds means and deviations, with those of the mirrored rows. Both are exactly symmetric then: those of one foot are
// those of the other one, and means along x have the other sign.
static void find_deviations(motion_header *header, double (*features)[LMB_MOTION_ROW_SIZE],
                            double deviations[LMB_MOTION_ROW_SIZE]) {
    const double count = header->row_count * (header->is_mirrored ? 2.0 : 1.0);
    for (uint32_t i = 0; i < header->feature_count; i++) {
        const uint32_t from = header->mirrors[i] & MATCH_MIRROR_FROM;
        const double sign = (header->mirrors[i] & MATCH_MIRROR_NEGATES) != 0 ? -1.0 : 1.0;
        const double reflected = header->is_mirrored ? sign * sum_of(header, features, from) : 0.0;
        header->means[i] = (sum_of(header, features, i) + reflected) / count;
        double squares = squares_of(header, features, i, header->means[i]);
        squares += header->is_mirrored ? squares_of(header, features, from, sign * header->means[i]) : 0.0;
        deviations[i] = sqrt(squares / count);
    }
}

static double largest_of_feet(const motion_header *header, double (*features)[LMB_MOTION_ROW_SIZE]) {
    double length = 0.0;
    for (uint32_t row = 0; row < header->row_count; row++) {
        for (uint32_t i = 0; i < 6; i++) {
            length = fmax(length, fabs(features[row][i]));
        }
    }
    return length;
}

// Finds the means, and the factors of the deviations and weights.
static void find_factors(motion_header *header, const groups *groups, double (*features)[LMB_MOTION_ROW_SIZE]) {
    double deviations[LMB_MOTION_ROW_SIZE];
    const double length = largest_of_feet(header, features);
    find_deviations(header, features, deviations);
    for (uint32_t i = 0; i < groups->count; i++) {
        const group *group = &groups->list[i];
        double sum = 0.0;
        for (uint32_t k = group->first; k < group->end; k++) {
            sum += deviations[k];
        }
        const double deviation = sum / (group->end - group->first);
        const double unit = group->kind == HEADINGS     ? 1.0
                            : group->kind == VELOCITIES ? length * (double)header->rate
                                                        : length;
        for (uint32_t k = group->first; k < group->end; k++) {
            header->factors[k] = deviation > ROUNDING * unit ? (double)group->weight / deviation : 0.0;
        }
    }
}

static void find_scale(motion_header *header, double (*features)[LMB_MOTION_ROW_SIZE]) {
    double largest = 0.0;
    for (uint32_t row = 0; row < header->row_count; row++) {
        for (uint32_t i = 0; i < header->feature_count; i++) {
            largest = fmax(largest, fabs((features[row][i] - header->means[i]) * header->factors[i]));
        }
    }
    header->scale = largest > 0.0 ? (float)(LMB_MAX_MOTION_FEATURE / largest) : 0.0f;
}

void lmb_motion_normalize(motion_header *header, const lmb_motion_database_def *def,
                          double (*features)[LMB_MOTION_ROW_SIZE]) {
    const groups groups = find_groups(def);
    find_factors(header, &groups, features);
    find_scale(header, features);
}

int16_t lmb_motion_number(const motion_header *header, uint32_t index, double feature) {
    const double scaled = (feature - header->means[index]) * header->factors[index] * (double)header->scale;
    const double rounded = floor(scaled + 0.5); // NaN stays NaN
    return (int16_t)(rounded >= LMB_MAX_MOTION_FEATURE    ? LMB_MAX_MOTION_FEATURE
                     : rounded <= -LMB_MAX_MOTION_FEATURE ? -LMB_MAX_MOTION_FEATURE
                     : rounded == rounded                 ? rounded
                                                          : 0.0);
}

static LMB_NOINLINE void normalize_features(const motion_header *header, const float *features, int16_t *numbers) {
    for (uint32_t i = 0; i < header->feature_count; i++) {
        numbers[i] = lmb_motion_number(header, i, (double)features[i]);
    }
}

void lmb_motion_database_normalize(const lmb_motion_database *database, const float *features,
                                   int16_t numbers[LMB_MOTION_ROW_SIZE]) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    memset(numbers, 0, LMB_MOTION_ROW_SIZE * sizeof *numbers);
    normalize_features(database->header, features, numbers);
    lmb_environment_leave(&callers);
}
