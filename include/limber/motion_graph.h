/// @file motion_graph.h
/// @ingroup clips
/// Motion graphs: a machine that nobody authors, found in clips.
///
/// After Kovar, Gleicher and Pighin, "Motion Graphs" (2002). The moments of all takes are compared with each other.
/// Where two are alike, a **transition** may lead from one to what follows the other. Of the moments that all can reach
/// each other, the largest set is kept, so that a walk over the graph never ends. Takes are cut into **parts** where
/// transitions begin and end: the states of a machine.
///
/// This is for tools: it takes seconds, and much memory for a while. `limber motion-graph` writes the machine as JSON.
///
/// **Distance.** A moment has a window: the moments that follow it, lmb_motion_graph_def.window seconds with itself. A
/// window is a cloud of the positions of all joints at all its moments, on the ground that the character moves over.
/// The distance of two windows is the root mean square of the distances between corresponding points, weighted by
/// joints, after the second window was turned about y and moved along x and z so that this is smallest. The heights of
/// both count from the character's own at the first moment. With a and b the sums, over the points less their weighted
/// means, of x x' + z z' and of x z' - z x', the best turn of the second window is that of the direction (a, b), and
/// the mean of the products is then the length of (a, b). Distances are float64, rounded to float.
///
/// A transition leaves its first moment and enters the second one. It is meant to be inertialized: nothing is blended,
/// so both windows may be those that follow.
#ifndef LIMBER_MOTION_GRAPH_H
#define LIMBER_MOTION_GRAPH_H

#include <limber/motion_database.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup clips
/// @{

#define LMB_MAX_MOTION_GRAPH_MOMENTS 32768u ///< of all takes
#define LMB_MAX_MOTION_MAP 4096u            ///< cells of a map along a side

/// What a motion graph is made of. Start from lmb_default_motion_graph_def().
typedef struct lmb_motion_graph_def {
    const lmb_rig *rig;
    const lmb_motion_take *takes; ///< tags and ranges do not count
    uint32_t take_count;          ///< 1 to #LMB_MAX_MOTION_TAKES
    float rate;                   ///< moments a second, 1 to #LMB_MAX_MOTION_RATE
    float window;                 ///< seconds, above 0, at most #LMB_MAX_MOTION_SECONDS; rounded to whole moments
    float threshold;              ///< transitions have a smaller distance; above 0
    /// How much a joint counts, by rig index, from 0, one of them above; NULL: all the same, extra joints not at all
    /// (lmb_joint_def.is_extra).
    const float *joint_weights;
    /// A transition continues the character's own motion, so what jumps is the pose in the character's frame
    /// (lmb_motion_transition.jump), which the inertialization has to hide. Transitions jump by at most this; from 0.
    float max_jump;
    /// Most parts, from 2; 0: any number. If there are more, transitions are removed, those with the largest distance
    /// first: as long as possible only such without which every moment can still be reached.
    uint32_t max_parts;
    uint32_t max_transitions; ///< likewise, from 1; 0: any number
    /// Written if not NULL: float [map_size][map_size], the smallest distance in each cell of the matrix of all
    /// moments, in the order of takes and times. Rows are left, columns are entered. Infinity where no window begins.
    float *map;
    uint32_t map_size; ///< up to #LMB_MAX_MOTION_MAP
} lmb_motion_graph_def;

/// No rig or takes; 30 moments a second, windows of 1/3 s, a threshold of 0.1, jumps up to 0.2, any number of parts and
/// transitions, no map.
LMB_API lmb_motion_graph_def lmb_default_motion_graph_def(void);

/// Measures how far apart a joint is at the beginning and at the end of a clip without its root motion, at most: a take
/// with a small gap may loop. `host` provides temporary memory and may be NULL. Fails with #LMB_ERROR_ARGUMENT and
/// #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_motion_take_measure_gap(const lmb_rig *rig, const lmb_clip *clip, const lmb_host *host,
                                               float *gap, lmb_error *error);

/// A motion graph. It does not change once created.
typedef struct lmb_motion_graph lmb_motion_graph;

/// Makes a motion graph. Rig, takes and clips are not needed afterwards. The same takes give the same graph on every
/// processor.
///
/// A minimum is a distance below the threshold such that no neighbour in the matrix of moments is smaller. Beyond the
/// ends of a take there are no neighbours, not even of a loop. Left out are minima that jump by more than `max_jump`,
/// and those that lead to less than a window before or after themselves in the same take. The others become transitions
/// in ascending order of their distances. One is left out if both its moments are within a window of those of one
/// before it; here a loop goes on at its beginning. A step leads from a moment to the one after it. After a transition
/// comes the step from the moment that it enters. The largest set of steps that reach each other is kept, with the
/// moments at their ends.
///
/// Time grows with the square of the moments. Temporary memory is about 24 bytes times moments and joints.
///
/// Fails with #LMB_ERROR_ARGUMENT: the message names the take or the member and why; also if no moment can be reached
/// again, which a higher threshold or a loop may change; #LMB_ERROR_LIMIT: too many takes or moments;
/// #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_motion_graph_create(const lmb_motion_graph_def *def, const lmb_host *host,
                                           lmb_motion_graph **graph, lmb_error *error);
/// NULL is allowed.
LMB_API void lmb_motion_graph_destroy(lmb_motion_graph *graph);

/// A part of a take, which plays without a gap.
typedef struct lmb_motion_part {
    uint32_t take;
    float start, end; ///< seconds in the clip, `start` below `end`
    uint32_t next;    ///< the part that follows in the take; or #LMB_NONE, if only transitions follow
    uint32_t first_transition, transition_count; ///< those that leave at its end
} lmb_motion_part;

/// A transition from the end of a part to the beginning of one.
typedef struct lmb_motion_transition {
    uint32_t from, to; ///< parts
    float distance;
    /// The root mean square, weighted by joints, of the distances between the joints at both moments, each in its
    /// character's frame (lmb_motion_take.motion).
    float jump;
} lmb_motion_transition;

/// How much of a take is in the graph.
typedef struct lmb_motion_graph_take {
    uint32_t moments;
    uint32_t kept; ///< of these
    /// A threshold just above which moments of the take are kept, without a limit of parts; 0 if some are kept. The
    /// lowest one, unless other takes join and leave below it. It is searched from the threshold up to ten times that;
    /// infinity beyond.
    float joining_threshold;
} lmb_motion_graph_take;

/// What a graph has.
typedef struct lmb_motion_graph_content {
    /// In the order of takes and times. At least one; every part can be reached from every other.
    const lmb_motion_part *parts;
    uint32_t part_count;
    uint32_t transition_count;
    const lmb_motion_transition *transitions; ///< in the order of the parts that they leave, then of their distances
    const lmb_motion_graph_take *takes;       ///< lmb_motion_graph_def.take_count
    /// Minima below the threshold that may be transitions, none near a smaller one (lmb_motion_graph_create()). Some
    /// may lead out of what is kept.
    uint32_t minimum_count;
} lmb_motion_graph_content;

/// Returns what a graph has. It lives as long as the graph.
LMB_API const lmb_motion_graph_content *lmb_motion_graph_get_content(const lmb_motion_graph *graph);

/// What a walk over a motion graph follows. Start from lmb_default_motion_walk_def().
///
/// A search appends parts, after each its `next` or one to which a transition leads, until a walk is `look_ahead`
/// seconds long or at the end of the path. Of these walks it takes the one with the lowest cost until then. Its first
/// parts are kept, as many as last `keep` seconds, and the next search goes on behind them. Less than `settle` seconds
/// after a transition only `next` follows, if there is one: an inertialization needs time.
///
/// **Cost.** The moments of a part are those after its beginning, 1 / rate seconds apart (lmb_motion_graph_def.rate),
/// and its end, which takes the place of one less than a twentieth of that before it. At each moment the character has
/// travelled a length. It grows by how far the character has moved along x and z since the moment before, at least by
/// `progress` times the seconds between: so one that stands still is left behind. The cost is the sum, over moments,
/// of the squared distance between the character and the point of the path at the travelled length. Beyond the length
/// of the path that is its last point.
typedef struct lmb_motion_walk_def {
    const lmb_motion_graph *graph;
    /// Those that the graph was made of: as many, whose clips last as long. Clips, motions and velocities count.
    const lmb_motion_take *takes;
    uint32_t take_count;
    const float *path;    ///< [point_count][2]: x and z of its points, joined by lines; longer than 0
    uint32_t point_count; ///< 2 to #LMB_MAX_MOTION_WALK_POINTS
    float position[3];    ///< where the walk begins
    float yaw;            ///< and its heading there, in radians: at 0 z is forward, a quarter turn leads to x
    uint32_t first_part;  ///< or #LMB_NONE: the best one
    float look_ahead;     ///< seconds, above 0, at most #LMB_MAX_MOTION_SECONDS; rounded to moments, at least one
    float keep;           ///< likewise, at most `look_ahead`
    float settle;         ///< seconds, 0 to #LMB_MAX_MOTION_SECONDS; rounded to moments
    float progress;       ///< units a second, above 0
    /// At all moments of its parts a walk is at most so far from its point of the path; above 0.
    float tolerance;
    uint32_t max_appended; ///< parts that a search appends, from 1: then it takes the best walk that it has found
    uint32_t max_steps;    ///< of the walk, 1 to #LMB_MAX_MOTION_WALK_STEPS
} lmb_motion_walk_def;

#define LMB_MAX_MOTION_WALK_POINTS 65536u
#define LMB_MAX_MOTION_WALK_STEPS 65536u

/// No graph, takes or path; from the origin along z, with the best part; 2 seconds ahead, of which 0.5 are kept; 0.25
/// seconds to settle, a progress of 0.1, a tolerance of 1; 200000 appended parts a search, 4096 steps.
LMB_API lmb_motion_walk_def lmb_default_motion_walk_def(void);

/// Why a walk ends.
typedef enum lmb_motion_walk_end {
    LMB_MOTION_WALK_ARRIVED, ///< it has travelled the path's length, and is at most `tolerance` from the path's end
    LMB_MOTION_WALK_LOST,    ///< no walk stays within the tolerance
    LMB_MOTION_WALK_LIMITED  ///< `max_steps`; or `max_appended` parts, before a search has found a walk
} lmb_motion_walk_end;

/// A part in a walk.
typedef struct lmb_motion_walk_step {
    uint32_t part;
    float time;        ///< seconds since the walk began at which the part begins
    float position[3]; ///< there
    float yaw;         ///< radians, from -pi to pi
} lmb_motion_walk_step;

/// A moment of a walk.
typedef struct lmb_motion_walk_moment {
    float time;        ///< seconds since the walk began
    float position[2]; ///< x and z
    float deviation;   ///< distance from the point of the path
} lmb_motion_walk_moment;

/// How a walk ends, and how near to the path it is.
typedef struct lmb_motion_walk_summary {
    lmb_motion_walk_end end;
    float time;                           ///< seconds to the end of the walk, which may be within its last part
    float position[3], yaw;               ///< there
    float travelled;                      ///< the length, as it counts for the path
    float path_length;                    ///< of all
    float mean_deviation, most_deviation; ///< distances from the point of the path, over all moments of the walk
    uint32_t searches, cut_searches;      ///< those of them that `max_appended` ended
    uint64_t appended;                    ///< by all searches
} lmb_motion_walk_summary;

/// A walk over a motion graph. It does not change once created.
typedef struct lmb_motion_walk lmb_motion_walk;

/// Finds a walk that follows a path on the ground: a search by branch and bound, after Kovar, Gleicher and Pighin, that
/// is extended piece by piece. No walk has a lower cost than what a search finds, unless `max_appended` ends it. The
/// graph, takes and path are not needed afterwards. The same walk is found on every processor.
///
/// A walk that gets lost or reaches a limit is a success, too: what was kept is there, perhaps no step.
///
/// Fails with #LMB_ERROR_ARGUMENT: the message names the member or the take and why; #LMB_ERROR_LIMIT: too many points;
/// #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_motion_walk_create(const lmb_motion_walk_def *def, const lmb_host *host, lmb_motion_walk **walk,
                                          lmb_error *error);
/// NULL is allowed.
LMB_API void lmb_motion_walk_destroy(lmb_motion_walk *walk);

/// What a walk has.
typedef struct lmb_motion_walk_content {
    const lmb_motion_walk_step *steps; ///< each plays from its beginning to its end, the last one until the walk ends
    uint32_t step_count;
    uint32_t moment_count;
    const lmb_motion_walk_moment *moments; ///< all of the walk, to draw it
    lmb_motion_walk_summary summary;
} lmb_motion_walk_content;

/// Returns what a walk has. It lives as long as the walk.
LMB_API const lmb_motion_walk_content *lmb_motion_walk_get_content(const lmb_motion_walk *walk);

/// @}

#ifdef __cplusplus
}
#endif

#endif
