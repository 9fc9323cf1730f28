/// @file explain.h
/// @ingroup control
/// Why a machine takes a transition or not, and what motion matching asks for: for tools and debugging, on the host.
#ifndef LIMBER_EXPLAIN_H
#define LIMBER_EXPLAIN_H

#include <limber/control.h>
#include <limber/motion_database.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup control
/// @{

/// Returns the sign of a comparison, "<", "<=", ">", ">=" or "=="; "and"; or "or".
LMB_API const char *lmb_term_kind_name(lmb_term_kind kind);
/// Returns "value", "phase", "remaining", "state", "trigger", "draw" or "choice".
LMB_API const char *lmb_operand_name(lmb_operand operand);

/// A term of a transition's condition, with its values.
typedef struct lmb_term_report {
    lmb_term_kind kind;
    /// Of a comparison. A magnitude below 2^-40 is 0. Of a phase or a remaining time: seconds in the clip, the player's
    /// and those with which they are compared; `kind` is then the comparison of these.
    float left;
    float right;
    uint32_t left_parameter;  ///< of `left`; or #LMB_NONE
    uint32_t right_parameter; ///< of `right`; or #LMB_NONE
    uint32_t player;          ///< of a phase or a remaining time (lmb_graph_player_at()); or #LMB_NONE
    lmb_operand operand;      ///< a phase if it is a phase or a remaining time
    uint32_t machine;         ///< of a state (lmb_graph_machine_at()); or #LMB_NONE
    uint32_t event;           ///< of a trigger (lmb_graph_event_name()); or #LMB_NONE
    bool holds;               ///< of `and` and `or`: with the terms before it
} lmb_term_report;

/// A transition that leaves the current state of a machine, and what it requires.
typedef struct lmb_transition_report {
    uint32_t from;        ///< state, or #LMB_NONE: any
    uint32_t to;          ///< state
    uint32_t event;       ///< required; #LMB_NONE: needs none
    bool needs_end;       ///< requires the end of the state's clip
    bool is_at_end;       ///< whether the state's clip is at its end; false if the state has no clip
    float after;          ///< seconds in the state that it requires; 0: none
    float seconds;        ///< in the state
    bool condition_holds; ///< the condition as a whole, or there is none
    bool applies;         ///< all is met but its event, and the machine may take transitions
    uint32_t term_count;
    lmb_term_report terms[LMB_MAX_TERMS]; ///< in postfix order, as in lmb_transition_def
} lmb_transition_report;

/// Lists the transitions that leave the current state of a character's machine, in the order in which they are tried:
/// descending priority, then as in the descriptor.
///
/// `state` and `parameters` are those of one character after a frame. The reports then say what the next frame would
/// decide at its beginning if its parameters were the same. None applies in a machine inside a state that is not
/// current, nor while the machine travels, except the one on its way.
///
/// Stores the first `max_count` reports, and returns the number of all. Returns 0 if there is no such machine, or a
/// pointer is NULL that is needed: `reports` may be NULL if `max_count` is 0, `parameters` if there are none. Stores
/// nothing in the state.
LMB_API uint32_t lmb_state_explain(const lmb_graph *graph, const uint32_t *state, const float *parameters,
                                   uint32_t machine, lmb_transition_report *reports, uint32_t max_count);

#define LMB_MATCHING_RECENT 4u ///< rows that a machine which matches motion remembers

/// The parts of a row's cost, of which lmb_motion_match.cost is the sum.
typedef struct lmb_motion_costs {
    uint32_t foot_positions, foot_velocities, hip_velocity, path, headings;
    uint32_t joints; ///< of all further joints (lmb_motion_database_def.joints)
} lmb_motion_costs;

/// A row of a database, seen from a character.
typedef struct lmb_matching_row {
    uint32_t row;  ///< or #LMB_NONE, and then all else is 0
    uint32_t take; ///< the state that plays it
    float time;    ///< seconds in its clip
    bool mirrored; ///< whether it is the mirrored row
    lmb_motion_path path;
    lmb_motion_costs costs; ///< beside the query of this frame, without a bonus
} lmb_matching_row;

/// What a machine that matches motion asks for, and what it does (lmb_matching_def).
typedef struct lmb_matching_report {
    lmb_motion_path asked;   ///< the path of a query
    lmb_matching_row played; ///< the row that plays
    lmb_matching_row found;  ///< the row to which the next frame jumps, or none
    float seconds;           ///< since its turn to search
    uint32_t recent_count;
    uint32_t recent_rows[LMB_MATCHING_RECENT]; ///< chosen last, the latest first
    float recent_seconds[LMB_MATCHING_RECENT]; ///< since then
} lmb_matching_report;

/// Reports the motion matching of a character's machine after a frame, from its `state` and the `parameters` of that
/// frame. Paths are in the frame of the character, as searches see them: rounded to the steps of stored numbers, and
/// clamped to their range.
///
/// Returns false, and reports nothing, if a pointer is NULL that is needed (`parameters` may be if there are none), if
/// there is no such machine, if it does not match motion, or while no take plays in it. Stores nothing in the state.
LMB_API bool lmb_state_explain_matching(const lmb_graph *graph, const uint32_t *state, const float *parameters,
                                        uint32_t machine, lmb_matching_report *report);

/// @}

#ifdef __cplusplus
}
#endif

#endif
