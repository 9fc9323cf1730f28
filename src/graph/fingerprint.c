// The fingerprint of a graph. It is the hash of hashes: of the library's own bits, of the compiled graph without the
// room of its clip slots, of the compiled control, and of the names. Compiled graphs have no addresses, and are the
// same on all machines.
#include "base/bits.h"
#include "control/control.h"
#include "names.h"
#include "program/clip_slot.h"
#include "program/program.h"

#include "../../shaders/ops/layout.h"

#include <string.h>

// Returns a hash of both, in their order.
static uint64_t join(uint64_t first, uint64_t second) {
    const uint32_t words[4] = {(uint32_t)first, (uint32_t)(first >> 32), (uint32_t)second, (uint32_t)(second >> 32)};
    return lmb_hash_words(words, sizeof words / sizeof words[0]);
}

static uint64_t hash_bits(void) {
    return join(join(BITS_OF_POSES, BITS_OF_OUTPUTS), join(BITS_OF_CONTROL, BITS_OF_MOTION));
}

// A slot's clip, and where the table of clips has it, change while the graph runs.
static uint64_t hash_program(const lmb_graph *graph) {
    const uint32_t *program = graph->program;
    uint32_t at = 0;
    uint64_t hash = 0;
    for (uint32_t i = 0; i < graph->info.clip_slot_count; i++) {
        const uint32_t entry = program[FIELD(PROGRAM, clips)] + graph->clip_slots[i].def.clip;
        hash = join(hash, lmb_hash_words(program + at, entry - at));
        at = entry + 1;
    }
    for (uint32_t i = 0; i < graph->info.clip_slot_count; i++) {
        const lmb_clip_slot *slot = &graph->clip_slots[i];
        hash = join(hash, lmb_hash_words(program + at, slot->offset - at));
        at = slot->offset + (uint32_t)(((uint64_t)slot->def.bytes + 3) / 4);
    }
    return join(hash, lmb_hash_words(program + at, graph->size - at));
}

static uint64_t hash_names(const lmb_graph *graph) {
    size_t size;
    const char *text = lmb_graph_names_text(graph->names, &size);
    uint64_t hash = size;
    uint32_t words[64];
    for (size_t at = 0; at < size; at += sizeof words) {
        memset(words, 0, sizeof words);
        memcpy(words, text + at, size - at < sizeof words ? size - at : sizeof words);
        hash = join(hash, lmb_hash_words(words, sizeof words / sizeof words[0]));
    }
    return hash;
}

uint64_t lmb_graph_find_fingerprint(const lmb_graph *graph) {
    const lmb_control *control = graph->control;
    const uint64_t moving = control != NULL ? lmb_hash_words(control->block, control->size) : 0;
    return join(join(hash_bits(), hash_program(graph)), join(moving, hash_names(graph)));
}

uint64_t lmb_graph_fingerprint(const lmb_graph *graph) {
    return graph->fingerprint;
}
