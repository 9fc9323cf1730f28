// The counts are in operations.inc, which count.sh writes from a simulated processor. They give the floor of a
// workload: the time that its arithmetic alone would take.
#include "operations.h"

typedef struct count {
    workload_kind workload;
    actor_kind clips;
    bool compressed;
    double operations;
} count;

static const count counts[] = {
#include "operations.inc"
    {WORKLOAD_KIND_COUNT, ACTOR_KIND_COUNT, false, 0.0},
};

double operations_of(workload_kind workload, actor_kind clips, bool compressed) {
    for (const count *row = counts; row->workload != WORKLOAD_KIND_COUNT; row++) {
        if (row->workload == workload && row->clips == clips && row->compressed == compressed) {
            return row->operations;
        }
    }
    return 0.0;
}
