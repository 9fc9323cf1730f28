// Parts of a frame, for drivers that end the loops of an invocation: they cover a frame in order, whatever the limit of
// iterations is, and what does not fit is refused.
#include "control_random.h"

#include "../../shaders/ops/control_layout.h"
#include "control/control.h"
#include "gpu/control_parts.h"

#include <string.h>

// About as many loops as the kernels have.
static const lmb_gpu_loop_limits limits = {.iterations = 65535, .own = 180, .own_weights = 30, .events_a_frame = 1024};

// Where a frame is: what comes next in a piece.
typedef struct place {
    uint32_t piece, machine, player, group;
    uint32_t rounds; // that the machine has had; 0 before its first
    bool was_cut;
} place;

static uint32_t full_rounds(bool has_events) {
    return MOST_TRANSITIONS_A_FRAME + 1 + (has_events ? 2 * MOST_EVENTS_SENT : 0);
}

static void follow_range(const uint32_t *range, uint32_t *next) {
    if (range[0] < range[1]) {
        assert_int_equal(range[0], *next);
        *next = range[1];
    }
}

static void follow_machines(const uint32_t *part, bool has_events, place *at) {
    const uint32_t first = part[FIELD(PART, machines)], end = part[FIELD(PART, machines) + 1],
                   full = full_rounds(has_events);
    const bool resumes = (part[FIELD(PART, flags)] & PART_RESUMES) != 0;
    assert_int_equal(resumes, at->rounds > 0);
    if (first == end) {
        return;
    }
    assert_int_equal(first, at->machine);
    assert_true(!at->was_cut && part[FIELD(PART, rounds)] >= 1 && part[FIELD(PART, rounds)] <= full);
    at->machine = end;
    at->rounds = part[FIELD(PART, rounds)] + (resumes ? at->rounds : 0);
    if (part[FIELD(PART, rounds)] < full && at->rounds < full) { // the machine is not over
        assert_int_equal(end, first + 1);
        assert_int_equal(part[FIELD(PART, flags)] & (PART_CUTS | PART_ENDS), 0);
        at->machine = first;
    } else {
        at->rounds = 0;
    }
}

static void follow_part(const uint32_t *block, const uint32_t *part, bool has_events, place *at) {
    const uint32_t pieces = part[FIELD(PART, pieces) + 1] - part[FIELD(PART, pieces)], flags = part[FIELD(PART, flags)];
    assert_int_equal(part[FIELD(PART, pieces)], at->piece);
    assert_in_range(pieces, 0, MOST_PIECES);
    const bool ends = (flags & PART_ENDS) != 0;
    assert_true(pieces <= 1 || (ends && at->machine == 0 && !at->was_cut));
    for (uint32_t i = 0; i < pieces; i++) {
        follow_machines(part, has_events, at);
        if ((flags & PART_CUTS) != 0) {
            assert_int_equal(at->machine, block[FIELD(CONTROL, machine_count)]);
            at->was_cut = true;
        }
        follow_range(part + FIELD(PART, players), &at->player);
        follow_range(part + FIELD(PART, groups), &at->group);
        assert_true(at->was_cut || (at->player == 0 && at->group == 0));
        if (ends) {
            assert_true(at->was_cut && at->player == block[FIELD(CONTROL, alone_count)] &&
                        at->group == block[FIELD(CONTROL, group_count)]);
            *at = (place){.piece = at->piece + 1};
        }
    }
}

static void expect_frame(const uint32_t *block, const lmb_gpu_control_parts *parts, bool has_events) {
    place at = {.piece = 1};
    const uint32_t first = has_events ? parts->counts[0] : 0;
    for (uint32_t i = first; i < first + parts->counts[has_events]; i++) {
        const uint32_t *part = parts->words + (size_t)i * WORDS_OF(PART);
        assert_int_equal((part[FIELD(PART, flags)] & PART_BEGINS) != 0, i == first);
        follow_part(block, part, has_events, &at);
    }
    assert_int_equal(at.piece, MOST_PIECES + 1);
}

static void parts_cover_a_frame(void **state) {
    (void)state;
    const lmb_host host = lmb_host_resolve(NULL);
    uint32_t divided = 0, refused = 0;
    for (uint32_t number = 0; number < 40; number++) {
        control_random *random = control_random_create(number);
        for (uint32_t iterations = 4000; iterations < 1u << 24; iterations *= 2) {
            lmb_gpu_loop_limits given = limits;
            lmb_gpu_control_parts parts;
            lmb_error error = {0};
            given.iterations = iterations;
            const lmb_result result =
                lmb_gpu_control_parts_create(&host, random->control->control, &given, &parts, &error);
            if (result == LMB_OK) {
                expect_frame(random->control->control->block, &parts, false);
                expect_frame(random->control->control->block, &parts, true);
                divided += parts.counts[0] > MOST_PIECES;
            } else {
                assert_int_equal(result, LMB_ERROR_DEVICE);
                assert_non_null(strstr(error.message, "iterations of loops in an invocation"));
                assert_true(parts.words == NULL && iterations < limits.iterations);
                refused++;
            }
            lmb_gpu_control_parts_destroy(&host, &parts);
        }
        control_random_destroy(random);
    }
    assert_true(divided > 20 && refused > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_cover_a_frame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
