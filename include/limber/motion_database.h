/// @file motion_database.h
/// @ingroup clips
/// Motion matching: a database of moments of clips, and the search for the one that continues what a character does and
/// best does what it should.
///
/// A **row** is a moment of a clip, 30 a second by default. It has #LMB_MOTION_FEATURES features after Holden, Kanoun,
/// Perepichka and Popa, "Learned Motion Matching" (2020): where the feet are, how they and the hips move, and where the
/// character will be. A game asks about ten times a second and for each character: of all rows, which is nearest to the
/// pose that plays and to the path that is desired? Then it plays the clip from there on, with an inertialization.
///
/// Rows and queries are whole numbers, so a search has the same result everywhere, in any order.
///
/// | features | what | group |
/// | --- | --- | --- |
/// | 0 to 2, 3 to 5 | position of the left foot, of the right foot: x, y, z | foot positions |
/// | 6 to 8, 9 to 11 | velocity of the left foot, of the right foot, over the ground | foot velocities |
/// | 12 to 14 | velocity of the hips, over the ground | hip velocity |
/// | 15 to 20 | where the character is after each of three times: x, z; x, z; x, z | path |
/// | 21 to 26 | where it then heads: sine and cosine of the heading (x, z), three times | headings |
/// | from 27 | positions or velocities of further joints, if the definition has any | each joint's |
///
/// All are in the frame of the character at that moment: its root motion (root_motion.h) until then. So z is forward
/// for a character that heads along z of its model. Positions are model positions in the clip, which no longer contains
/// the root motion. A velocity is the difference of the positions one row later and one row earlier, divided by the
/// time between them; at an end of a clip that is not a loop, the row itself takes the place of the missing one.
/// A loop goes on at its beginning, displaced by its root motion. Another clip goes on at the velocity of its last
/// 1 / rate seconds, without turning.
///
/// **Normalisation.** Each feature has its mean subtracted and is divided by the mean of the standard deviations of its
/// group, then multiplied by the group's weight. The two feet are groups of their own. Means and deviations are those
/// of all rows of the database (divided by their number). A group that does not differ counts as 0: its deviation is at
/// most 1e-5, times the largest magnitude in a position of a foot for lengths, and that times the rate for velocities.
/// The result is stored times one scale for the whole database, rounded to whole numbers, so that the largest magnitude
/// is #LMB_MAX_MOTION_FEATURE; a half is rounded up.
///
/// **Mirrored rows.** If lmb_motion_database_def.mirrored is set, each row also counts mirrored: as the row of the
/// motion reflected across the plane x = 0 of the model, with its feet exchanged. So takes that only turn left are
/// enough to turn right, too. A mirrored row is not stored: its numbers are those of the row, with the feet exchanged,
/// and with another sign in each feature along x and in each sine; features of further joints are exchanged as
/// lmb_motion_joint.mirror says. Means and deviations then are those of all rows and of the mirrored ones. Whoever
/// plays such a row mirrors the pose and the root motion of its take (#LMB_OP_MIRROR across x).
///
/// **Cost.** The sum of the squared differences of two rows' stored numbers, at most 2^31 - 1. Divided by the square of
/// lmb_motion_database_info.scale, it is the sum over normalised features.
#ifndef LIMBER_MOTION_DATABASE_H
#define LIMBER_MOTION_DATABASE_H

#include <limber/root_motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup clips
/// @{

#define LMB_MOTION_FEATURES 27u ///< of a row, without those of further joints
/// Numbers of a stored row and of a query: features, then zeros.
#define LMB_MOTION_ROW_SIZE 32u
#define LMB_MAX_MOTION_FEATURE 4095  ///< magnitude of a stored number
#define LMB_MAX_MOTION_ROWS 131072u  ///< of a database
#define LMB_MAX_MOTION_TAKES 65536u  ///< of a database
#define LMB_MAX_MOTION_RECENT 8u     ///< of a search
#define LMB_MAX_MOTION_RATE 240.0f   ///< rows a second
#define LMB_MAX_MOTION_SECONDS 10.0f ///< ahead of a row, and of the end of a take

/// A part of a take with tags of its own.
typedef struct lmb_motion_tag_range {
    float start, end; ///< seconds in the clip, `start` at most `end`; a row at either end is in the range
    uint32_t tags;    ///< bits that its rows have, too
} lmb_motion_tag_range;

/// A clip whose moments are rows. Start from lmb_default_motion_take().
typedef struct lmb_motion_take {
    /// Without its root motion (lmb_root_motion_clip()), for the rig of the database. At least two rows long.
    const lmb_clip *clip;
    /// The root motion, without `rotations`, over the duration of the clip; or NULL.
    const lmb_motion_track *motion;
    /// Without `motion`: the constant velocity of a clip in place along x, y and z.
    float velocity[3];
    bool loop;     ///< the end of the clip is followed by its beginning
    uint32_t tags; ///< bits of all its rows, of the game's choice: stand, crouch, carry
    const lmb_motion_tag_range *ranges;
    uint32_t range_count;
} lmb_motion_take;

/// No clip, no motion, no tags; not a loop.
LMB_API lmb_motion_take lmb_default_motion_take(void);

/// How much groups of features count. Start from those of lmb_default_motion_database_def().
typedef struct lmb_motion_weights {
    float foot_positions, foot_velocities, hip_velocity, path, headings; ///< 0 to 1,000
} lmb_motion_weights;

/// A further joint of which rows have features: a hand that holds a box, a head that looks up, hips that crouch. Start
/// from lmb_default_motion_joint(). Features from 27 on are those of the joints in their order, for each joint x, then
/// y, then z. The same joint may be there more than once, also a foot or the hips. The limit below which a deviation
/// counts as 0 is that of the feet, as for all lengths and velocities.
typedef struct lmb_motion_joint {
    uint32_t joint;   ///< of the rig
    bool is_velocity; ///< whether its velocity over the ground is meant, and not its position
    bool axes[3];     ///< which of x, y and z, at least one: each is a feature
    float weight;     ///< 0 to 1,000; the axes are a group
    /// Index into the definition's joints of its mirror image, which names this one in turn and has the same kind,
    /// axes and weight. Mirrored rows, and poses of queries that play mirrored, exchange the two. #LMB_NONE or its own
    /// index: itself, a joint in the middle.
    uint32_t mirror;
} lmb_motion_joint;

/// No joint; its position along all axes, weight 1, in the middle.
LMB_API lmb_motion_joint lmb_default_motion_joint(void);

/// What a database is made of. Start from lmb_default_motion_database_def().
typedef struct lmb_motion_database_def {
    const lmb_rig *rig;
    uint32_t left_foot, right_foot, hips; ///< joints of the rig; no two are the same
    const lmb_motion_take *takes;
    uint32_t take_count; ///< 1 to #LMB_MAX_MOTION_TAKES
    float rate;          ///< rows a second, 1 to #LMB_MAX_MOTION_RATE
    float times[3]; ///< seconds ahead of the path and the headings, above 0, ascending, at most #LMB_MAX_MOTION_SECONDS
    /// So many last seconds, rounded to whole rows, of a take that is not a loop are never found: it would end at once.
    /// 0 to #LMB_MAX_MOTION_SECONDS.
    float end;
    lmb_motion_weights weights;
    bool mirrored; ///< whether rows count mirrored, too: the feet must be left and right of each other
    /// Further joints, with no more features together than #LMB_MOTION_ROW_SIZE less #LMB_MOTION_FEATURES: 5.
    const lmb_motion_joint *joints;
    uint32_t joint_count;
} lmb_motion_database_def;

/// No rig, joints or takes; 30 rows a second; 1/3, 2/3 and 1 s ahead; the last 0.3 s are not found; weights 0.75 for
/// foot positions, 1.5 for headings, else 1; rows do not count mirrored; no further joints.
LMB_API lmb_motion_database_def lmb_default_motion_database_def(void);

/// A database. It does not change once created, so any number of threads may search it.
typedef struct lmb_motion_database lmb_motion_database;

/// Makes a database. Rig, takes and clips are not needed afterwards.
///
/// Rows are at 0, 1 / rate, 2 / rate and so on up to the end of a take; a loop has none at its end, which is its
/// beginning. They are sorted: first those that can be found, by tags, then along the features that differ most, so
/// that a search leaves most of them out. So their order is not that of time: lmb_motion_database_row() says which
/// moment a row is. The same takes give the same bits on every processor.
///
/// Fails with #LMB_ERROR_ARGUMENT: the message names the take and why; #LMB_ERROR_LIMIT: too many takes or rows;
/// #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_motion_database_create(const lmb_motion_database_def *def, const lmb_host *host,
                                              lmb_motion_database **database, lmb_error *error);
/// NULL is allowed.
LMB_API void lmb_motion_database_destroy(lmb_motion_database *database);

/// Creates a database from a block of lmb_motion_database_block() that comes from a file or a network.
///
/// Copies the block and checks all of it: nothing in it is trusted. `bytes` needs no alignment. The block contains
/// little-endian words. A block of another version of the format is refused: keep what it was made from. Fails with
/// #LMB_ERROR_FORMAT (message: what and why), #LMB_ERROR_ARGUMENT and #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_motion_database_open(const void *bytes, size_t size, const lmb_host *host,
                                            lmb_motion_database **database, lmb_error *error);
/// Returns the database's block, which contains no pointers and lives as long as the database. Writes its size in bytes
/// if `size` is not NULL.
LMB_API const void *lmb_motion_database_block(const lmb_motion_database *database, size_t *size);

/// A moment of a take.
typedef struct lmb_motion_row {
    uint32_t take; ///< of the definition
    float time;    ///< seconds in its clip
    uint32_t tags;
    bool can_be_found; ///< false in the last seconds of a take that is not a loop
} lmb_motion_row;

/// Returns a row; take #LMB_NONE if there is no such row.
LMB_API lmb_motion_row lmb_motion_database_row(const lmb_motion_database *database, uint32_t row);
/// Returns the row at or before a time of a take, or #LMB_NONE without such a take: the row that plays. Times before
/// the beginning take the first row, times after the end the last one, also in loops: wrap the time first.
LMB_API uint32_t lmb_motion_database_find_row(const lmb_motion_database *database, uint32_t take, float time);

/// Returns the stored numbers of a row, #LMB_MOTION_ROW_SIZE of them, which live as long as the database; NULL if there
/// is no such row.
LMB_API const int16_t *lmb_motion_database_features(const lmb_motion_database *database, uint32_t row);
/// What a database has.
typedef struct lmb_motion_database_info {
    uint32_t row_count;
    uint32_t feature_count; ///< of a row: #LMB_MOTION_FEATURES, and those of further joints
    bool is_mirrored;       ///< whether rows count mirrored, too
    float scale; ///< by how much normalised features are multiplied before they are rounded; 0 if no feature differs
} lmb_motion_database_info;

/// Returns what a database has. It lives as long as the database.
LMB_API const lmb_motion_database_info *lmb_motion_database_get_info(const lmb_motion_database *database);
/// Normalises features, in their own units, as many as a row has, as the database's are, and rounds them. Beyond the
/// range of the stored numbers they are clamped; a feature that is not a number counts as the mean. Writes
/// #LMB_MOTION_ROW_SIZE numbers.
LMB_API void lmb_motion_database_normalize(const lmb_motion_database *database, const float *features,
                                           int16_t numbers[LMB_MOTION_ROW_SIZE]);
/// Where a character is to be and to head after each of the database's times, in its own frame.
typedef struct lmb_motion_path {
    float positions[3][2]; ///< x and z
    float headings[3][2];  ///< x and z of directions of length 1: sine and cosine of the heading
} lmb_motion_path;

/// Makes a query: the pose of a row, usually of the one that plays, or of the mirrored row, and a desired path,
/// normalised as by lmb_motion_database_normalize(), but in floats: its numbers differ by at most 1. A row that does
/// not exist has the mean pose. Any database has the poses of mirrored rows, also if they do not count.
LMB_API void lmb_motion_database_query(const lmb_motion_database *database, uint32_t row, bool mirrored,
                                       const lmb_motion_path *path, int16_t query[LMB_MOTION_ROW_SIZE]);

/// How a character moves, and how it should. Start from lmb_default_desired_motion().
typedef struct lmb_desired_motion {
    float velocity[2];         ///< now: x and z in the character's frame, units of length a second
    float acceleration[2];     ///< now, likewise; 0 if it is not known
    float desired_velocity[2]; ///< likewise
    float desired_turn; ///< radians from its heading to the desired one, the short way, as yaw of root motion: z to x
    float half_life;    ///< seconds after which about half of the difference is gone, 0 to 10
} lmb_desired_motion;

/// No motion, no turn; half-life 0.27 s.
LMB_API lmb_desired_motion lmb_default_desired_motion(void);

/// Predicts the path of a query: velocity and heading approach the desired ones as critically damped springs.
///
/// With y = 2 ln 2 / half-life, d the velocity less the desired one g, k = acceleration + d y, and e = exp(-y t), after
/// t seconds the character is at g t + d (1 - e) / y + k ((1 - e) / y - e t) / y and has turned by (1 - e (1 + y t)) of
/// the desired turn. Its velocity is then g + e (d + k t), its acceleration e (acceleration - k y t) (Holden,
/// "Spring-It-On: The Game Developer's Spring-Roll-Call", 2021). Within 1e-5 of that, relative; the same bits
/// everywhere. What is not a number counts as 0.
LMB_API lmb_motion_path lmb_motion_database_path(const lmb_motion_database *database, const lmb_desired_motion *motion);

/// What to search. Start from lmb_default_motion_search_def().
typedef struct lmb_motion_search_def {
    int16_t query[LMB_MOTION_ROW_SIZE]; ///< numbers beyond +-#LMB_MAX_MOTION_FEATURE are clamped
    uint32_t required_tags;             ///< rows have all of these
    uint32_t forbidden_tags;            ///< and none of these
    uint32_t current_row;               ///< that plays, or #LMB_NONE
    bool current_is_mirrored;           ///< whether it plays mirrored
    /// By how much the current row costs less, in units of normalised features (see lmb_motion_database_info.scale),
    /// from 0: a jump must be worth it. The current row counts even if it cannot be found otherwise, and not if its
    /// tags do not fit.
    float current_bonus;
    /// Rows of the same take within so many seconds, rounded to whole rows, of the current row or of a recent one are
    /// left out, mirrored or not, except the current row itself: they would play what plays, or what was just left. In
    /// a loop, seconds go on at its other end. From 0; 0 leaves out the recent rows and the mirror of the current one.
    float window;
    uint32_t recent_rows[LMB_MAX_MOTION_RECENT]; ///< chosen shortly before; rows that do not exist do not count
    uint32_t recent_count;                       ///< more than #LMB_MAX_MOTION_RECENT count as that
} lmb_motion_search_def;

/// A query of zeros, all tags, no current row, not mirrored, its bonus 1, within 0.2 s, no recent rows.
LMB_API lmb_motion_search_def lmb_default_motion_search_def(void);

/// What a search found.
typedef struct lmb_motion_match {
    uint32_t row;  ///< #LMB_NONE if no row fits
    bool mirrored; ///< whether it is the mirrored row; false if no rows count mirrored
    uint32_t cost; ///< of the row, less the bonus (rounded down, not below 0) if it is the current one; 0 without a row
} lmb_motion_match;

/// Finds the row with the smallest cost. Of those with the same cost it is the first that is not mirrored, or else the
/// first. Any number of threads may search at once; nothing is allocated.
LMB_API lmb_motion_match lmb_motion_database_search(const lmb_motion_database *database,
                                                    const lmb_motion_search_def *def);

/// @}

#ifdef __cplusplus
}
#endif

#endif
