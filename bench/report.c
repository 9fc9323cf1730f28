// Prints results as a table or as JSON.
#include "report.h"

#include "json.h"
#include "operations.h"
#include "terminal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void print_text(const char *text) {
    json json = {.stream = stdout};
    json_text(&json, NULL, text);
}

static void print_date(void) {
    char date[32] = "";
    time_t now = time(NULL);
    struct tm *utc = gmtime(&now);
    if (utc != NULL) {
        strftime(date, sizeof date, "%Y-%m-%d", utc);
    }
    print_text(date);
}

void report_begin(report *report) {
    if (report->json) {
        terminal_print("{\"context\":{\"date\":");
        print_date();
        terminal_print(",\"compiler\":");
#ifdef __clang__
        print_text(__VERSION__);
#else
        print_text("GCC " __VERSION__);
#endif
        terminal_print(",\"limits\":[");
    } else {
        terminal_print("%-42s %14s %26s\n", "measured limits", "copy GB/s", "10^9 operations/s");
    }
}

void report_limits(report *report, const char *backend, const limits *limits) {
    if (report->json) {
        terminal_print("%s\n  {\"backend\":", report->limits > 0 ? "," : "");
        print_text(backend);
        terminal_print(",\"copied_bytes_per_second\":%.6g,\"operations_per_second\":%.6g}", limits->copied,
                       limits->operations);
    } else {
        terminal_print("%-42s %14.2f %26.2f\n", backend, limits->copied * 1e-9, limits->operations * 1e-9);
    }
    report->limits++;
    fflush(stdout);
}

void report_scene(report *report, const scene *scene) {
    if (report->json) {
        return;
    }
    terminal_print("\n%s, %s clips%s, %u joints, floor of %u bytes of palette and %.0f operations a character\n",
                   workload_kind_name(scene->workload), actor_kind_name(scene->clips),
                   scene->compressed ? " compressed" : "", (unsigned)scene->joints,
                   (unsigned)(scene->joints * sizeof(lmb_affine)),
                   operations_of(scene->workload, scene->clips, scene->compressed) * scene->joints);
    terminal_print("%-42s %10s %14s %22s %10s %10s %9s", "backend", "characters", "us a character", "quartiles",
                   "us to copy", "us to add", "of floor");
    if (workload_kind_has_control(scene->workload)) {
        terminal_print(" %10s %9s %14s", "us control", "us poses", "control/poses");
    }
    if (workload_kind_base(scene->workload) != scene->workload) {
        terminal_print(" %10s %9s", "us more", "of this");
    }
    terminal_print("\n");
}

// Starts the list of results before the first result, or at the end if there are none.
static void begin_results(const report *report) {
    if (report->results == 0) {
        terminal_print("\n]},\n\"benchmarks\":[");
    }
}

static void print_parts(const report *report, const measurement *measured) {
    double share = measured->control / measured->poses;
    if (report->json) {
        terminal_print(",\"control_us\":%.6g,\"pose_us\":%.6g,\"control_share\":%.6g", measured->control,
                       measured->poses, share);
    } else {
        terminal_print(" %10.3f %9.3f %12.2f %%", measured->control, measured->poses, 100.0 * share);
    }
}

// What the workload takes more than the four clips alone, and its share of the whole.
static void print_more(const report *report, const measurement *measured) {
    const double share = measured->more / measured->median;
    if (report->json) {
        terminal_print(",\"more_us\":%.6g,\"more_share\":%.6g", measured->more, share);
    } else {
        terminal_print(" %10.3f %7.1f %%", measured->more, 100.0 * share);
    }
}

void report_result(report *report, const scene *scene, const backend *backend, const measurement *measured) {
    double copy = (double)workload_output_bytes(backend->workload) * 1e6 / backend->limits.copied;
    double arithmetic = operations_of(scene->workload, scene->clips, scene->compressed) * scene->joints * 1e6 /
                        backend->limits.operations;
    double floor = copy > arithmetic ? copy : arithmetic;
    if (report->json) {
        begin_results(report);
        terminal_print("%s\n  {\"backend\":", report->results > 0 ? "," : "");
        print_text(backend->name);
        terminal_print(",\"workload\":\"%s\",\"clips\":\"%s\",\"compressed\":%s,\"joints\":%u,\"characters\":%u,"
                       "\"us_per_character\":%.6g,\"low\":%.6g,\"high\":%.6g,\"samples\":%u,\"copy_floor_us\":%.6g,"
                       "\"arithmetic_floor_us\":%.6g,\"share_of_floor\":%.6g",
                       workload_kind_name(scene->workload), actor_kind_name(scene->clips),
                       scene->compressed ? "true" : "false", (unsigned)scene->joints, (unsigned)backend->characters,
                       measured->median, measured->low, measured->high, (unsigned)measured->samples, copy, arithmetic,
                       floor / measured->median);
    } else {
        terminal_print("%-42s %10u %14.3f %10.3f to %8.3f %10.3f %10.3f %7.2f %%", backend->name,
                       (unsigned)backend->characters, measured->median, measured->low, measured->high, copy, arithmetic,
                       100.0 * floor / measured->median);
    }
    if (measured->poses > 0.0) {
        print_parts(report, measured);
    }
    if (backend->base != LMB_NONE) {
        print_more(report, measured);
    }
    if (report->json) {
        terminal_print("}");
    } else {
        terminal_print("\n");
    }
    report->results++;
    fflush(stdout);
}

void report_skipped(const scene *scene, uint32_t characters, const char *backend, const char *why) {
    terminal_error("limber-bench: left out: %s, %s, %u characters", workload_kind_name(scene->workload),
                   actor_kind_name(scene->clips), (unsigned)characters);
    terminal_error(", %s: %s\n", backend, why);
}

void report_end(report *report) {
    if (report->json) {
        begin_results(report);
        terminal_print("\n]}\n");
    }
}
