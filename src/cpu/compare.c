// Compares bits, not values: 0 and -0 differ. Equal outputs are the usual case and take one memcmp(). Only of outputs
// that differ are floats compared one by one, to count them and to describe the first one.
#include "base/host.h"
#include "batch.h"

#include <limber/compare.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Maps bit patterns to integers in the order of their float values; +0 and -0 become neighbours.
static int64_t ordered(uint32_t bits) {
    return bits >> 31 ? -(int64_t)(bits & 0x7fffffffu) - 1 : (int64_t)bits;
}

static bool is_nan(uint32_t bits) {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

static uint32_t distance(uint32_t a, uint32_t b) {
    if (is_nan(a) || is_nan(b)) {
        return UINT32_MAX;
    }
    int64_t difference = ordered(a) - ordered(b);
    return (uint32_t)(difference < 0 ? -difference : difference);
}

static void note_first(const lmb_batch_def *batch, lmb_output output, uint32_t first, size_t index, uint32_t a,
                       uint32_t b, lmb_comparison *comparison) {
    uint32_t floats = lmb_batch_output_floats(batch, output);
    uint32_t joints = lmb_graph_get_info(batch->graph)->joint_count;
    uint32_t within = (uint32_t)(index % floats);
    comparison->has_first = true;
    comparison->output = output;
    comparison->character = first + (uint32_t)(index / floats);
    // Poses are component-major, all other outputs are row by row.
    bool pose = output == LMB_OUTPUT_LOCAL;
    uint32_t components = lmb_output_components(output);
    if (pose && within >= components * joints) {
        comparison->joint = within - components * joints; // a float channel
        comparison->component = components;
    } else {
        comparison->joint = pose ? within % joints : within / components;
        comparison->component = pose ? within / joints : within % components;
    }
    comparison->bits_a = a;
    comparison->bits_b = b;
    comparison->ulp = distance(a, b);
}

static void compare_output(const lmb_batch_def *batch, lmb_output output, const float *a, const float *b,
                           uint32_t first, uint32_t count, lmb_comparison *comparison) {
    size_t values = (size_t)count * lmb_batch_output_floats(batch, output);
    comparison->values[output] += values;
    if (values == 0 || memcmp(a, b, values * sizeof *a) == 0) {
        return;
    }
    for (size_t i = 0; i < values; i++) {
        uint32_t bits_a, bits_b;
        memcpy(&bits_a, a + i, sizeof bits_a);
        memcpy(&bits_b, b + i, sizeof bits_b);
        if (bits_a == bits_b) {
            continue;
        }
        comparison->differs[output]++;
        if (!comparison->has_first) {
            note_first(batch, output, first, i, bits_a, bits_b, comparison);
        }
    }
}

lmb_result lmb_compare(const lmb_batch_def *batch, const lmb_batch_outputs *a, const lmb_batch_outputs *b,
                       uint32_t first, uint32_t count, lmb_comparison *comparison, lmb_error *error) {
    lmb_result result = lmb_batch_check(batch, error);
    if (result != LMB_OK) {
        return result;
    }
    if (a == NULL || b == NULL || comparison == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "compare: %s is NULL",
                        comparison == NULL ? "the comparison" : "one side");
    }
    if (first > batch->character_count || count > batch->character_count - first) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "compare: %u characters from %u on, and the batch has %u",
                        (unsigned)count, (unsigned)first, (unsigned)batch->character_count);
    }
    for (uint32_t i = 0; count > 0 && i < LMB_OUTPUT_COUNT; i++) {
        bool empty = lmb_batch_output_floats(batch, (lmb_output)i) == 0;
        if ((batch->outputs >> i & 1u) && !empty && (a->buffers[i] == NULL || b->buffers[i] == NULL)) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "compare: output %s of one side is NULL",
                            lmb_output_name((lmb_output)i));
        }
    }
    for (uint32_t i = 0; count > 0 && i < LMB_OUTPUT_COUNT; i++) {
        if (batch->outputs >> i & 1u) {
            compare_output(batch, (lmb_output)i, a->buffers[i], b->buffers[i], first, count, comparison);
        }
    }
    return LMB_OK;
}

uint64_t lmb_comparison_values(const lmb_comparison *comparison) {
    uint64_t sum = 0;
    for (int i = 0; i < LMB_OUTPUT_COUNT; i++) {
        sum += comparison->values[i];
    }
    return sum;
}

uint64_t lmb_comparison_differs(const lmb_comparison *comparison) {
    uint64_t sum = 0;
    for (int i = 0; i < LMB_OUTPUT_COUNT; i++) {
        sum += comparison->differs[i];
    }
    return sum;
}

// Returns what `joint` counts in this output.
static const char *part_of(const lmb_comparison *comparison) {
    bool of_pose = comparison->output == LMB_OUTPUT_LOCAL && comparison->component == LMB_POSE_COMPONENTS;
    return comparison->output == LMB_OUTPUT_SOCKETS               ? "socket"
           : comparison->output == LMB_OUTPUT_CHANNELS || of_pose ? "channel"
                                                                  : "joint";
}

void lmb_comparison_describe(const lmb_comparison *comparison, char *text, size_t size) {
    if (!comparison->has_first) {
        snprintf(text, size, "no difference");
        return;
    }
    float a, b;
    memcpy(&a, &comparison->bits_a, sizeof a);
    memcpy(&b, &comparison->bits_b, sizeof b);
    snprintf(text, size,
             "output %s, character %" PRIu32 ", %s %" PRIu32 ", component %" PRIu32 ": %.9g (0x%08" PRIx32
             ") and %.9g (0x%08" PRIx32 "), %" PRIu32 " ulp apart",
             lmb_output_name(comparison->output), comparison->character, part_of(comparison), comparison->joint,
             comparison->component, (double)a, comparison->bits_a, (double)b, comparison->bits_b, comparison->ulp);
}
