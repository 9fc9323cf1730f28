// Rows of characters between frames: placed, begun anew, or copied to other rows.
#include <limber/snapshot.h>

#include "base/host.h"
#include "control/control.h"

#include <string.h>

#include "../../shaders/ops/control_layout.h"

static lmb_result refuse(lmb_error *error, const char *what) {
    return lmb_fail(error, LMB_ERROR_ARGUMENT, "characters: %s", what);
}

// Checks that there is a row, and all that is kept of it.
static lmb_result check_row(const lmb_graph *graph, const lmb_character_words *of, uint32_t character,
                            lmb_error *error) {
    if (graph == NULL || of == NULL) {
        return refuse(error, graph == NULL ? "the graph is NULL" : "the words are NULL");
    }
    if (character >= of->row_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "characters: there is no character %u of %u", (unsigned)character,
                        (unsigned)of->row_count);
    }
    const char *missing = lmb_graph_get_info(graph)->state_words > 0 && of->states == NULL      ? "states"
                          : lmb_graph_get_info(graph)->inertia_words > 0 && of->inertia == NULL ? "inertia"
                          : lmb_graph_get_info(graph)->reached_count > 0 && of->reached == NULL ? "reached"
                                                                                                : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "characters: %s: it is NULL, and the graph has such words", missing);
    }
    return LMB_OK;
}

static uint32_t *state_of(const lmb_graph *graph, const lmb_character_words *of, uint32_t character) {
    return of->states + (size_t)character * lmb_graph_get_info(graph)->state_words;
}

static lmb_result check_motion(const lmb_graph *graph, lmb_error *error) {
    return lmb_graph_get_info(graph)->has_motion ? LMB_OK : refuse(error, "the graph has no character motion");
}

// Copies a row, or zeroes it if `from` is LMB_NONE.
static void copy_row(uint32_t *rows, size_t words, uint32_t from, uint32_t to) {
    if (words > 0 && from != LMB_NONE) {
        memmove(rows + to * words, rows + from * words, words * sizeof *rows);
    } else if (words > 0) {
        memset(rows + to * words, 0, words * sizeof *rows);
    }
}

static void copy_rows(const lmb_graph *graph, const lmb_character_words *of, uint32_t from, uint32_t to) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    copy_row(of->states, info->state_words, from, to);
    copy_row(of->inertia, info->inertia_words, from, to);
    copy_row(of->reached, info->reached_count, from, to);
}

lmb_result lmb_characters_place(const lmb_graph *graph, const lmb_character_words *words, uint32_t character,
                                const lmb_motion *motion, lmb_error *error) {
    if (check_row(graph, words, character, error) || check_motion(graph, error)) {
        return LMB_ERROR_ARGUMENT;
    }
    return lmb_state_set_motion(graph, state_of(graph, words, character), motion, error);
}

lmb_result lmb_characters_respawn(const lmb_graph *graph, const lmb_character_words *words, uint32_t character,
                                  const lmb_motion *motion, lmb_error *error) {
    if (check_row(graph, words, character, error) || (motion != NULL && check_motion(graph, error))) {
        return LMB_ERROR_ARGUMENT;
    }
    const lmb_word_range range = lmb_graph_get_info(graph)->motion_words;
    uint32_t placed[WORDS_OF(MOVING_FULLY)] = {0};
    if (motion != NULL && lmb_control_motion_to_words(graph->control, motion, placed, error)) {
        return LMB_ERROR_ARGUMENT;
    }
    copy_rows(graph, words, LMB_NONE, character);
    if (motion != NULL) {
        memcpy(state_of(graph, words, character) + range.first, placed, range.count * sizeof *placed);
    }
    return LMB_OK;
}

lmb_result lmb_characters_move(const lmb_graph *graph, const lmb_character_words *words, uint32_t from, uint32_t to,
                               lmb_error *error) {
    if (check_row(graph, words, from, error) || check_row(graph, words, to, error)) {
        return LMB_ERROR_ARGUMENT;
    }
    copy_rows(graph, words, from, to);
    return LMB_OK;
}
