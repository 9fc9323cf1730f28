/// @file graph_json.h
/// Graphs written as JSON: a text becomes the descriptor of a graph (graph.h) for one rig and its clips, in the same
/// words. Part of `limber::import`; the core knows no JSON.
///
/// A pose is an object with an `"op"`; poses nest, and the outermost is the result:
///
///     {"op": "blend", "weight": {"param": "speed", "default": 0.5}, "curve": "uniform-s",
///      "a": {"op": "clip", "clip": "Walk"},
///      "b": {"op": "clip", "clip": "Run"}}
///
/// Poses and additives are different types (graph.h): what `additive` adds is a `make-additive`, a clip with `additive`, or
/// a clip that was baked as one.
///
/// | op | fields, those in parentheses optional |
/// | --- | --- |
/// | `rest` | none |
/// | `clip` | `clip`, (`time`), (`rate`: 1), (`offset`: 0), (`loop`: true), (`additive`: false), (`reference`: a pose), (`form`), (`space`), (`weights`: a mask), (`play`) |
/// | `pose` | `pose`: the name of a static pose, or the index of the batch's pose buffer |
/// | `blend` | `a`, `b`: poses, (`weight`: 1), (`curve`), (`interpolation`), (`shortest`) |
/// | `masked` | `a`, `b`: poses, `mask`, (`weight`: 1), (`curve`), (`interpolation`), (`shortest`) |
/// | `partial` | `a`, `b`: poses, (`weight`: 1), (`curve`) |
/// | `weighted` | `inputs`: 2 to 16 objects, each with a `pose`, (`weight`: 1), (`curve`); (`interpolation`), (`shortest`) |
/// | `weighted-matrix` | `inputs`: 2 to 16 objects, each with a `pose`, (`weight`: 1), (`curve`); the outermost operation alone |
/// | `layers` | `inputs`: 2 to 16 objects, each with a `pose`, (`fade`: 1), (`curve`), (`priority`: 0, a whole number), (`mask`) |
/// | `space1d` | `at`: the position, `inputs`: 2 to 64 objects, each with a `pose` and its place `at`, a number |
/// | `space2d` | `x`, `y`: the position, (`kind`), `inputs`: 2 to 64 objects, each with a `pose` and its place `at`, [x, y] |
/// | `make-additive` | `pose`, `reference`: poses, (`form`), (`space`) |
/// | `additive` | `base`, `add`: poses, (`weight`: 1, from -4 to 4), (`curve`), (`interpolation`), (`shortest`), |
/// | | (`form`), (`space`), (`unclamped`: false), (`mask`) |
/// | `add`, `subtract` | `a`, `b`: poses |
/// | `scale` | `pose`, `factor`: -4 to 4, (`interpolation`), (`shortest`) |
/// | `subtract-scale-add` | `a`, `b`, `base`: poses, `factor`: -4 to 4, (`interpolation`), (`shortest`) |
/// | `bilinear` | `poses`: 4, `s`, `t`, (`interpolation`), (`shortest`) |
/// | `trilinear` | `poses`: 8, `s`, `t`, `u`, (`interpolation`), (`shortest`) |
/// | `combine` | `inputs`: 1 to 16 objects, each with a `pose`, (`joints`) |
/// | `mirror` | `pose`, `axis`: `"x"`, `"y"` or `"z"`, (`partners`), (`channels`) |
/// | `clamp` | `pose`, `limits` |
/// | `machine` | `states`: 1 to 64, (`name`), (`initial`: a state), (`any`: transitions) |
///
/// `interpolation` is `slerp` (the default, except for `weighted`), `nlerp` (that of `weighted`) or `lerp`; `shortest` is true
/// unless stated; `form` is `local` (the default), `parent` or `affine`, `space` `local` (the default) or
/// `model`, and a clip's are those of its difference. `kind` is `triangles` (the default), `grid` or `freeform`. Corners
/// are in the order s, t, u: poses[1] is at s = 1,
/// poses[2] at t = 1, poses[4] at u = 1.
///
/// What they do is described in graph.h. A clip is named, the first of that name; or it is a number, its index among the
/// clips, which a parameter may choose. A clip without a `time` takes the parameter `"time"`, seconds from 0, which all
/// such clips share. `"additive": true` gives the difference of the clip from its first frame, or from the pose
/// `reference`: what `additive` takes as its `add`. `weights` are what its joints carry for `partial`, in place of the
/// clip's own.
///
/// A mask is an object that gives joints a share from 0 to 255, `{"Spine": 255, "Neck": 128}`. A joint that it does not
/// name takes its parent's share, a root 0. A name stands for the first joint of that name, or where there is none for the
/// first float channel of that name; a channel that is not named has 0.
///
/// The inputs of a combine lie over one another. `joints` says what an input has, and is either a list of names,
/// `["Spine", "Neck", "Head"]`: a part of as many joints, in this order, so that clips and pose buffers inside it have no
/// others; or an object, `{"Arm.L": "Arm.R", "Head": "Head"}`: whole poses, of which the joint before each colon takes the one
/// behind it. Without it the input is a whole pose and has every joint.
///
/// A mirror is across the plane where the coordinate of that axis is 0. Partners are found by the names of the joints, as
/// lmb_rig_find_mirror() does, unless `partners` gives them, all of them: `{"Wing_a": "Wing_b"}`, each pair once, a joint
/// that is not named its own. So does `channels` for float channels: `{"smile_l": "smile_r"}`, or with a sign that both
/// change by, 1 or -1, `{"look_l": {"partner": "look_r", "sign": -1}, "tilt": {"sign": -1}}`; without it they are found by
/// names, with a sign of 1.
///
/// Limits give joints an object each, of what is to be limited, in degrees; what they mean is in joint_limits.h:
///
///     {"Head": {"twist": {"axis": "y", "min": -70, "max": 70}, "swing": 45},
///      "Shin": {"angles": {"min": [0, 0, 0], "max": [150, 0, 0]}},
///      "Root": {"translation": {"min": -0.5, "max": [0.5, 0, 0.5]}, "scale": {"min": 0.9, "max": 1.1}}}
///
/// A float channel has a `range`, the least and the greatest: `{"blink": {"range": [0, 1]}}`.
///
/// A `twist` has an `axis` (`"y"`), which is that of the `swing` too, `min` (-180) and `max` (180). The others need both
/// ends, each three numbers, or one for all three.
///
/// Levels of detail, see lod.h, belong to the outermost pose, beside its other fields: `"lod"` is a number, 0 to 7, of
/// which a parameter's default is 0; `"max-lods"` is an object that gives joints the last level at which they are computed,
/// `{"Hand": 2}`. A joint that it does not name takes its parent's, a root 7. Without `"max-lods"` they are those of
/// lmb_rig_suggest_max_lods().
///
/// A number is one of
/// - a number,
/// - a parameter, `{"param": "speed", "default": 0.5, "min": 0, "max": 1}`, the last three optional. Uses of one name
///   share one parameter; what several of them state must agree. Where none states it, the default is that of the field
///   of the first use (0 for `clip`, `time` and positions), moved into the range, and the range is that of the field: 0 to 1 for
///   weights, that of the places for a position, 0 to 2 for `rate`, the clips for `clip`, 0 to the longest clip's duration for `time` and `offset`. The
///   range is a note for whoever sets parameters: a graph does not hold them to it.
/// - a curve of one of them, `{"curve": "uniform-s", "of": {"param": "speed"}}`, of what is in 0 to 1. A `curve` may
///   also be beside the `weight` that it shapes; only one of both may be given. Curves: `linear`, `uniform-s`,
///   `smoothstep`; `quadratic-in`, `quadratic-out`, `quadratic-in-out`, and so for `cubic`, `sine` and `cosine`;
///   `{"bezier": [c0, c1]}` with two control points from -16 to 16. Their formulas are in graph.h.
/// - a fade that events ask for, where it is the weight of one pose: see below.
/// - **computed** from others: `{"add": [a, b]}`, `{"subtract": [a, b]}`, `{"multiply": [a, b]}`, `{"min": [a, b]}`,
///   `{"max": [a, b]}`, `{"clamp": [x, low, high]}`, `{"remap": [x, from low, from high, to low, to high]}`; up to 8
///   inside each other. What they do is in control.h (lmb_computed_kind), which finds them. Where all is constant,
///   it is a constant. A parameter inside has the default 0 and the range 0 to 1 where no use states them.
/// - the weight of a fade, `{"fade": "NAME"}`, by the name of the fade, which may stand further down: `{"subtract": [1,
///   {"fade": "NAME"}]}` is what the fade leaves. Not in conditions, rates and character motion, which are needed before it is
///   known.
///
/// Parameters are numbered in the order in which the text first uses them; a `time` that a clip does not state counts as
/// used at the end of that clip, as do those inside its `play`, and those of a state's transitions at the end of the state.
///
/// What moves by itself (control.h):
///
/// - **A clip that plays**: `"play": true`, or an object, all of whose members are optional:
///
///       {"end": "ping-pong", "rate": 1, "offset": 0.1, "ended": "EVENT", "looped": "EVENT",
///        "notifies": [{"time": 0.2, "event": "step"}], "group": "locomotion",
///        "cadence": "velocity", "markers": [0.1, 0.6], "velocity": 1.4, "motion": true}
///
///   `end` is `"loop"`, `"hold"`, `"once"` or `"ping-pong"`. Its time is then its player's, and `time`, `rate`,
///   `offset` and `loop` may not be beside it. A clip played `"once"` drops out where it is itself the pose of a
///   state; anywhere else it stays at its end. Clips of one `group` keep in phase. The first in the text leads. It
///   alone may have a `rate` and a `cadence`, which says how fast the group goes (lmb_cadence): `"default"`,
///   `"duration"` or `"velocity"`. `"velocity"` needs a velocity of each clip: its `velocity`, or a `motion` whose way
///   has a length. Nothing states what a clip weighs: that follows from the poses that it is in (control.h,
///   "Weights of clips").
/// - **Motion**: `"motion": true` takes the way of joint 0 out of the clip (root_motion.h): what plays is what is left, and the
///   way carries the character. `"motion": {"joint": "Hips", "axes": "xz", "yaw": true, "rate": 30}` states what is
///   otherwise as lmb_default_root_motion_def() says. `"motion": [[0, 0, 0, 0], [0, 0, 1.4, 0]]` gives the track of a clip
///   without any: x, y, z, yaw in radians of each key. Clips whose way is taken out are copies at the end of the
///   descriptor's, and live as long as this object.
/// - **character motion**, `"character-motion"` in the outermost object: `true`, or what it is to do, all of it optional, as lmb_motion_def has it:
///   `{"velocity": [0, 0, {"param": "speed"}], "heading": {"param": "heading"}, "acceleration": 4, "deceleration": 6,
///   "turn-rate": 3}`, in units and radians a second. Any clip's motion makes one, too; where there is one, a clip's
///   `velocity` carries as well. Its parameters count as used after all others. `"actual-velocity": [null, null, "pace"]` names
///   the parameters to which it writes the velocity that it has of the wanted one (lmb_motion_def.velocity_parameters), x, y
///   and z or null: `{"param": "pace"}` then reads that, in a condition or in a `space1d`, wherever a parameter may stand but
///   with `smooth`, or in what the character motion wants. Like all that the control writes, it is not for the host to set.
/// - **A machine**, whose states hold any pose, further machines among them, to a depth of 4:
///
///       {"op": "machine", "name": "jump", "states": [
///         {"name": "stand", "pose": {"op": "clip", "clip": "Stand"},
///          "transitions": [{"to": "crouch", "event": "JUMP_PRESS", "fade": 0.1}]},
///         {"name": "crouch", "pose": {"op": "clip", "clip": "Crouch"}, "entry": "crouched",
///          "transitions": [{"to": "stand", "end": true, "when": {">": [{"param": "speed"}, 0.5]}}]}],
///        "any": [{"to": "stand", "event": "RESET", "priority": 1}]}
///
///   The first state is the initial one, unless `initial` names another; lmb_machine_def has that one first, then the
///   others in their order. A state has a `name` of its own, a `pose`, and optionally `restart` (false), `entry` and
///   `exit` (events emitted) and `transitions`. A transition needs `to`, and one or more of `event`, `end` (true), `after`
///   (seconds) and `when` (a condition); optional are `fade` (0.2 seconds), `curve` (`"smoothstep"`, any but a Bezier),
///   `kind` (`"smooth"`, `"frozen"` or `"inertialized"`), `profile` (a mask, by which the fade's time is scaled joint
///   by joint: control.h, "Blend profiles"; not where it is inertialized) and `priority` (0). Where any is
///   inertialized, so is the
///   outermost pose (inertia.h), by five parameters that are behind all others: the whole character decays, whatever
///   part of it the machine moves. Those of `any` leave every state but their own. A clip inside a state that says
///   neither `time` nor `play` plays, from its `offset` on, at its `rate`; it holds where its `loop` is false or a
///   transition of its state has `end`, else it loops. The first clip that plays in a state is the one whose end is the
///   state's; those within a machine inside it do not count. A machine without a name has that of its state, else
///   "machine". Warnings name states that no transitions lead to, and states that lead to each other without an event
///   while the same conditions hold, which would switch #LMB_MAX_TRANSITIONS_A_FRAME times at once in each frame.
/// - **A fade** is where one pose is weighed, in place of the number: as the `weight` of a `blend`, `masked` or `partial` (of
///   its pose `b`), of an `additive` (of `add`), or of an input; as the `fade` of a layer; as the `factor` of a `scale`. Events
///   then fade the pose in and out, layers of any priority for instance:
///
///       {"op": "layers", "inputs": [
///         {"pose": {"op": "clip", "clip": "Walk", "play": true}},
///         {"pose": {"op": "clip", "clip": "Wave"}, "priority": 1,
///          "fade": {"in": "WAVE", "out": "STOP", "at-end": true, "seconds": 0.3, "out-seconds": 0.5}}]}
///
///   The weight is 0 until `in` is sent, and then goes to 1; it goes back to 0 on `out`, at the end of the first clip
///   that plays in the pose where `at-end` is true, and `after` as many seconds, whichever of those are given comes
///   first. All but `in` is optional: `seconds` (0.2) for either way, `out-seconds` where the way back takes others,
///   `curve` (`"smoothstep"`, any but a Bezier), `restart` (false), `initial` (`"out"`, or `"in"`: it begins with 1),
///   `name` (that of the event `in`), by which `{"fade": "NAME"}` reads its weight. In the middle of a fade it goes on
///   from the weight that it has, for the whole time again; there is no jump. `in` sent once more does nothing, but
///   with `restart`, where the pose then begins anew; `out` may be the same event, which then goes back and forth.
///
///   A fade is a machine of two states, `out` and `in`, with all that belongs to those: clips in the pose play as in a state,
///   from their offsets when it is faded in from 0, and stand still at 0; they hold where `at-end` is true; machines inside begin
///   anew; it counts for the depth; and within a machine's state it takes events while that is current, and begins
///   anew, as `initial` says, where that does.
/// - **A condition** is `{"<": [a, b]}` with two numbers as everywhere, and so for `<=`, `>`, `>=` and `==`; or
///   `{"and": [CONDITION, ...]}`, `{"or": [CONDITION, ...]}`; 16 of all these at most. In place of a, `{"phase":
///   "Walk"}` is a clip's time over its duration, and `{"remaining": "Walk"}` its seconds up to its end: of the first
///   clip of this name that plays in the state that the transition leaves, in machines inside it too, or with `true` of
///   the clip whose end is the state's. b is then a constant, from 0 to 1 or to the clip's duration; lmb_term says when
///   it is seen.
/// - **A parameter that is smoothed**: `{"param": "speed", "smooth": 0.2}` follows the parameter with this half-life in
///   seconds, as lmb_smoothed_def says.
/// - **Events** are names, numbered in the order in which the text first uses them; `"END"` is none. As many as
///   `"max-emitted-events"` in the outermost object, 1 to #LMB_MAX_EMITTED_EVENTS (8), are reported of a character in a frame.
///
/// - **Updates**, in the outermost object: `"update-every": 4`, 1 to 16 or a parameter that is not computed, updates a
///   character every so many frames alone; with `"interpolate-updates": true` it moves on between them (control.h,
///   "Updates").
///
/// Everything is checked before anything is built, and every mistake is reported with where it stands: unknown operations,
/// fields, clips, poses, joints, channels and curves, fields that are missing or given twice, wrong types and ranges, too many inputs,
/// poses inside each other that the graph could not hold.
#ifndef LIMBER_GRAPH_JSON_H
#define LIMBER_GRAPH_JSON_H

#include <limber/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lmb_graph_json lmb_graph_json;

typedef struct lmb_graph_source {
    const char *text; ///< JSON, UTF-8; need not be terminated
    size_t size;
    const char *name;   ///< opens the messages: a file's name. NULL means "graph"
    const lmb_rig *rig; ///< must outlive the graph
    /// May be found by their names. They must outlive the graph, the array itself need not. May be NULL where there are
    /// none.
    const lmb_clip *const *clips;
    uint32_t clip_count;
    /// Found by their names, the first of that name. They must outlive the graph. May be NULL where there are none.
    const lmb_static_pose_def *static_poses;
    uint32_t static_pose_count;
} lmb_graph_source;

/// One mistake in a text.
typedef struct lmb_graph_problem {
    char path[200];  ///< within the document, "base.inputs[1].pose.clip"; "" for all of it; its end where it is long
    uint32_t line;   ///< from 1
    uint32_t column; ///< in bytes, from 1
    char message[240];
} lmb_graph_problem;

#define LMB_MAX_GRAPH_PROBLEMS 32u

typedef struct lmb_graph_problems {
    uint32_t count; ///< found, of which at most the first #LMB_MAX_GRAPH_PROBLEMS are listed
    lmb_graph_problem
        list[LMB_MAX_GRAPH_PROBLEMS]; ///< in the order of the text, what concerns several places at the end
} lmb_graph_problems;

/// Reads and checks a text. `problems` may be NULL; it is written in any case. Fails with #LMB_ERROR_FORMAT where there is
/// a problem (the message is the first one, and reports how many more there are), #LMB_ERROR_ARGUMENT where something that
/// is not optional is NULL, #LMB_ERROR_LIMIT where its content would take too much memory, #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_graph_json_read(const lmb_graph_source *source, const lmb_host *host, lmb_graph_json **graph,
                                       lmb_graph_problems *problems, lmb_error *error);
/// NULL is fine.
LMB_API void lmb_graph_json_destroy(lmb_graph_json *graph);

/// For lmb_graph_create(), which takes it as it is; a copy may be changed before. Lives as long as this object; graphs
/// created from it do not need it.
LMB_API const lmb_graph_def *lmb_graph_json_def(const lmb_graph_json *graph);

/// What is allowed, but hardly meant.
LMB_API uint32_t lmb_graph_json_warning_count(const lmb_graph_json *graph);
/// Lives as long as the graph.
LMB_API const lmb_graph_problem *lmb_graph_json_warning_at(const lmb_graph_json *graph, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
