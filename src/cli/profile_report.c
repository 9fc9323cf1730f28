#include "json.h"
#include "profile.h"
#include "terminal.h"

#include <inttypes.h>

// Returns the fraction of the bandwidth floor that a side's whole frames reach at their median, or 0 if no bandwidth is
// known.
static double floor_share(const profile_report *report, const profiled_side *side) {
    double median = (double)lmb_profile_total(side->times, 0).median;
    return lmb_profile_floor_share(&report->batch, 1e9 * side->bandwidth, median);
}

static double microseconds(uint64_t nanoseconds) {
    return 1e-3 * (double)nanoseconds;
}

static void print_stages(const profile_report *report, const profiled_side *side) {
    terminal_print("\n%s\n", side->name);
    terminal_print("  %-12s %8s %12s %12s %12s %12s %14s\n", "stage", "samples", "median us", "min us", "max us",
                   "total ms", "ns a character");
    for (uint32_t stage = 0; stage < lmb_profile_stage_count(side->times); stage++) {
        const lmb_profile_totals total = lmb_profile_total(side->times, stage);
        if (total.count > 0) {
            terminal_print("  %-12s %8" PRIu64 " %12.1f %12.1f %12.1f %12.2f %14.1f\n",
                           lmb_profile_stage_name(side->times, stage), total.count, microseconds(total.median),
                           microseconds(total.min), microseconds(total.max), 1e-3 * microseconds(total.sum),
                           (double)total.median / report->batch.character_count);
        }
    }
    if (side->bandwidth > 0) {
        terminal_print("  %.2f %% of the floor: the palettes' bytes at %u GB/s\n", 100.0 * floor_share(report, side),
                       side->bandwidth);
    }
}

static void print_bytes(const profile_report *report) {
    terminal_print("\n%-24s %8s %14s %14s\n", "buffer on the device", "buffers", "bytes", "a character");
    for (uint32_t i = 0; i < report->bytes_count; i++) {
        const lmb_gpu_bytes *row = &report->bytes[i];
        terminal_print("%-24s %8u %14" PRIu64 " %14.1f\n", row->name, row->count, (uint64_t)row->bytes,
                       (double)row->bytes / report->batch.character_count);
    }
}

static double cost_of_all(const profile_report *report) {
    double all = report->rest;
    for (uint32_t i = 0; i < report->program->node_count; i++) {
        all += report->costs[i].alone * report->costs[i].uses;
    }
    return all;
}

static void print_costs(const profile_report *report) {
    double all = cost_of_all(report);
    terminal_print("\n%-6s %-12s %6s %16s %8s  %s\n", "node", "operation", "uses", "ns a character", "share", "inputs");
    terminal_print("%-6s %-12s %6s %16.1f %6.1f %%\n", "", "rest pose", "", report->rest, 100.0 * report->rest / all);
    for (uint32_t i = 0; i < report->program->node_count; i++) {
        const lmb_node_def *node = &report->program->nodes[i];
        const lmb_node_cost *cost = &report->costs[i];
        char inputs[LMB_MAX_SPACE_INPUTS * 6 + 2] = "";
        size_t length = 0;
        for (uint32_t j = 0; j < node->input_count; j++) {
            length += (size_t)snprintf(inputs + length, sizeof inputs - length, "%s%u", j > 0 ? " " : "  ",
                                       node->inputs[j] & 0xffffu);
        }
        terminal_print("%-6u %-12s %6u %16.1f %6.1f %%%s\n", i, lmb_op_name(node->op), cost->uses, cost->alone,
                       100.0 * cost->alone * cost->uses / all, inputs);
    }
}

void profile_report_print(const profile_report *report) {
    terminal_print("joints %u, characters %u, frames %u", lmb_graph_joint_count(report->batch.graph),
                   report->batch.character_count, report->frames);
    if (report->inertia_bytes > 0) {
        terminal_print(", inertialized with %" PRIu64 " bytes", report->inertia_bytes);
    }
    terminal_print("\n");
    for (uint32_t i = 0; i < report->side_count; i++) {
        print_stages(report, &report->sides[i]);
    }
    if (report->bytes_count > 0) {
        print_bytes(report);
    }
    print_costs(report);
}

static void write_stages(json *json, const profile_report *report, const profiled_side *side) {
    json_begin_object(json, NULL);
    json_text(json, "name", side->name);
    json_begin_array(json, "stages");
    for (uint32_t stage = 0; stage < lmb_profile_stage_count(side->times); stage++) {
        const lmb_profile_totals total = lmb_profile_total(side->times, stage);
        if (total.count > 0) {
            json_begin_object(json, NULL);
            json_text(json, "stage", lmb_profile_stage_name(side->times, stage));
            json_unsigned(json, "samples", total.count);
            json_unsigned(json, "median_ns", total.median);
            json_unsigned(json, "min_ns", total.min);
            json_unsigned(json, "max_ns", total.max);
            json_unsigned(json, "sum_ns", total.sum);
            json_end_object(json);
        }
    }
    json_end_array(json);
    json_float(json, "floor_share", (float)floor_share(report, side));
    json_end_object(json);
}

static void write_bytes(json *json, const lmb_gpu_bytes *row) {
    json_begin_object(json, NULL);
    json_text(json, "name", row->name);
    json_unsigned(json, "buffers", row->count);
    json_unsigned(json, "bytes", row->bytes);
    json_end_object(json);
}

static void write_cost(json *json, const lmb_node_def *node, const lmb_node_cost *cost) {
    json_begin_object(json, NULL);
    json_text(json, "operation", lmb_op_name(node->op));
    json_begin_array(json, "inputs");
    for (uint32_t i = 0; i < node->input_count; i++) {
        json_unsigned(json, NULL, node->inputs[i]);
    }
    json_end_array(json);
    json_unsigned(json, "uses", cost->uses);
    json_float(json, "ns_alone", (float)cost->alone);
    json_float(json, "ns_with_inputs", (float)cost->with_inputs);
    json_end_object(json);
}

void profile_report_print_json(const profile_report *report) {
    json json = {.stream = stdout};
    json_begin_object(&json, NULL);
    json_text(&json, "file", report->file);
    json_unsigned(&json, "joints", lmb_graph_joint_count(report->batch.graph));
    json_unsigned(&json, "characters", report->batch.character_count);
    json_unsigned(&json, "frames", report->frames);
    json_unsigned(&json, "inertia_bytes", report->inertia_bytes);
    json_begin_array(&json, "sides");
    for (uint32_t i = 0; i < report->side_count; i++) {
        write_stages(&json, report, &report->sides[i]);
    }
    json_end_array(&json);
    json_begin_array(&json, "bytes");
    for (uint32_t i = 0; i < report->bytes_count; i++) {
        write_bytes(&json, &report->bytes[i]);
    }
    json_end_array(&json);
    json_float(&json, "rest_ns", (float)report->rest);
    json_begin_array(&json, "nodes");
    for (uint32_t i = 0; i < report->program->node_count; i++) {
        write_cost(&json, &report->program->nodes[i], &report->costs[i]);
    }
    json_end_array(&json);
    json_end_object(&json);
    terminal_print("\n");
}
