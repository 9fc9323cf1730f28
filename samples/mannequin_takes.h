/// @file mannequin_takes.h
/// Long takes for motion matching: a mannequin that starts and stops, walks straight and in arcs, turns sharply and in
/// place, sidesteps, walks back and runs, as orders say that a seed draws.
#ifndef LIMBER_SAMPLES_MANNEQUIN_TAKES_H
#define LIMBER_SAMPLES_MANNEQUIN_TAKES_H

#include "mannequin.h"

#include <limber/root_motion.h>

/// A clip without its root motion, and the root motion. Immutable.
typedef struct mannequin_take mannequin_take;

/// Creates a take of so many seconds, 1 to 600, for the rig of a mannequin. A foot that stands keeps its place on the
/// ground. If the rig has the channels of mannequin_create_with_takes(), they say when. The same seed gives the same
/// take. Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_MEMORY. The clips of
/// mannequin_create_with_takes() are these, and their root moves.
lmb_result mannequin_take_create(const lmb_rig *rig, uint32_t seed, float seconds, const lmb_host *host,
                                 mannequin_take **take, lmb_error *error);
/// Does nothing if `take` is NULL.
void mannequin_take_destroy(mannequin_take *take);

/// It does not loop. Its name is "take 1" for the seed 1, and so on.
const lmb_clip *mannequin_take_clip(const mannequin_take *take);
/// Over the duration of the clip: x, y, z and yaw, from 0 on.
const lmb_motion_track *mannequin_take_motion(const mannequin_take *take);

#endif
