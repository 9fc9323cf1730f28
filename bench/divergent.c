// Each character draws, from its index alone, the number of its active clips, the clips, their phases and their
// weights. So a frame needs no state, and characters that follow each other play different things. Unused clips have
// the weight 0 in a sum of all, or a parameter chooses the clip, according to the workload.
#include "divergent.h"

#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The clips are the actor's, each begun at another of its phases, with another duration.
static uint32_t usual_clips(workload_kind kind) {
    return kind == WORKLOAD_DIVERGENT ? 6 : WORKLOAD_MOST_STATES;
}

bool divergent_has(workload_kind kind) {
    return kind >= WORKLOAD_DIVERGENT && kind <= WORKLOAD_DIVERGENT_FADES;
}

// WORKLOAD_DIVERGENT: a time for each clip, then a weight for each. WORKLOAD_DIVERGENT_STATES: a time for each clip,
// then the coordinate of a blend space. The others: a clip and a time for each node, and the weight of the second one.
static uint32_t parameter_count(workload_kind kind, uint32_t clips) {
    return kind == WORKLOAD_DIVERGENT_CLIPS    ? 2
           : kind == WORKLOAD_DIVERGENT_FADES  ? 5
           : kind == WORKLOAD_DIVERGENT_STATES ? clips + 1
                                               : 2 * clips;
}

uint32_t divergent_parameter_count(workload_kind kind) {
    return parameter_count(kind, usual_clips(kind));
}

static lmb_result make_clip(const actor *actor, uint32_t index, lmb_clip **clip, lmb_error *error) {
    const lmb_clip *from = actor->clips[index % (ACTOR_CLIPS - 1)];
    keyframes keyframes;
    char name[32];
    snprintf(name, sizeof name, "%s %u", lmb_clip_get_info(from)->name, (unsigned)index);
    lmb_result result = keyframes_create(lmb_clip_get_info(from)->duration, lmb_rig_get_def(actor->rig)->joint_count,
                                         &keyframes, error);
    if (result == LMB_OK) {
        result = keyframes_sample(&keyframes, actor->rig, from, 0.037f * (float)index, error);
    }
    if (result == LMB_OK) {
        result = keyframes_clip(&keyframes, actor->rig, name, clip, error);
    }
    keyframes_destroy(&keyframes);
    if (result == LMB_OK && actor->compressed) {
        lmb_clip *whole = *clip;
        *clip = NULL;
        result = lmb_clip_compress(actor->rig, whole, NULL, NULL, clip, NULL, error);
        lmb_clip_destroy(whole);
    }
    return result;
}

static uint32_t make_nodes(workload_kind kind, uint32_t clips, lmb_node_def *nodes) {
    uint32_t count = 0;
    if (kind == WORKLOAD_DIVERGENT_CLIPS || kind == WORKLOAD_DIVERGENT_FADES) {
        for (uint32_t i = 0; i < (kind == WORKLOAD_DIVERGENT_FADES ? 2u : 1u); i++) {
            nodes[count] = lmb_clip_node(0, lmb_parameter(2 * i + 1));
            nodes[count].clip = lmb_parameter(2 * i);
            count++;
        }
        if (count == 2) {
            nodes[count++] = lmb_blend_node(0, 1, lmb_parameter(4));
        }
        return count;
    }
    lmb_node_def sum = lmb_default_node_def();
    sum.op = kind == WORKLOAD_DIVERGENT ? LMB_OP_WEIGHTED : LMB_OP_SPACE1D;
    sum.input_count = clips;
    sum.coordinates[0] = lmb_parameter(clips);
    for (; count < clips; count++) {
        nodes[count] = lmb_clip_node(count, lmb_parameter(count));
        sum.inputs[count] = count;
        sum.positions[count][0] = (float)count;
        if (kind == WORKLOAD_DIVERGENT) {
            sum.weights[count] = lmb_parameter(clips + count);
        }
    }
    nodes[count++] = sum;
    return count;
}

lmb_result divergent_create_clips(workload *workload, uint32_t count, lmb_error *error) {
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < count && result == LMB_OK; i++) {
        result = make_clip(workload->actor, i, &workload->clips[i], error);
        workload->clip_count += result == LMB_OK ? 1 : 0;
    }
    return result;
}

lmb_result divergent_create(workload *workload, uint32_t clips, lmb_error *error) {
    clips = clips > 0 ? clips : usual_clips(workload->kind);
    lmb_result result = divergent_create_clips(workload, clips, error);
    lmb_node_def nodes[WORKLOAD_MOST_STATES + 1];
    const lmb_graph_def def = {.rig = workload->actor->rig,
                               .clips = (const lmb_clip *const *)workload->clips,
                               .clip_count = workload->clip_count,
                               .nodes = nodes,
                               .node_count = make_nodes(workload->kind, clips, nodes),
                               .parameter_count = parameter_count(workload->kind, clips)};
    return result == LMB_OK ? lmb_graph_create(&def, NULL, &workload->graph, error) : result;
}

void divergent_destroy(workload *workload) {
    for (uint32_t i = 0; i < workload->clip_count; i++) {
        lmb_clip_destroy(workload->clips[i]);
    }
}

// Half of the characters play one clip, two fifths two, a tenth three; or what the workload says.
static uint32_t active_count(workload_kind kind, uint32_t random) {
    const uint32_t tenth = random % 10;
    return kind == WORKLOAD_DIVERGENT         ? (tenth < 5   ? 1
                                                 : tenth < 9 ? 2
                                                             : 3)
           : kind == WORKLOAD_DIVERGENT_FADES ? (tenth < 8 ? 1 : 2)
                                              : 1;
}

uint32_t divergent_find_uses(const workload *workload, uint32_t character, uint32_t frame,
                             divergent_use uses[DIVERGENT_ACTIVE]) {
    uint32_t state = character * 2654435761u + 1u;
    random_next(&state);
    const uint32_t count = active_count(workload->kind, random_next(&state));
    float sum = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t clip = random_next(&state) % (workload->clip_count - i), at = i;
        for (uint32_t k = 0; k < i; k++) { // among those that are left
            clip += clip >= uses[k].clip ? 1 : 0;
        }
        for (; at > 0 && uses[at - 1].clip > clip; at--) {
            uses[at] = uses[at - 1];
        }
        const float duration = lmb_clip_get_info(workload->clips[clip])->duration;
        const float phase = (float)(random_next(&state) % 4096) / 4096.0f;
        const float weight = 0.1f + (float)(random_next(&state) % 1024) / 1024.0f;
        uses[at] = (divergent_use){clip, fmodf(phase * duration + (float)frame / 60.0f, duration), weight};
        sum += weight;
    }
    for (uint32_t i = 0; i < count; i++) {
        uses[i].weight /= sum;
    }
    return count;
}

static void fill_character(const workload *workload, const divergent_use *uses, uint32_t count, float *parameters) {
    for (uint32_t i = 0; i < count; i++) {
        switch (workload->kind) {
        case WORKLOAD_DIVERGENT:
            parameters[uses[i].clip] = uses[i].time;
            parameters[workload->clip_count + uses[i].clip] = uses[i].weight;
            break;
        case WORKLOAD_DIVERGENT_STATES:
            parameters[uses[i].clip] = uses[i].time;
            parameters[workload->clip_count] = (float)uses[i].clip;
            break;
        default:
            parameters[2 * i] = (float)uses[i].clip;
            parameters[2 * i + 1] = uses[i].time;
            if (i == 1) {
                parameters[4] = uses[i].weight;
            }
            break;
        }
    }
}

typedef struct sorted_character {
    uint32_t clips; // a key
    uint32_t character;
} sorted_character;

static int compare_characters(const void *a, const void *b) {
    const sorted_character *x = a, *y = b;
    const bool less = x->clips < y->clips || (x->clips == y->clips && x->character < y->character);
    return less ? -1 : 1;
}

lmb_result divergent_sort(const workload *workload, uint32_t characters, uint32_t *order, lmb_error *error) {
    sorted_character *sorted = malloc(characters * sizeof *sorted);
    if (sorted == NULL) {
        return actor_no_memory(error);
    }
    for (uint32_t i = 0; i < characters; i++) {
        divergent_use uses[DIVERGENT_ACTIVE];
        const uint32_t count = divergent_find_uses(workload, i, 0, uses);
        sorted[i] = (sorted_character){.character = i};
        for (uint32_t k = 0; k < DIVERGENT_ACTIVE; k++) {
            sorted[i].clips = sorted[i].clips << 8 | (k < count ? uses[k].clip + 1 : 0);
        }
    }
    qsort(sorted, characters, sizeof *sorted, compare_characters);
    for (uint32_t i = 0; i < characters; i++) {
        order[i] = sorted[i].character;
    }
    free(sorted);
    return LMB_OK;
}

void divergent_fill(const workload *workload, uint32_t characters, uint32_t frame, float *parameters) {
    const size_t width = lmb_graph_get_info(workload->graph)->parameter_count;
    memset(parameters, 0, characters * width * sizeof *parameters);
    for (uint32_t i = 0; i < characters; i++) {
        divergent_use uses[DIVERGENT_ACTIVE];
        const uint32_t count = divergent_find_uses(workload, i, frame, uses);
        fill_character(workload, uses, count, parameters + i * width);
    }
}
