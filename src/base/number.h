// Values of graphs and controls: either a constant for all characters or read from a character's parameters.
#ifndef LIMBER_SRC_BASE_NUMBER_H
#define LIMBER_SRC_BASE_NUMBER_H

#include <limber/graph.h>

// Returns the parameter that a value reads, or LMB_NONE.
static inline uint32_t lmb_value_reads(lmb_value value) {
    return value.kind == LMB_VALUE_PARAMETER ? value.parameter : LMB_NONE;
}

// The curves of a graph, and where a block has their keys.
typedef struct lmb_curves {
    const lmb_curve_def *defs;
    uint32_t count;
    uint32_t at; // offset
} lmb_curves;

// The message of a fault of a key, or of the whole curve: `key` is then LMB_NONE.
typedef struct lmb_curve_fault {
    uint32_t key;
    char why[160];
} lmb_curve_fault;

// Checks a curve of a graph. Returns false if it is not valid, and stores why.
LMB_API bool lmb_curve_check(const lmb_curve_def *curve, lmb_curve_fault *fault);
// Returns the words of all keys.
uint32_t lmb_curves_words(lmb_curves curves);
// Writes all keys into a block.
void lmb_curves_write(lmb_curves curves, uint32_t *block);
// Writes a curve as the three words of a curve_record.
void lmb_curve_write(lmb_curve curve, const float control[2], lmb_curves curves, uint32_t *words);

// Returns what is wrong with a curve and its control points if the graph has `curve_count` curves, or NULL if they are
// valid.
const char *lmb_value_curve_fault(lmb_curve curve, const float control[2], uint32_t curve_count);
// The same for the curve of a fade.
LMB_API const char *lmb_fade_curve_fault(lmb_curve curve, const float control[2], const lmb_graph_def *def);
// Returns what is wrong with a value if there are so many parameters and curves, or NULL if it is valid.
const char *lmb_value_fault(lmb_value value, uint32_t parameter_count, uint32_t curve_count);
// Writes a value as VALUE.
void lmb_value_write(lmb_value value, lmb_curves curves, uint32_t *words);
// Returns the number of inputs of a computed parameter.
LMB_API uint32_t lmb_computed_input_count(lmb_computed_kind kind);

#endif
