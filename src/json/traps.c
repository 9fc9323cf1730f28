// Warnings about graphs that are allowed and do not do what they seem to say. They look at the whole graph once it is
// read: what a clip beside others does, what a state shows. Traps of a single field are found where it is read.
#include "graph.h"

#include <string.h>

// Returns whether the text says where a parameter is used or declared: {"param": NAME}.
static bool names_parameter(const lmb_graph_reader *reader, const char *name) {
    bool found = false;
    for (uint32_t i = 1; i < reader->json.count && !found; i++) {
        found = reader->json.values[i].type == LMB_JSON_STRING && lmb_graph_is_text(reader, i, name) &&
                reader->json.values[i - 1].type == LMB_JSON_STRING && lmb_graph_is_text(reader, i - 1, "param");
    }
    return found;
}

// Marks the nodes that the result shows. What an additive is measured from is not shown.
static bool *find_shown(lmb_graph_reader *reader) {
    const lmb_graph_def *def = &reader->graph->def;
    bool *shown = lmb_graph_allocate(reader, &reader->scratch, def->node_count, sizeof *shown);
    if (shown == NULL) {
        return NULL;
    }
    shown[def->node_count - 1] = true;
    for (uint32_t i = def->node_count; i-- > 0;) { // inputs come before
        const lmb_node_def *node = &def->nodes[i];
        const uint32_t count = node->op == LMB_OP_MAKE_ADDITIVE ? 1 : node->input_count;
        for (uint32_t k = 0; k < count && shown[i]; k++) {
            shown[node->inputs[k]] = true;
        }
    }
    return shown;
}

// Warns of clips without a time beside clips that play: nothing moves them unless the host sets the parameter "time",
// and then the text has a reason to name it.
static void warn_of_resting_clips(lmb_graph_reader *reader, const bool *shown) {
    const lmb_graph_def *def = &reader->graph->def;
    if (reader->player_count == 0 || names_parameter(reader, "time")) {
        return;
    }
    for (uint32_t i = 0; i < def->node_count && reader->result == LMB_OK; i++) {
        const lmb_node_def *node = &def->nodes[i];
        const bool is_clip = node->op == LMB_OP_CLIP && node->player == NULL && shown[i] &&
                             node->time.kind == LMB_VALUE_PARAMETER && node->clip.kind == LMB_VALUE_CONSTANT;
        const lmb_clip *clip = is_clip ? def->clips[(uint32_t)node->clip.constant] : NULL;
        if (is_clip && lmb_graph_find_member(reader, reader->objects[i], "time") == LMB_NONE &&
            lmb_clip_duration(clip) > 0.0f) {
            lmb_graph_warn(reader, reader->objects[i],
                           "'%.60s' rests at its beginning unless the host sets the parameter \"time\", while other "
                           "clips play: write \"play\": true, or \"time\": 0 if it shall rest",
                           lmb_clip_name(clip));
        }
    }
}

void lmb_graph_warn_of_traps(lmb_graph_reader *reader) {
    bool *shown = find_shown(reader);
    if (shown != NULL) {
        warn_of_resting_clips(reader, shown);
    }
}
