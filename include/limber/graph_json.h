/// @file graph_json.h
/// Reads graphs written as JSON: a text becomes the descriptor of a graph (graph.h) for one rig and its clips.
///
/// The words are those of graph.h. Part of `limber::import`; the core does not read JSON.
///
/// A pose is an object with an `"op"`. Poses nest, and the outermost one is the result:
///
///     {"op": "blend", "weight": {"param": "speed", "default": 0.5}, "curve": "uniform-s",
///      "a": {"op": "clip", "clip": "Walk"},
///      "b": {"op": "clip", "clip": "Run"}}
///
/// Poses and additives are different types (graph.h). What `additive` adds must be an additive: a `make-additive`, a
/// clip with `additive`, or a clip that was baked as an additive.
///
/// | op | fields, optional ones in parentheses |
/// | --- | --- |
/// | `rest` | none |
/// | `clip` | `clip`, (`time`), (`rate`: 1), (`offset`: 0), (`loop`: true), (`additive`: false), |
/// | | (`reference`: a pose), (`form`), (`space`), (`weights`: a mask), (`play`) |
/// | `pose` | `pose`: the name of a static pose, or the index of the batch's pose buffer |
/// | `blend` | `a`, `b`: poses, (`weight`: 1), (`curve`), (`interpolation`), (`shortest`) |
/// | `masked` | `a`, `b`: poses, `mask`, (`weight`: 1), (`curve`), (`interpolation`), (`shortest`) |
/// | `partial` | `a`, `b`: poses, (`weight`: 1), (`curve`) |
/// | `weighted` | `inputs`: 2 to 16 objects, each with a `pose`, (`weight`: 1), (`curve`); |
/// | | (`interpolation`), (`shortest`) |
/// | `weighted-matrix` | `inputs`: 2 to 16 objects, each with a `pose`, (`weight`: 1), (`curve`); |
/// | | only as the outermost operation |
/// | `layers` | `inputs`: 2 to 16 objects, each with a `pose`, (`fade`: 1), (`curve`), |
/// | | (`priority`: 0, a whole number), (`mask`) |
/// | `space1d` | `at`: the position, `inputs`: 2 to 64 objects, each with a `pose` and its position `at`, a number |
/// | `space2d` | `x`, `y`: the position, (`kind`), `inputs`: 2 to 64 objects, each with a `pose` and |
/// | | its position `at`, [x, y] |
/// | `make-additive` | `pose`, `reference`: poses, (`form`), (`space`) |
/// | `additive` | `base`, `add`: poses, (`weight`: 1, from 0 to 1, or from -4 to 4 if `unclamped`), (`curve`), |
/// | | (`interpolation`), (`shortest`), (`form`), (`space`), (`unclamped`: false), (`mask`) |
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
/// graph.h describes the operations. Fields that several of them have:
/// - `interpolation` is `slerp` (the default, except for `weighted`), `nlerp` (the default for `weighted`) or `lerp`.
/// - `shortest` is true by default.
/// - `form` is `local` (the default), `parent` or `affine`; `space` is `local` (the default) or `model`. For a clip
///   they are those of its additive.
/// - `kind` is `triangles` (the default), `grid` or `freeform`.
/// - `poses` are in the order s, t, u: poses[1] is at s = 1, poses[2] at t = 1, poses[4] at u = 1.
///
/// **Clips.** `clip` is a name, which stands for the first clip of that name, or a number, the index of the clip, which
/// a parameter may choose. A clip without a `time` uses the parameter `"time"`, in seconds from 0, which all such clips
/// share. `"additive": true` makes an additive of the clip relative to its first frame, or to the pose `reference`; it
/// can be the `add` of an `additive`. `weights` are the joint weights for `partial`; they replace the clip's own.
///
/// **Masks.** A mask is an object that gives joints a share from 0 to 255, `{"Spine": 255, "Neck": 128}`. A joint that
/// it does not name takes its parent's share; a root that it does not name has 0. A name stands for the first joint of
/// that name or, if there is none, for the first float channel of that name. A channel that is not named has 0.
///
/// **Combine.** Later inputs are on top of earlier ones. `joints` says which joints an input has:
/// - A list of names, `["Spine", "Neck", "Head"]`: the poses inside the input have exactly these joints, in this order.
///   Clips and pose buffers inside it have no others.
/// - An object, `{"Arm.L": "Arm.R", "Head": "Head"}`: the input is a whole pose, and only the joints before the colons
///   are taken from it. Each takes the transform of the joint behind its colon.
/// - Without `joints` the input is a whole pose and has every joint.
///
/// **Mirrors.** A mirror reflects across the plane in which the coordinate of `axis` is 0. Partners are found by the
/// names of the joints, as lmb_rig_find_mirror() does, unless `partners` gives all of them: `{"Wing_a": "Wing_b"}`,
/// each pair once; a joint that is not named is its own partner. `channels` does the same for float channels:
/// `{"smile_l": "smile_r"}`, or with a sign, 1 or -1, by which both are multiplied:
/// `{"look_l": {"partner": "look_r", "sign": -1}, "tilt": {"sign": -1}}`. Without `channels` they are found by their
/// names, with a sign of 1.
///
/// **Joint limits.** `limits` has an object for each joint that is limited, in degrees; joint_limits.h explains them:
///
///     {"Head": {"twist": {"axis": "y", "min": -70, "max": 70}, "swing": 45},
///      "Shin": {"angles": {"min": [0, 0, 0], "max": [150, 0, 0]}},
///      "Root": {"translation": {"min": -0.5, "max": [0.5, 0, 0.5]}, "scale": {"min": 0.9, "max": 1.1}}}
///
/// A float channel has a `range`, its min and max: `{"blink": {"range": [0, 1]}}`.
///
/// A `twist` has an `axis` (`"y"`), which is also that of the `swing`, a `min` (-180) and a `max` (180). The others
/// must have both `min` and `max`, each three numbers, or one number for all three.
///
/// **Levels of detail** (lod.h) are fields of the outermost pose. `"lod"` is a number from 0 to 7; the default of a
/// parameter in it is 0. `"max-lods"` is an object that gives joints the last level at which they are computed,
/// `{"Hand": 2}`. A joint that it does not name takes its parent's; a root that it does not name has 7. Without
/// `"max-lods"` the levels are those of lmb_rig_suggest_max_lods().
///
/// **Values.** A value is one of
/// - a number.
/// - a parameter, `{"param": "speed", "default": 0.5, "min": 0, "max": 1}`; the last three are optional. Uses of one
///   name share one parameter; if several uses state a field, they must agree. A default that no use states is that of
///   the field in which the parameter is first used (0 for `clip`, `time` and positions), clamped to the range. A range
///   that no use states is that of this field: 0 to 1 for weights, that of the inputs' positions for a position, 0 to 2
///   for `rate`, the clips for `clip`, and 0 to the longest clip's duration for `time` and `offset`. The range is a
///   note for whoever sets parameters: a graph does not clamp them to it.
/// - a curve of one of these, `{"curve": "uniform-s", "of": {"param": "speed"}}`, applied to a value from 0 to 1. A
///   `curve` may also be a field beside the `weight` to which it applies; only one of both may be given. Curves are
///   `linear`, `uniform-s`, `smoothstep`; `quadratic-in`, `quadratic-out`, `quadratic-in-out`, and the same for
///   `cubic`, `sine` and `cosine`; `{"bezier": [c0, c1]}` with two control points from -16 to 16. lmb_curve has their
///   formulas.
/// - a fade that events control, if it is the weight of one pose: see below.
/// - **computed** from others: `{"add": [a, b]}`, `{"subtract": [a, b]}`, `{"multiply": [a, b]}`, `{"min": [a, b]}`,
///   `{"max": [a, b]}`, `{"clamp": [x, low, high]}`, `{"remap": [x, from low, from high, to low, to high]}`; nested up
///   to 8 deep. They are computed parameters (control.h, lmb_computed_kind). If all inputs are constant, it is
///   a constant. A parameter inside has the default 0 and the range 0 to 1 if no use states them.
/// - the weight of a fade, `{"fade": "NAME"}`, by the fade's name; the fade may come later in the text.
///   `{"subtract": [1, {"fade": "NAME"}]}` is the weight that the fade leaves. Not in conditions, rates and character
///   motion, which are evaluated before the weight is known.
///
/// Parameters are numbered in the order in which the text first uses them. A `time` that a clip does not state counts
/// as used at the end of that clip, and so do the parameters inside its `play`. Those in a state's transitions count as
/// used at the end of the state.
///
/// What changes over time (control.h):
///
/// - **A clip that plays**: `"play": true`, or an object, all of whose members are optional:
///
///       {"end": "ping-pong", "rate": 1, "offset": 0.1, "ended": "EVENT", "looped": "EVENT",
///        "notifies": [{"time": 0.2, "event": "step"}], "group": "locomotion",
///        "cadence": "velocity", "markers": [0.1, 0.6], "velocity": 1.4, "motion": true}
///
///   `end` is `"loop"`, `"hold"`, `"once"` or `"ping-pong"`. The player sets the clip's time, so `time`, `rate`,
///   `offset` and `loop` must not be beside `play`. A clip played `"once"` drops out if it is itself the pose of a
///   state; anywhere else it stays at its end. Clips with the same `group` stay in phase. The first in the text leads.
///   Only the leader may have a `rate` and a `cadence`; the cadence says how the group's rate is found (lmb_cadence):
///   `"default"`, `"duration"` or `"velocity"`. `"velocity"` requires a velocity of each clip: its `velocity`, or a
///   `motion` that travels. No field states the weight of a clip: it follows from the poses that contain the clip
///   (control.h, "Weights of clips").
/// - **Motion**: `"motion": true` extracts the root motion of joint 0 from the clip (root_motion.h). The rest of the
///   clip is played, and the root motion moves the character.
///   `"motion": {"joint": "Hips", "axes": "xz", "yaw": true, "rate": 30}` replaces values of
///   lmb_default_root_motion_def(). `"motion": [[0, 0, 0, 0], [0, 0, 1.4, 0]]` gives the track of a clip that has none:
///   x, y, z, and yaw in radians of each key. Clips without their root motion are copies at the end of the descriptor's
///   clips; they live as long as this object.
/// - **Character motion**: `"character-motion"` in the outermost object is `true`, or an object with the fields of
///   lmb_motion_def, all optional: `{"velocity": [0, 0, {"param": "speed"}], "heading": {"param": "heading"},
///   "acceleration": 4, "deceleration": 6, "turn-rate": 3}`, in units and radians a second. The motion of any clip adds
///   a character motion, too. If there is one, the `velocity` of clips also moves the character. The parameters in it
///   count as used after all others.
///
///   `"actual-velocity": [null, null, "pace"]` names, for x, y and z, the parameters to which it writes the velocity
///   that it has reached (lmb_motion_def.velocity_parameters), or null. `{"param": "pace"}` then reads it, in a
///   condition or in a `space1d`, and everywhere a parameter may be used except with `smooth`, and except in the
///   character motion's own fields. As with everything that a control writes, the host must not set it.
/// - **A machine**, whose states contain any poses, including further machines, to a depth of 4:
///
///       {"op": "machine", "name": "jump", "states": [
///         {"name": "stand", "pose": {"op": "clip", "clip": "Stand"},
///          "transitions": [{"to": "crouch", "event": "JUMP_PRESS", "fade": 0.1}]},
///         {"name": "crouch", "pose": {"op": "clip", "clip": "Crouch"}, "entry": "crouched",
///          "transitions": [{"to": "stand", "end": true, "when": {">": [{"param": "speed"}, 0.5]}}]}],
///        "any": [{"to": "stand", "event": "RESET", "priority": 1}]}
///
///   The first state is the initial one, unless `initial` names another. lmb_machine_def has the initial state first,
///   then the others in their order. A state has a unique `name`, a `pose`, and optionally `restart` (false), `entry`
///   and `exit` (events emitted) and `transitions`.
///
///   A transition must have `to`, and one or more of `event`, `end` (true), `after` (seconds) and `when` (a condition).
///   Optional are `fade` (0.2 seconds), `curve` (`"smoothstep"`, any except a Bezier), `kind` (`"smooth"`, `"frozen"`
///   or `"inertialized"`), `profile` (a mask that scales the fade's time for each joint: control.h, "Blend profiles";
///   not with `"inertialized"`) and `priority` (0). Transitions in `any` leave every state except their own target. If
///   any transition is inertialized, the outermost pose is inertialized (inertia.h), by five parameters behind all
///   others. The offset then decays for the whole character, even if the machine moves only some joints.
///
///   A clip inside a state that has neither `time` nor `play` plays, from its `offset` on, at its `rate`. It holds its
///   end if its `loop` is false or a transition of its state has `end`; else it loops. The end of the state is the end
///   of the first clip that plays in it; clips in a machine inside the state do not count. A machine without a name has
///   that of its state, or else "machine".
///
///   Warnings name states to which no transition leads. They also name states that lead to each other without an event
///   under the same conditions: these would switch #LMB_MAX_TRANSITIONS_A_FRAME times in each frame.
/// - **A fade** replaces the number where one pose is weighted: the `weight` of a `blend`, `masked` or `partial`
///   (weights the pose `b`), of an `additive` (weights `add`) or of an input; the `fade` of a layer; the `factor` of a
///   `scale`. Events then fade the pose in and out, for instance in layers of any priority:
///
///       {"op": "layers", "inputs": [
///         {"pose": {"op": "clip", "clip": "Walk", "play": true}},
///         {"pose": {"op": "clip", "clip": "Wave"}, "priority": 1,
///          "fade": {"in": "WAVE", "out": "STOP", "at-end": true, "seconds": 0.3, "out-seconds": 0.5}}]}
///
///   The weight is 0 until `in` is sent, and then goes to 1. It goes back to 0 at the first of these that are given:
///   the event `out`; with `at-end` true, the end of the first clip that plays in the pose; `after` this many seconds.
///   Only `in` is required. The others are `seconds` (0.2) for both directions, `out-seconds` if fading out takes
///   another time, `curve` (`"smoothstep"`, any except a Bezier), `restart` (false), `initial` (`"out"`, or `"in"`: it
///   begins with 1), and `name` (default: the event `in`), by which `{"fade": "NAME"}` reads the weight. A fade that is
///   interrupted continues from its present weight, without a jump, and takes its full time again. A second `in` does
///   nothing, except with `restart`: then the pose begins anew. `out` may be the same event as `in`, which then
///   alternates.
///
///   A fade is a machine of two states, `out` and `in`. So clips in the pose play as in a state: they begin at their
///   offsets when it is faded in from 0, and do not move while the weight is 0. They hold their end if `at-end` is
///   true. Machines inside begin anew. A fade counts for the depth of machines. Inside a state of a machine it takes
///   events only while that state is current, and when that state begins anew, so does the fade, as `initial` says.
/// - **A condition** is `{"<": [a, b]}` with two values, and the same for `<=`, `>`, `>=` and `==`; or
///   `{"and": [CONDITION, ...]}`, `{"or": [CONDITION, ...]}`; at most 16 of all these. Instead of a value, a may be
///   `{"phase": "Walk"}`, a clip's time divided by its duration, or `{"remaining": "Walk"}`, the seconds to its end.
///   The clip is the first of this name that plays in the state that the transition leaves, machines inside it
///   included. `true` instead of a name stands for the clip whose end is the state's end. b is then a constant, from 0
///   to 1 or to the clip's duration; lmb_term says when the condition is seen.
/// - **A smoothed parameter**, `{"param": "speed", "smooth": 0.2}`, follows the parameter with this half-life in
///   seconds (lmb_smoothed_def).
/// - **Events** are names, numbered in the order in which the text first uses them; `"END"` is not an event. At most
///   `"max-emitted-events"` (8) events of a character are reported in a frame; it is in the outermost object, 1 to
///   #LMB_MAX_EMITTED_EVENTS.
/// - **Updates** are in the outermost object. `"update-every": 4`, from 1 to 16 or a parameter that is not computed,
///   updates a character only once in this many frames. With `"interpolate-updates": true` it continues to move between
///   them (control.h, "Updates").
///
/// Everything is checked before anything is built, and every mistake is reported with its position: unknown operations,
/// fields, clips, poses, joints, channels and curves, fields that are missing or given twice, wrong types and ranges,
/// too many inputs, and poses nested deeper than the graph can hold.
#ifndef LIMBER_GRAPH_JSON_H
#define LIMBER_GRAPH_JSON_H

#include <limber/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A graph that was read from a text, and what its descriptor refers to.
typedef struct lmb_graph_json lmb_graph_json;

/// A text, and the rig, clips and static poses that it may use.
typedef struct lmb_graph_source {
    const char *text; ///< JSON, UTF-8; need not be terminated
    size_t size;
    const char *name;   ///< begins each message, for example a file's name. NULL means "graph"
    const lmb_rig *rig; ///< must outlive the lmb_graph_json
    /// The text may name them. They must outlive the lmb_graph_json; the array itself need not. May be NULL if there
    /// are none.
    const lmb_clip *const *clips;
    uint32_t clip_count;
    /// The text names them; of several of one name the first is taken. They must outlive the lmb_graph_json. May be
    /// NULL if there are none.
    const lmb_static_pose_def *static_poses;
    uint32_t static_pose_count;
} lmb_graph_source;

/// One mistake in a text.
typedef struct lmb_graph_problem {
    char path[200];  ///< in the document, "base.inputs[1].pose.clip"; "" for all of it; the end of a path that is long
    uint32_t line;   ///< from 1
    uint32_t column; ///< in bytes, from 1
    char message[240];
} lmb_graph_problem;

#define LMB_MAX_GRAPH_PROBLEMS 32u

/// The mistakes in a text.
typedef struct lmb_graph_problems {
    uint32_t count; ///< all that were found; only the first #LMB_MAX_GRAPH_PROBLEMS are in the list
    lmb_graph_problem
        list[LMB_MAX_GRAPH_PROBLEMS]; ///< in the order of the text; those that concern several places are last
} lmb_graph_problems;

/// Reads and checks a text.
///
/// `problems` may be NULL; it is written in any case. Fails with #LMB_ERROR_FORMAT if there is a problem (the message
/// is the first one, and says how many more there are), #LMB_ERROR_ARGUMENT if something that is not optional is NULL,
/// #LMB_ERROR_LIMIT if its content would take too much memory, #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_graph_json_read(const lmb_graph_source *source, const lmb_host *host, lmb_graph_json **graph,
                                       lmb_graph_problems *problems, lmb_error *error);
/// Destroys a graph that was read. NULL is allowed.
LMB_API void lmb_graph_json_destroy(lmb_graph_json *graph);

/// Returns the descriptor, for lmb_graph_create(). To change something, change a copy.
///
/// It lives as long as this object. Graphs created from it do not need it.
LMB_API const lmb_graph_def *lmb_graph_json_def(const lmb_graph_json *graph);

/// Returns the number of warnings: what is allowed, but probably a mistake.
LMB_API uint32_t lmb_graph_json_warning_count(const lmb_graph_json *graph);
/// Returns a warning, which lives as long as the lmb_graph_json.
LMB_API const lmb_graph_problem *lmb_graph_json_warning_at(const lmb_graph_json *graph, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
