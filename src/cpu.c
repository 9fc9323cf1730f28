#include "environment.h"
#include "host.h"
#include "program.h"
#include "reference.h"

#include <limber/cpu.h>

struct lmb_cpu {
    lmb_host host;
    const lmb_program *program;
    lmb_affine *models; // [joint]
};

lmb_result lmb_cpu_create(const lmb_program *program, const lmb_host *host, lmb_cpu **cpu, lmb_error *error) {
    if (program == NULL || cpu == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: %s is NULL", program == NULL ? "the program" : "the result");
    }
    *cpu = NULL;
    lmb_host resolved = lmb_host_resolve(host);
    lmb_cpu *created = lmb_host_allocate(&resolved, 1, sizeof *created);
    lmb_affine *models = lmb_host_allocate(&resolved, program->joint_count, sizeof *models);
    if (created == NULL || models == NULL) {
        lmb_host_release(&resolved, created);
        lmb_host_release(&resolved, models);
        return lmb_fail(error, LMB_ERROR_MEMORY, "cpu: no memory for %u joints", (unsigned)program->joint_count);
    }
    *created = (lmb_cpu){.host = resolved, .program = program, .models = models};
    *cpu = created;
    return LMB_OK;
}

void lmb_cpu_destroy(lmb_cpu *cpu) {
    if (cpu == NULL) {
        return;
    }
    lmb_host host = cpu->host;
    lmb_host_release(&host, cpu->models);
    lmb_host_release(&host, cpu);
}

static lmb_result check_run(const lmb_cpu *cpu, const lmb_batch *batch, const lmb_batch_inputs *inputs,
                            const lmb_batch_outputs *outputs, uint32_t first, uint32_t count, lmb_error *error) {
    if (cpu == NULL || inputs == NULL || outputs == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: %s is NULL",
                        cpu == NULL      ? "it"
                        : inputs == NULL ? "the inputs"
                                         : "the outputs");
    }
    lmb_result result = lmb_batch_check(batch, error);
    if (result != LMB_OK) {
        return result;
    }
    if (batch->program != cpu->program) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: the batch has another program");
    }
    if (first > batch->character_count || count > batch->character_count - first) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: characters %u and %u more are not in a batch of %u",
                        (unsigned)first, (unsigned)count, (unsigned)batch->character_count);
    }
    if (count > 0 && cpu->program->parameter_count > 0 && inputs->parameters == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: the parameters are NULL");
    }
    for (uint32_t i = 0; count > 0 && i < cpu->program->pose_count; i++) {
        if (inputs->poses[i] == NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: pose buffer %u is NULL", (unsigned)i);
        }
    }
    for (uint32_t i = 0; count > 0 && i < LMB_STAGE_COUNT; i++) {
        if ((batch->outputs >> i & 1u) && outputs->stages[i] == NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: the output of stage %s is NULL",
                            lmb_stage_name((lmb_stage)i));
        }
    }
    return LMB_OK;
}

lmb_result lmb_cpu_run(lmb_cpu *cpu, const lmb_batch *batch, const lmb_batch_inputs *inputs,
                       const lmb_batch_outputs *outputs, lmb_error *error) {
    return lmb_cpu_run_range(cpu, batch, inputs, outputs, 0, batch != NULL ? batch->character_count : 0, error);
}

lmb_result lmb_cpu_run_range(lmb_cpu *cpu, const lmb_batch *batch, const lmb_batch_inputs *inputs,
                             const lmb_batch_outputs *outputs, uint32_t first, uint32_t count, lmb_error *error) {
    lmb_result result = check_run(cpu, batch, inputs, outputs, first, count, error);
    if (result != LMB_OK) {
        return result;
    }
    fenv_t callers;
    lmb_environment_enter(&callers);
    lmb_reference_run(batch, inputs, outputs, first, count, cpu->models);
    lmb_environment_leave(&callers);
    return LMB_OK;
}
