// Internal view of snapshots.
#ifndef LIMBER_SRC_GRAPH_SNAPSHOT_H
#define LIMBER_SRC_GRAPH_SNAPSHOT_H

#include <limber/snapshot.h>

// Writes the words of the snapshot's character `index` to row 0. Checks what lmb_snapshot_restore() checks.
lmb_result lmb_snapshot_take(const lmb_graph *graph, const void *bytes, size_t size, uint32_t index,
                             const lmb_character_words *to, lmb_error *error);

// Writes the header of a snapshot into `bytes`, which have room for it and are aligned. Returns where its rows are.
lmb_character_words lmb_snapshot_begin(const lmb_graph *graph, uint32_t count, uint64_t tag, void *bytes);

#endif
