#include "ticks_functions.h"

#define LMB_SIMD_WIDTH 4
#include "math/inline_ops.h"

#include "../../shaders/ops/ticks.h"

static ticks load(const uint64_t a[TICKS_LANES]) {
    ticks t = {ALL_WORD(0u), ALL_WORD(0u)};
    for (int lane = 0; lane < TICKS_LANES; lane++) {
        LANE(t.low, lane) = (uint32_t)a[lane];
        LANE(t.high, lane) = (uint32_t)(a[lane] >> 32);
    }
    return t;
}

static void store(ticks t, uint64_t to[TICKS_LANES]) {
    for (int lane = 0; lane < TICKS_LANES; lane++) {
        to[lane] = (uint64_t)LANE(t.high, lane) << 32 | LANE(t.low, lane);
    }
}

void ticks_of_lanes(ticks_lanes *lanes) {
    const ticks a = load(lanes->a), b = load(lanes->b);
    const word factor = b.low;
    store(add_ticks(a, b), lanes->sum);
    store(subtract_ticks(a, b), lanes->difference);
    store(scale_ticks(a, factor), lanes->scaled);
    store(part_of_ticks(a, factor), lanes->part);
    const lane_mask less = ticks_less(a, b);
    const ticks_quotient q = divide_ticks(a, b);
    const word share = share_of_ticks(a, b);
    const real number = real_of_fine(a);
    store(q.rest, lanes->rest);
    for (int lane = 0; lane < TICKS_LANES; lane++) {
        lanes->less[lane] = LANE(less, lane) != 0;
        lanes->times[lane] = LANE(q.times, lane);
        lanes->share[lane] = LANE(share, lane);
        lanes->real[lane] = LANE(number, lane);
    }
}
