// The output of limber-bench: a table, or JSON with one result per line.
#ifndef LIMBER_BENCH_REPORT_H
#define LIMBER_BENCH_REPORT_H

#include "measurement.h"
#include "options.h"

typedef struct report {
    bool json;
    uint32_t limits, results; // printed so far
} report;

void report_begin(report *report);
// Called once for each backend, before any result.
void report_limits(report *report, const char *backend, const limits *limits);
void report_scene(report *report, const scene *scene);
void report_result(report *report, const scene *scene, const backend *backend, const measurement *measured);
// Prints to stderr why a backend has no result.
void report_skipped(const scene *scene, uint32_t characters, const char *backend, const char *why);
void report_end(report *report);

#endif
