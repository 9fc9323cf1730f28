// The mannequin and its clips, for suites that read graphs for it. They link limber-mannequin.
#ifndef LIMBER_TESTS_SUPPORT_FIGURE_H
#define LIMBER_TESTS_SUPPORT_FIGURE_H

#include "mannequin.h"

static mannequin *figure;
static const lmb_clip *figure_clips[MANNEQUIN_CLIP_COUNT];

static inline int figure_start(void **state) {
    (void)state;
    const bool is_made = mannequin_create(NULL, &figure, NULL) == LMB_OK;
    for (uint32_t i = 0; i < MANNEQUIN_CLIP_COUNT && is_made; i++) {
        figure_clips[i] = mannequin_clip(figure, (mannequin_clip_id)i);
    }
    return is_made ? 0 : -1;
}

static inline int figure_finish(void **state) {
    (void)state;
    mannequin_destroy(figure);
    return 0;
}

#endif
