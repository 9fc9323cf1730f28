#include "trace_tree.h"

#include "json_tree.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

typedef struct stretch {
    double begin, end;
} stretch;

static double number(const json_tree *tree, int event, const char *key) {
    return json_tree_number(tree, json_tree_member(tree, event, key));
}

static bool has_phase(const json_tree *tree, int event, const char *phase) {
    return json_tree_has_text(tree, json_tree_member(tree, event, "ph"), phase);
}

static int compare_begins(const void *a, const void *b) {
    const double x = ((const stretch *)a)->begin, y = ((const stretch *)b)->begin;
    return (x > y) - (x < y);
}

// Collects the events of a track, sorted by their start.
static stretch *collect(const json_tree *tree, int process, int track, int *count) {
    const int events = json_tree_member(tree, 0, "traceEvents");
    const int size = json_tree_size(tree, events);
    stretch *found = calloc((size_t)size + 1, sizeof *found);
    assert_non_null(found);
    *count = 0;
    for (int i = 0; i < size; i++) {
        const int event = json_tree_item(tree, events, i);
        if (has_phase(tree, event, "M")) {
            json_tree_expect_keys(tree, event, "ph name pid tid args");
            continue;
        }
        assert_true(has_phase(tree, event, "X"));
        json_tree_expect_keys(tree, event, "ph name pid tid ts dur");
        if ((int)number(tree, event, "pid") == process && (int)number(tree, event, "tid") == track) {
            const double begin = number(tree, event, "ts");
            const double duration = number(tree, event, "dur");
            assert_true(begin >= 0.0 && duration >= 0.0);
            found[(*count)++] = (stretch){begin, begin + duration};
        }
    }
    qsort(found, (size_t)*count, sizeof *found, compare_begins);
    return found;
}

// Times are microseconds with three decimals. The error of a double is smaller than this.
#define SLACK 0.002

static void expect_order(const stretch *stretches, int count) {
    for (int i = 1; i < count; i++) {
        assert_true(stretches[i].begin >= stretches[i - 1].end - SLACK);
    }
}

void trace_tree_expect(const char *text, int process, int *wholes, int *stages) {
    json_tree tree = json_tree_read(text);
    stretch *whole = collect(&tree, process, 1, wholes);
    stretch *part = collect(&tree, process, 2, stages);
    expect_order(whole, *wholes);
    expect_order(part, *stages);
    for (int i = 0; i < *stages; i++) {
        bool inside = false;
        for (int j = 0; j < *wholes; j++) {
            inside = inside || (part[i].begin >= whole[j].begin - SLACK && part[i].end <= whole[j].end + SLACK);
        }
        assert_true(inside);
    }
    free(whole);
    free(part);
    json_tree_release(&tree);
}
