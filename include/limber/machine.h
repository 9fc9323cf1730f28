/// @file machine.h
/// State machines as a compact text, one block for each state:
///
///     stand        { JUMP_PRESS stand2crouch }
///     stand2crouch { JUMP_RELEASE hop   END crouch }
///     crouch       { JUMP_RELEASE takeoff }
///     takeoff      { END float }
///     hop          { END float }
///     float        { NEAR_GROUND land }
///     land         { END stand }
///
/// Part of `limber::import`. What such a text says can be said as JSON too, as the operation `machine` of graph_json.h, which
/// it becomes; what it means is there and in control.h.
///
/// A text is a list of
/// - **states**, `NAME OPTIONS { TRANSITIONS }`. The first is the initial one. A state plays the clip of its own name, or,
///   with `= CLIP` first among its options, that one: `crouch = "Crouch idle" hold rate 0.5 { ... }`. Options are `loop`,
///   `hold`, `once` or `ping-pong` (what the clip does at its end: without it, it holds where a transition has `END`,
///   else it loops), `rate NUMBER`, `offset SECONDS`, `motion` (the clip's own way carries the character, as `"motion": true`
///   says in graph_json.h), `restart`, `entry EVENT` and `exit EVENT` (emitted to the host).
/// - **transitions**, within a state's braces: `EVENT STATE`, or `END STATE` at the end of the clip. In place of the event, or
///   behind it, may stand `after SECONDS` and `when CONDITION`; before the state, `->`; behind it, `fade SECONDS`,
///   `curve NAME`, `frozen` or `inertialized`, and `priority NUMBER`: `JUMP_PRESS after 0.5 when speed > 1.5 -> leap fade 0.1`.
/// - **any** `{ TRANSITIONS }`: from every state but their own target.
/// - **fade SECONDS**, **curve NAME**: for transitions further down that say none. **initial STATE**, **machine NAME**.
///
/// A condition is `a < b`, or with `<=`, `>`, `>=`, `==`, of numbers and names of parameters; several are joined by
/// `and` and `or`, `and` first. Names are letters, digits, `_`, `.`, `-` and what is not ASCII; others, and those that
/// are also words of the language, are in quotes, in which `\"` and `\\` are a quote and a backslash. `END` is no name of an event. Spaces
/// and line breaks only separate; `#` begins a comment, to the end of its line.
#ifndef LIMBER_MACHINE_H
#define LIMBER_MACHINE_H

#include <limber/graph_json.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads and checks a text; `machine` has the same members as a graph's source, and its text is a machine's. Where `graph` is NULL, the
/// machine is the whole graph. Else it is the machine of that graph, as JSON, that has no states of its own,
/// `{"op": "machine"}`, and has its name where the text says none; rig and clips are `machine`'s.
///
/// `problems` may be NULL. They are those of the machine's text: syntax, unknown states and clips, names given twice,
/// numbers out of range; a path is the state's name. Or, where that text is right, those of the graph. Fails as lmb_graph_json_read()
/// does; the message begins with the name of the text that is wrong. States that no transitions lead to are warnings of the result:
/// lmb_graph_json_warning_at().
LMB_API lmb_result lmb_machine_read(const lmb_graph_source *machine, const lmb_graph_source *graph,
                                    const lmb_host *host, lmb_graph_json **result, lmb_graph_problems *problems,
                                    lmb_error *error);

#ifdef __cplusplus
}
#endif

#endif
