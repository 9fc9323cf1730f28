/// @file machine.h
/// @ingroup control
/// Reads state machines written as a compact text, one block for each state:
///
///     stand        { JUMP_PRESS stand2crouch }
///     stand2crouch { JUMP_RELEASE hop   END crouch }
///     crouch       { JUMP_RELEASE takeoff }
///     takeoff      { END float }
///     hop          { END float }
///     float        { NEAR_GROUND land }
///     land         { END stand }
///
/// Part of `limber::graph`. The text is translated to the operation `machine` of docs/graph-json.md, so JSON can
/// express the same, and lmb_machine_json_write() writes that; control.h describes what it does.
///
/// A text is a list of
/// - **states**, `NAME OPTIONS { TRANSITIONS }`. The first state is the initial one. A state plays the clip of its own
///   name, or the clip that `= CLIP`, as the first option, names: `crouch = "Crouch idle" hold rate 0.5 { ... }`. The
///   options are
///   - `loop`, `hold`, `once` or `ping-pong`: what the clip does at its end. Without it, the clip holds if a transition
///     has `END`, and loops otherwise;
///   - `rate NUMBER`;
///   - `offset SECONDS`;
///   - `motion`: the clip's root motion moves the character, as with `"motion": true` in JSON;
///   - `restart`;
///   - `entry EVENT` and `exit EVENT`, which are emitted to the host.
/// - **transitions**, inside a state's braces: `EVENT STATE`, or `END STATE` for the end of the clip. `after SECONDS`
///   and `when CONDITION` may replace the event or follow it. `->` may precede the state. `fade SECONDS`, `curve NAME`,
///   `curve bezier NUMBER NUMBER` or `curve cubic-bezier X1 Y1 X2 Y2`, `frozen` or `inertialized`, and `priority
///   NUMBER` may follow the state: `JUMP_PRESS after 0.5 when speed > 1.5 -> leap fade 0.1`.
/// - **any** `{ TRANSITIONS }`: transitions from every state except their own target. With `to-self` after the state
///   one is taken from its target, too. `any of STATE STATE { ... }` leaves these states alone, and `any except STATE
///   { ... }` all others.
/// - **fade SECONDS** and **curve**, between states: defaults for all transitions after them in the text.
/// - **initial STATE** and **machine NAME**.
///
/// A condition is `a < b`, or the same with `<=`, `>`, `>=`, `==` or `!=`, where a and b are numbers or names of
/// parameters; or the name of a parameter alone, which is true above 0; or `trigger EVENT`, for an event that waits; or
/// `random CHANCE`, with a number or a parameter. `not` before one of these turns it round. `and`
/// and `or` join several; `and` binds more tightly. Names consist of letters, digits, `_`, `.`, `-` and non-ASCII
/// characters. Other names, and those that are also words of the language, must be in quotes, in which `\"` and `\\`
/// are a quote and a backslash. `END` cannot be the name of an event. Spaces and line breaks only separate words; `#`
/// begins a comment, which ends with its line.
///
/// Events and parameters exist by being named, and are numbered as in JSON; lmb_graph_find_event() and
/// lmb_graph_find_parameter() return their indices.
#ifndef LIMBER_MACHINE_H
#define LIMBER_MACHINE_H

#include <limber/graph_json.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup control
/// @{

/// Reads and checks a text. The result is a graph as from lmb_graph_json_read().
///
/// `machine` gives the text of the machine, the rig and the clips. If `graph` is NULL, the machine is the whole graph.
/// Otherwise the text of `graph` is a graph as JSON that contains a machine without states, `{"op": "machine"}`, which
/// is replaced by this one. The name of that machine is used if the machine's text has none. The rig and clips are
/// those of `machine`.
///
/// `problems` may be NULL. They are those of the machine's text: syntax, unknown states and clips, names given twice,
/// numbers out of range; their path is the state's name. If that text has none, they are those of the graph. Fails as
/// lmb_graph_json_read() does; the message begins with the name of the text that is wrong. A state to which no
/// transition leads is a warning of the result (lmb_graph_json_warning_at()).
LMB_API lmb_result lmb_machine_read(const lmb_graph_source *machine, const lmb_graph_source *graph,
                                    const lmb_host *host, lmb_graph_json **result, lmb_graph_problems *problems,
                                    lmb_error *error);

/// @}

#ifdef __cplusplus
}
#endif

#endif
