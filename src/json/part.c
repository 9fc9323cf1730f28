// Parts of clips: "from" and "to" of a pose. Each part is cut once (lmb_clip_cut()) and becomes a clip of the graph, so
// players, root motion, streaming and packs have a clip like any other.
#include "graph.h"

#include <math.h>

// Cuts a part and adds it to the graph's clips. Inside a retarget the clip is one of the other character.
static void add_part(lmb_graph_reader *reader, uint32_t at, const lmb_clip *clip, lmb_clip_origin part) {
    lmb_graph_json *graph = reader->graph;
    const lmb_rig *rig = reader->character != NULL ? reader->character->rig : reader->source->rig;
    const lmb_host host = lmb_pool_host(&graph->pool);
    lmb_clip_part_def def = lmb_default_clip_part_def();
    def.start = part.start;
    def.end = part.end;
    lmb_clip *cut = NULL;
    lmb_error error;
    const lmb_result result = lmb_clip_cut(rig, clip, &def, &host, &cut, &error);
    if (result == LMB_ERROR_MEMORY) {
        lmb_graph_fail_memory(reader);
    } else if (result != LMB_OK) {
        lmb_graph_report(reader, at, "%s", error.message);
    } else {
        lmb_graph_append(reader, &graph->pool, &graph->def.clips, &graph->def.clip_count, &cut, sizeof cut);
        lmb_graph_append(reader, &graph->pool, &graph->def.clip_origins, &graph->def.clip_origin_count, &part,
                         sizeof part);
    }
}

static uint32_t find_part(const lmb_graph_reader *reader, const lmb_clip_origin *part) {
    const lmb_graph_def *def = &reader->graph->def;
    for (uint32_t i = 0; i < def->clip_origin_count; i++) {
        const lmb_clip_origin *other = &def->clip_origins[i];
        if (other->of == part->of && other->start == part->start && other->end == part->end) {
            return other->clip;
        }
    }
    return LMB_NONE;
}

void lmb_graph_take_part(lmb_graph_reader *reader, lmb_graph_node *node) {
    const uint32_t from = lmb_graph_find_member(reader, node->object, "from");
    const uint32_t at = from != LMB_NONE ? from : lmb_graph_find_member(reader, node->object, "to");
    const lmb_graph_def *def = &reader->graph->def;
    const lmb_value chosen = node->def.clip;
    if (at == LMB_NONE || reader->result != LMB_OK) {
        return;
    }
    if (chosen.kind != LMB_VALUE_CONSTANT || chosen.curve != LMB_CURVE_LINEAR) {
        lmb_graph_report(reader, at, "a clip that a parameter chooses has no part");
        return;
    }
    if (!(chosen.constant < (float)def->clip_count)) {
        return; // its name was not found
    }
    const lmb_clip *clip = def->clips[(uint32_t)chosen.constant];
    const float duration = lmb_clip_get_info(clip)->duration;
    const lmb_clip_origin part = {def->clip_count, (uint32_t)chosen.constant, node->from,
                                  isinf(node->to) ? duration : node->to};
    if (!(part.start < part.end && part.end <= duration)) {
        lmb_graph_report(reader, at,
                         "a part from %g to %g: it goes from a time to a later one, and the clip takes %g s",
                         (double)part.start, (double)part.end, (double)duration);
        return;
    }
    const uint32_t known = find_part(reader, &part);
    if (known == LMB_NONE) {
        add_part(reader, at, clip, part);
    }
    node->def.clip = lmb_constant((float)(known == LMB_NONE ? part.clip : known));
}
