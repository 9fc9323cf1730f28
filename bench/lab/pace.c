// The pace of a device's clock.
#include "clock.h"
#include "lab.h"

// Enough workgroups for all of a device: its clock stays low if it has little to do.
enum { PACE_TURNS = 1000, PACE_WORKGROUPS = 4096 };

static const double tolerated = 1.04;
static const double calm_seconds = 0.05;
static const double longest_seconds = 2.0;

double pace_take(lab *lab) {
    if (lab->is_processor) {
        return 0.0;
    }
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_error error;
    double taken;
    const small_push push = {.mode = SMALL_ARITHMETIC, .turns = PACE_TURNS, .factor = 0.999f, .term = 0.001f};
    lab_require(device_begin(&lab->device, &pool, &commands, &error), "pace", &error);
    device_timer_begin(&lab->timer, commands);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, lab->pacer);
    vkCmdPushConstants(commands, lab->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vkCmdDispatch(commands, PACE_WORKGROUPS, 1, 1);
    lab_require(device_timer_submit(&lab->timer, pool, commands, &taken, &error), "pace", &error);
    lab->best_pace = taken < lab->best_pace ? taken : lab->best_pace;
    return taken;
}

bool pace_holds(const lab *lab, double pace) {
    return pace <= tolerated * lab->best_pace;
}

void pace_raise(lab *lab) {
    const double begin = clock_seconds();
    double calm = begin; // since when the pace has been the best
    double best = lab->best_pace;
    for (double now = begin; !lab->is_processor && now - calm < calm_seconds && now - begin < longest_seconds;) {
        const double pace = pace_take(lab);
        now = clock_seconds();
        calm = pace_holds(lab, pace) && pace_holds(lab, best) ? calm : now;
        best = lab->best_pace;
    }
}
