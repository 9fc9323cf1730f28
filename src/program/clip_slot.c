// A graph is compiled for every clip that its slots admit, not for those that are there at first. So the compiler asks
// lmb_graph_clip_...() about a clip: these answer for the slot if there is one, else for the clip. A clip that is put
// into a slot later is only checked against the slot.
//
// A slot's clip is a copy in the graph's program, in room of the slot's size. An entry in the table of clips points
// there, or is 0 while the slot is empty; its sources then give the rest pose. gpu/clip.c does the same on a device.
#include "clip_slot.h"

#include "clip/clip.h"
#include "clip/layout.h"
#include "rig/rig.h"

#include <limber/batch.h>

#include "../../shaders/ops/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

lmb_clip_slot_def lmb_clip_slot_for(const lmb_clip *clip) {
    const lmb_clip_info *info = lmb_clip_get_info(clip);
    lmb_clip_slot_def def = lmb_default_clip_slot_def();
    def.name = info->name;
    def.bytes = clip->size * (uint32_t)sizeof *clip->words;
    def.duration = info->duration;
    def.joint_count = info->joint_count;
    def.additive = info->is_additive;
    def.kinds = lmb_clip_kinds(clip);
    return def;
}

// ---- Clips.

// Returns whether a scale track has more than one key, or a value other than 1.
static bool clip_scales(const uint32_t *words) {
    if (words[FIELD(CLIP, packed)] != 0) {
        return words[words[FIELD(CLIP, packed)] + FIELD(PACKED, rows) + PROPERTY_SCALE] != 0;
    }
    for (uint32_t joint = 0; joint < words[FIELD(CLIP, joints)]; joint++) {
        const track found = load_track(words, 0, PROPERTY_SCALE, joint);
        // The values of a cubic spline's only key are between its tangents.
        const uint32_t *values = words + key_value(found, 0, 3);
        if (found.keys != 1 || REAL(values[0]) != 1.0f || REAL(values[1]) != 1.0f || REAL(values[2]) != 1.0f) {
            return true;
        }
    }
    return false;
}

uint32_t lmb_clip_kinds(const lmb_clip *clip) {
    const uint32_t *words = clip->words;
    return (words[FIELD(CLIP, cubic)] != 0 ? LMB_CLIP_CUBIC : 0u) |
           (words[FIELD(CLIP, turns_far)] != 0 ? LMB_CLIP_FAR : 0u) |
           (words[FIELD(CLIP, packed)] != 0 ? LMB_CLIP_PACKED : 0u) | (clip_scales(words) ? LMB_CLIP_SCALED : 0u) |
           (words[FIELD(CLIP, weights)] != 0 ? LMB_CLIP_PARTIAL : 0u);
}

// Finds a track whose key times more than half of the tracks share, if there is one. Counts as in a majority vote.
uint32_t lmb_clip_find_common_track(const uint32_t *words) {
    uint32_t found = 0, lead = 0, times = 0;
    for (uint32_t property = 0; property < PROPERTIES; property++) {
        for (uint32_t joint = 0; joint < words[FIELD(CLIP, joints)]; joint++) {
            track t = load_track(words, 0, property, joint);
            if (t.keys > 1 && lead == 0) {
                found = joint * PROPERTIES + property + 1;
                times = t.times;
            }
            if (t.keys > 1) {
                lead = t.times == times ? lead + 1 : lead - 1;
            }
        }
    }
    return found;
}

lmb_clip_traits lmb_clip_find_traits(const lmb_clip *clip) {
    const lmb_clip_info *info = lmb_clip_get_info(clip);
    lmb_clip_traits traits = {.words = clip->size,
                              .duration = info->duration,
                              .joint_count = info->joint_count,
                              .channel_count = info->channel_count,
                              .additive = info->is_additive,
                              .kinds = lmb_clip_kinds(clip)};
    snprintf(traits.name, sizeof traits.name, "%s", info->name);
    return traits;
}

// ---- Clips of a descriptor.

const lmb_clip_slot_def *lmb_graph_slot_of(const lmb_graph_def *def, uint32_t clip) {
    uint32_t first = 0, end = def->clip_slot_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (def->clip_slots[middle].clip < clip) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < def->clip_slot_count && def->clip_slots[first].clip == clip ? &def->clip_slots[first] : NULL;
}

static uint32_t slot_joints(const lmb_graph_def *def, const lmb_clip_slot_def *slot) {
    return slot->joint_count != 0 ? slot->joint_count : def->rig->def.joint_count;
}

static uint32_t slot_words(const lmb_clip_slot_def *slot) {
    return slot->bytes / 4 + (slot->bytes % 4 != 0);
}

const char *lmb_graph_clip_name(const lmb_graph_def *def, uint32_t clip) {
    const lmb_clip_slot_def *slot = lmb_graph_slot_of(def, clip);
    return slot == NULL ? lmb_clip_get_info(def->clips[clip])->name : slot->name != NULL ? slot->name : "";
}

float lmb_graph_clip_duration(const lmb_graph_def *def, uint32_t clip) {
    const lmb_clip_slot_def *slot = lmb_graph_slot_of(def, clip);
    return slot != NULL ? slot->duration : lmb_clip_get_info(def->clips[clip])->duration;
}

uint32_t lmb_graph_clip_joints(const lmb_graph_def *def, uint32_t clip) {
    const lmb_clip_slot_def *slot = lmb_graph_slot_of(def, clip);
    return slot != NULL ? slot_joints(def, slot) : lmb_clip_get_info(def->clips[clip])->joint_count;
}

bool lmb_graph_clip_is_additive(const lmb_graph_def *def, uint32_t clip) {
    const lmb_clip_slot_def *slot = lmb_graph_slot_of(def, clip);
    return slot != NULL ? slot->additive : lmb_clip_get_info(def->clips[clip])->is_additive;
}

bool lmb_graph_clip_is_partial(const lmb_graph_def *def, uint32_t clip) {
    const lmb_clip_slot_def *slot = lmb_graph_slot_of(def, clip);
    return slot != NULL ? (slot->kinds & LMB_CLIP_PARTIAL) != 0 : def->clips[clip]->words[FIELD(CLIP, weights)] != 0;
}

uint32_t lmb_graph_clip_kinds(const lmb_graph_def *def, uint32_t clip) {
    const lmb_clip_slot_def *slot = lmb_graph_slot_of(def, clip);
    return slot != NULL ? slot->kinds : lmb_clip_kinds(def->clips[clip]);
}

uint64_t lmb_graph_clip_words(const lmb_graph_def *def, uint32_t clip) {
    const lmb_clip_slot_def *slot = lmb_graph_slot_of(def, clip);
    return slot != NULL ? slot_words(slot) : def->clips[clip]->size;
}

// ---- Checks.

static bool is_mapped(const lmb_graph_def *def, uint32_t joints) {
    bool mapped = false;
    for (uint32_t i = 0; i < def->joint_map_count; i++) {
        mapped = mapped || joints == def->joint_maps[i].joint_count;
    }
    return mapped;
}

static bool is_of_source(const lmb_graph_def *def, uint32_t joints) {
    bool of_source = false;
    for (uint32_t i = 0; i < def->retarget_count; i++) {
        of_source = of_source || joints == def->retargets[i].source_joint_count;
    }
    return of_source;
}

static lmb_clip_slot make_slot(const lmb_graph_def *def, const lmb_clip_slot_def *from) {
    const uint32_t joints = slot_joints(def, from);
    lmb_clip_slot slot = {.def = *from,
                          .channel_count = def->rig->def.channel_count,
                          .may_lack_channels = is_mapped(def, joints),
                          .any_channels = is_of_source(def, joints)};
    slot.def.joint_count = joints;
    return slot;
}

static const char *name_of_kind(uint32_t kind) {
    return kind & LMB_CLIP_CUBIC    ? "has cubic splines, and its slot's kinds lack LMB_CLIP_CUBIC"
           : kind & LMB_CLIP_FAR    ? "has rotation keys that are far apart, and its slot's kinds lack LMB_CLIP_FAR"
           : kind & LMB_CLIP_PACKED ? "is compressed, and its slot's kinds lack LMB_CLIP_PACKED"
           : kind & LMB_CLIP_SCALED ? "has a scale other than 1, and its slot's kinds lack LMB_CLIP_SCALED"
                                    : "has joint weights, and its slot's kinds lack LMB_CLIP_PARTIAL";
}

// Checks whether a clip fits into its slot. Messages begin with `owner`.
static bool check_fit(const lmb_clip_slot *slot, const lmb_clip_traits *clip, const char *owner, lmb_error *error) {
    const lmb_clip_slot_def *def = &slot->def;
    const bool channels_fit = clip->channel_count == slot->channel_count || slot->any_channels ||
                              (clip->channel_count == 0 && slot->may_lack_channels);
    const uint32_t lacks = clip->kinds & ~def->kinds;
    char what[160] = "";
    if (clip->joint_count != def->joint_count) {
        snprintf(what, sizeof what, "is for %u joints, and its slot for %u", (unsigned)clip->joint_count,
                 (unsigned)def->joint_count);
    } else if (!channels_fit) {
        snprintf(what, sizeof what, "is for %u float channels, and the rig has %u", (unsigned)clip->channel_count,
                 (unsigned)slot->channel_count);
    } else if (clip->additive != def->additive) {
        snprintf(what, sizeof what, "%s",
                 clip->additive ? "is an additive, and its slot is for poses"
                                : "is no additive, and its slot is for them");
    } else if (def->duration >= 0.0f && BITS(clip->duration) != BITS(def->duration)) {
        snprintf(what, sizeof what, "takes %.9g s, and its slot's clips %.9g s", (double)clip->duration,
                 (double)def->duration);
    } else if (lacks != 0) {
        snprintf(what, sizeof what, "%s", name_of_kind(lacks));
    } else if (clip->words > slot_words(def)) {
        return lmb_refuse(error, LMB_ERROR_LIMIT, "%s: clip %u '%s' takes %llu bytes, and its slot has %u", owner,
                          (unsigned)def->clip, clip->name, 4 * (unsigned long long)clip->words, (unsigned)def->bytes);
    }
    return what[0] == '\0' ||
           lmb_refuse(error, LMB_ERROR_ARGUMENT, "%s: clip %u '%s' %s", owner, (unsigned)def->clip, clip->name, what);
}

static const char *find_slot_fault(const lmb_graph_def *def, uint32_t index) {
    const lmb_clip_slot_def *slot = &def->clip_slots[index];
    const uint32_t joints = slot_joints(def, slot);
    return slot->cookie != LMB_COOKIE      ? "it is not from lmb_default_clip_slot_def()"
           : slot->clip >= def->clip_count ? "clip: there is no such clip"
           : index > 0 && slot->clip <= def->clip_slots[index - 1].clip
               ? "clip: slots are in the order of their clips, and a clip has one"
           : slot->bytes < WORDS_OF(CLIP) * sizeof(uint32_t) ? "bytes: too few for any clip"
           : !isfinite(slot->duration)                       ? "duration: not finite"
           : (slot->kinds & ~LMB_CLIP_ANY) != 0              ? "kinds: unknown"
           : joints != def->rig->def.joint_count && !is_mapped(def, joints) && !is_of_source(def, joints)
               ? "joint_count: neither the rig nor a joint map nor the source of a retarget has as many"
               : NULL;
}

bool lmb_graph_check_slots(const lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    bool valid = true;
    for (uint32_t i = 0; i < def->clip_slot_count && valid; i++) {
        const char *fault = find_slot_fault(def, i);
        valid =
            fault == NULL || lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: clip slot %u: %s", (unsigned)i, fault);
    }
    for (uint32_t i = 0; i < def->clip_slot_count && valid; i++) {
        const lmb_clip *clip = def->clips != NULL ? def->clips[def->clip_slots[i].clip] : NULL;
        if (clip != NULL) {
            const lmb_clip_slot slot = make_slot(def, &def->clip_slots[i]);
            const lmb_clip_traits traits = lmb_clip_find_traits(clip);
            valid = check_fit(&slot, &traits, "graph", c->error);
        }
    }
    return valid;
}

// ---- Slots of a graph.

size_t lmb_clip_slots_bytes(const lmb_graph_def *def) {
    size_t size = def->clip_slot_count * sizeof(lmb_clip_slot);
    for (uint32_t i = 0; i < def->clip_slot_count; i++) {
        size += def->clip_slots[i].name != NULL ? strlen(def->clip_slots[i].name) + 1 : 1;
    }
    return size;
}

void lmb_clip_slots_write(const lmb_graph_def *def, uint32_t *program, lmb_clip_slot *slots) {
    if (def->clip_slot_count == 0) {
        return; // slots may be NULL
    }
    char *text = (char *)(slots + def->clip_slot_count);
    for (uint32_t i = 0; i < def->clip_slot_count; i++) {
        const char *name = def->clip_slots[i].name != NULL ? def->clip_slots[i].name : "";
        uint32_t *entry = &program[program[FIELD(PROGRAM, clips)] + def->clip_slots[i].clip];
        slots[i] = make_slot(def, &def->clip_slots[i]);
        slots[i].offset = *entry;
        slots[i].def.name = strcpy(text, name);
        text += strlen(name) + 1;
        if (def->clips[slots[i].def.clip] == NULL) {
            *entry = 0;
        }
    }
}

static lmb_clip_slot *find_slot(const lmb_graph *graph, uint32_t clip) {
    uint32_t i = 0;
    while (i < graph->info.clip_slot_count && graph->clip_slots[i].def.clip != clip) {
        i++;
    }
    return i < graph->info.clip_slot_count ? &graph->clip_slots[i] : NULL;
}

const lmb_clip_slot *lmb_graph_check_change(const lmb_graph *graph, uint32_t index, const lmb_clip_traits *clip,
                                            const char *owner, lmb_error *error) {
    lmb_error unread;
    error = error != NULL ? error : &unread;
    const lmb_clip_slot *slot = find_slot(graph, index);
    if (slot == NULL) {
        lmb_fail(error, LMB_ERROR_ARGUMENT, "%s: there is no slot for clip %u", owner, (unsigned)index);
        return NULL;
    }
    return clip == NULL || check_fit(slot, clip, owner, error) ? slot : NULL;
}

lmb_result lmb_graph_set_clip(lmb_graph *graph, uint32_t index, const lmb_clip *clip, lmb_error *error) {
    lmb_error found;
    if (graph == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: it is NULL");
    }
    const lmb_clip_traits traits = clip != NULL ? lmb_clip_find_traits(clip) : (lmb_clip_traits){.words = 0};
    const lmb_clip_slot *slot = lmb_graph_check_change(graph, index, clip != NULL ? &traits : NULL, "graph", &found);
    if (slot == NULL) {
        return lmb_fail(error, found.result, "%s", found.message);
    }
    uint32_t *entry = &graph->program[graph->program[FIELD(PROGRAM, clips)] + index];
    *entry = 0;
    graph->clip_changes++;
    if (clip != NULL) {
        uint32_t *words = graph->program + slot->offset;
        memcpy(words, clip->words, clip->size * sizeof *words);
        words[FIELD(CLIP, common_times)] = lmb_clip_find_common_track(clip->words);
        *entry = slot->offset;
    }
    return LMB_OK;
}

bool lmb_graph_has_clip(const lmb_graph *graph, uint32_t clip) {
    return clip < graph->program[FIELD(PROGRAM, clip_count)] &&
           graph->program[graph->program[FIELD(PROGRAM, clips)] + clip] != 0;
}

lmb_clip_slot_def lmb_graph_clip_slot_at(const lmb_graph *graph, uint32_t index) {
    lmb_clip_slot_def none = lmb_default_clip_slot_def();
    none.name = "";
    return index < graph->info.clip_slot_count ? graph->clip_slots[index].def : none;
}

uint32_t lmb_graph_find_clip_slot(const lmb_graph *graph, const char *name) {
    for (uint32_t i = 0; name != NULL && i < graph->info.clip_slot_count; i++) {
        if (strcmp(graph->clip_slots[i].def.name, name) == 0) {
            return graph->clip_slots[i].def.clip;
        }
    }
    return LMB_NONE;
}
