// What the parts of limber-lab share: the device, small kernels, and the pace of the device's clock.
#ifndef LIMBER_BENCH_LAB_LAB_H
#define LIMBER_BENCH_LAB_LAB_H

#include "device_timer.h"

typedef struct lab {
    device device;
    device_timer timer;
    bool is_processor;     // the device is one
    bool is_short;         // few characters and turns
    double seconds;        // for each row of frames
    VkShaderModule module; // of small.comp
    VkPipelineLayout layout;
    VkPipeline pacer;
    double best_pace; // the shortest that was seen
} lab;

// Opens the device by its name or index; NULL picks the best.
void lab_open(const char *name, lab *lab);
void lab_close(lab *lab);

// End the program with a message after a failure: all rows that are known have been printed then.
void lab_require(lmb_result result, const char *what, const lmb_error *error);
void lab_require_vulkan(VkResult result, const char *call);

// What a small kernel does.
typedef enum small_mode {
    SMALL_NOTHING,
    SMALL_ARITHMETIC,     // SMALL_OPERATIONS dependent multiplications and additions a turn
    SMALL_LOAD_WORKGROUP, // dependent loads from workgroup memory, one a turn
    SMALL_LOAD,           // dependent loads from `words`, one a turn; all invocations load the same word
    SMALL_BARRIER,        // barriers of the workgroup, one a turn
    SMALL_RESIDENT,       // counts the workgroups that are resident, and keeps their maximum in counters[1]
    SMALL_FILL            // writes the chain that SMALL_LOAD follows
} small_mode;

enum { SMALL_OPERATIONS = 32 };

// Matches the push constants of small.comp.
typedef struct small_push {
    VkDeviceAddress words, counters;
    uint32_t mode; // small_mode
    uint32_t turns;
    uint32_t mask;   // words of a chain, a power of two, less 1
    uint32_t stride; // words from one element of the chain to the next, odd: the chain visits every word
    uint32_t start;  // the first element
    float factor, term;
} small_push;

// Creates small.comp's pipeline for workgroups of so many invocations, with so many words of workgroup memory.
VkPipeline small_kernel_create(lab *lab, uint32_t invocations, uint32_t workgroup_words);
void small_kernel_destroy(const lab *lab, VkPipeline pipeline);

// The pace: the seconds of a small kernel whose time depends on the device's clock alone. The clock of a GPU falls
// within a second when it has nothing to do, and rises again within tens of milliseconds. Processors have no pace:
// these functions do nothing, and the pace holds.
double pace_take(lab *lab);
// Keeps the device busy until its pace has been the best for a while, at most two seconds.
void pace_raise(lab *lab);
// Returns whether the clock was as high as it was at its best.
bool pace_holds(const lab *lab, double pace);

#endif
