// Triggers and draws: words of a character's state that conditions of its machines read.
//
// A machine has a word for each event that a condition of it names as a trigger, and one if a condition reads a draw or
// a choice. Triggers come first, then draws, both in the order of machines, transitions and terms. A player that begins
// at random times has a draw, too: these come last, in the order of players.
#include "control.h"

#include "math/inline_ops.h"

#include "../../shaders/ops/control_layout.h"
#include "../../shaders/ops/hash.h"

static bool is_listed(const lmb_decision *list, uint32_t count, lmb_decision decision) {
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
        found = list[i].machine == decision.machine && list[i].event == decision.event;
    }
    return found;
}

// Adds those of a machine that are triggers, or its draw.
static void list_machine(const lmb_moving *moving, uint32_t machine, bool is_draw, lmb_decisions *decisions) {
    const lmb_machine_def *def = &moving->machines[machine].def;
    for (uint32_t i = 0; i < def->transition_count; i++) {
        for (uint32_t k = 0; k < def->transitions[i].term_count; k++) {
            const lmb_term *term = &def->transitions[i].terms[k];
            const lmb_decision decision = {machine, is_draw ? LMB_NONE : term->event};
            if (term->kind < LMB_TERM_AND &&
                (is_draw ? lmb_operand_is_drawn(term->operand) : term->operand == LMB_OPERAND_TRIGGER) &&
                !is_listed(decisions->list, decisions->count, decision) && decisions->count < LMB_MAX_DECISIONS) {
                decisions->list[decisions->count++] = decision;
                decisions->draw_count += is_draw;
            }
        }
    }
}

void lmb_moving_decisions(const lmb_moving *moving, lmb_decisions *decisions) {
    decisions->count = decisions->draw_count = decisions->player_draw_count = 0;
    for (uint32_t i = 0; i < moving->machine_count; i++) {
        list_machine(moving, i, false, decisions);
    }
    for (uint32_t i = 0; i < moving->machine_count; i++) {
        list_machine(moving, i, true, decisions);
    }
    for (uint32_t i = 0; i < moving->player_count; i++) {
        decisions->player_draw_count += moving->players[i].def->random_offset;
    }
}

uint32_t lmb_player_draw(const uint32_t *record) {
    return record[FIELD(PLAYER, offset) + 1] == CONTROL_NONE ? record[FIELD(PLAYER, offset)] : CONTROL_NONE;
}

bool lmb_control_decides(const lmb_control *control) {
    return (control->block[FIELD(CONTROL, flags)] & CONTROL_DECIDES) != 0;
}

lmb_result lmb_state_set_seed(const lmb_graph *graph, uint32_t *state, uint32_t seed, lmb_error *error) {
    const char *missing = lmb_control_missing(graph, state);
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "control: seed: %s", missing);
    }
    const lmb_word_range words = graph->info.seed_words;
    for (uint32_t i = 0; i < words.count; i++) {
        state[words.first + i] = draw_seed(seed, i);
    }
    return LMB_OK;
}
