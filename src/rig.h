// A rig as the rest of the library sees it.
#ifndef LIMBER_SRC_RIG_H
#define LIMBER_SRC_RIG_H

#include "host.h"

#include <limber/rig.h>

struct lmb_rig {
    lmb_host host;
    uint32_t joint_count;
    uint32_t depth;
    uint32_t *parents;
    lmb_transform *rest;
    lmb_affine *inverse_bind;
    uint32_t *of_def; // [index in the descriptor]
    char **names;     // into `text`
    char *text;
};

#endif
