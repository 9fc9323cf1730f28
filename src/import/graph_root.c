#include "graph.h"

#include "../number.h"

// Levels of detail, the max number of emitted events, and updates: members that only the outermost object may have, in
// addition to the fields of its operation.

static void read_level(lmb_graph_reader *reader, uint32_t value) {
    static const lmb_graph_field field = {
        .offset = offsetof(lmb_graph_def, lod), .max = LMB_MAX_LODS - 1, .parameter_max = LMB_MAX_LODS - 1};
    reader->graph->def.lod = lmb_constant(0.0f);
    lmb_graph_read_value(reader, &field, value, &reader->graph->def);
}

static void read_levels(lmb_graph_reader *reader, uint32_t value) {
    lmb_error error;
    uint32_t problems = reader->problem_count;
    uint8_t *table = lmb_graph_read_joint_bytes(reader, value, LMB_MAX_LODS - 1, LMB_MAX_LODS - 1, false);
    if (table != NULL && reader->problem_count == problems &&
        lmb_rig_check_max_lods(reader->source->rig, table, &error) != LMB_OK) {
        lmb_graph_report(reader, value, "%s", error.message);
    }
    reader->graph->def.max_lods = table;
}

static void read_max_emitted_events(lmb_graph_reader *reader, uint32_t value) {
    static const lmb_graph_field field = {
        .offset = offsetof(lmb_graph_def, max_emitted_events), .min = 1.0f, .max = LMB_MAX_EMITTED_EVENTS};
    lmb_graph_read_whole(reader, &field, value, &reader->graph->def);
}

static void read_update_every(lmb_graph_reader *reader, uint32_t value) {
    static const lmb_graph_field field = {
        .min = 1.0f, .max = 16.0f, .initial = 1.0f, .parameter_min = 1.0f, .parameter_max = 16.0f};
    lmb_graph_json *graph = reader->graph;
    lmb_graph_read_value(reader, &field, value, &graph->update_every);
    graph->def.update_every = &graph->update_every;
    lmb_graph_expect_early(reader, value, graph->update_every);
    const uint32_t parameter = lmb_value_reads(graph->update_every);
    if (parameter < graph->def.parameter_count && graph->parameters[parameter].is_computed) {
        lmb_graph_report(reader, value, "it is needed before numbers are computed");
    }
}

static void read_interpolate_updates(lmb_graph_reader *reader, uint32_t value) {
    static const lmb_graph_field field = {.offset = offsetof(lmb_graph_def, interpolate_updates)};
    lmb_graph_read_boolean(reader, &field, value, &reader->graph->def);
}

bool lmb_graph_read_root_field(lmb_graph_reader *reader, uint32_t key, uint32_t object) {
    static const struct {
        const char *name;
        void (*read)(lmb_graph_reader *reader, uint32_t value);
        const char *what;
    } members[LMB_GRAPH_ROOT_FIELDS] = {{"lod", read_level, "levels of detail"},
                                        {"max-lods", read_levels, "levels of detail"},
                                        {"max-emitted-events", read_max_emitted_events, "a limit of emitted events"},
                                        {"update-every", read_update_every, "updates"},
                                        {"interpolate-updates", read_interpolate_updates, "updates"}};
    for (int i = 0; i < LMB_GRAPH_ROOT_FIELDS; i++) {
        if (!lmb_graph_is_text(reader, key, members[i].name)) {
            continue;
        }
        if (object != 0) {
            lmb_graph_report(reader, key, "the outermost pose alone has %s", members[i].what);
        } else if (reader->root_keys[i] != 0) {
            lmb_graph_report(reader, key, "given twice");
        } else {
            reader->root_keys[i] = key;
            members[i].read(reader, key + 1);
        }
        return true;
    }
    return false;
}

void lmb_graph_finish_root(lmb_graph_reader *reader) {
    const uint32_t level = reader->root_keys[0];
    const uint32_t levels = reader->root_keys[1];
    if (level == 0 && levels != 0) {
        lmb_graph_report(reader, levels, "max-lods, and no \"lod\" that chooses among them");
    }
    if (level == 0 || levels != 0) {
        return;
    }
    lmb_graph_json *graph = reader->graph;
    uint32_t joint_count = lmb_rig_joint_count(reader->source->rig);
    uint8_t *table = lmb_graph_allocate(reader, &graph->pool, joint_count, 1);
    if (table != NULL) {
        lmb_result result = lmb_rig_suggest_max_lods(reader->source->rig, &graph->budget.host, table, NULL);
        reader->result = reader->result == LMB_OK ? result : reader->result;
        graph->def.max_lods = table;
    }
}
