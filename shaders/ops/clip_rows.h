// The tracks of clips in the form that the SIMD paths read. They are decoded once for all characters, and stay valid
// from run to run until a clip changes.
//
// A set has the rows of a clip, one for each of its joints. A row has a track's kind, the address of its keys, and the
// value of a constant track. The keys of packed tracks are decoded, if there is memory for those of the whole clip.
// sample_rows.h reads rows; src/cpu/clip_cache.c owns the memory.
#ifndef LMB_OPS_CLIP_ROWS_H
#define LMB_OPS_CLIP_ROWS_H

#include "layout.h"
#include "sampling.h"

#ifndef LMB_GLSL

// How a row has a track: a bit for each kind, so that the kinds of several lanes can be joined.
#define ROW_OTHER 1u    // only the clip has it
#define ROW_CONSTANT 2u // its value
#define ROW_LINEAR 4u   // its keys are in the clip: three words a vector, four words a rotation
#define ROW_DECODED 8u  // its keys are decoded: four words each
#define ROW_PACKED 16u  // a rotation whose keys are packed in the clip
// Bits beside them.
#define ROW_APART 32u // its key times are not the common ones of the clip
#define ROW_REST 64u  // its value is the rest pose of the rig's joint with the same index

// The kinds of a row's properties: eight bits each.
#define ROW_KIND(kinds, property) (((kinds) >> (8u * (property))) & 255u)
#define ROW_KINDS(kind) ((kind)*0x010101u)

// A key search for rows of decoded keys differs from one for the packed frames with the same times.
#define ROW_DECODED_TIMES 0x80000000u

typedef struct row_keys {
    const uint32_t *first;
    uint times; // offset, with ROW_DECODED_TIMES if the keys are decoded
    uint count;
} row_keys;

typedef struct row_packed {
    packed_range range;
    uint place; // bytes from the start of memory to 64 bits of the first frame
    uint times;
} row_packed;

typedef union row_track {
    float value[4]; // ROW_CONSTANT
    row_keys keys;  // ROW_LINEAR, ROW_DECODED
} row_track;

typedef union row_rotation {
    row_track track;
    row_packed packed; // ROW_PACKED
} row_rotation;

typedef struct clip_row {
    uint kinds;
    // ROW_PACKED: the component that all keys omit, bits of a field, and bits before the first field.
    uint8_t left_out, bits, from;
    row_rotation rotation;
    row_track translation;
    row_track scale;
} clip_row;

typedef struct clip_rows {
    uint times; // the common key times; 0 if no track has keys
    uint keys;  // of these times
    uint far;   // CLIP.turns_far
    uint step;  // CLIP.search
    clip_row joints[];
} clip_rows;

// The sets, and the memory for decoded keys. A clip gets a set when it is first sampled. When there is no room for a
// set, the clip is sampled without rows, and the next run begins with empty sets.
typedef struct clip_cache {
    uint changes;   // lmb_graph.clip_changes for which the sets are
    uint set_count; // that there is room for
    uint set_used;
    bool overflows;
    size_t set_bytes;
    size_t key_words; // that there is room for
    size_t key_used;
    uint32_t *set_of; // [clip]: 1 + index of its set, or 0
    char *sets;
    uint32_t *keys;
} clip_cache;

// Not of a rotation that is ROW_PACKED.
OP const row_track *track_of_row(const clip_row *row, uint property) {
    return property == PROPERTY_ROTATION      ? &row->rotation.track
           : property == PROPERTY_TRANSLATION ? &row->translation
                                              : &row->scale;
}

OP bool has_keys(track t) {
    return t.keys > 1u || t.mode >= MODE_CUBIC;
}

// The words that the decoded keys of a clip need.
OP size_t count_decoded_words(memory data, uint clip) {
    size_t words = 0u;
    for (uint joint = 0u; joint < READ(data, clip, CLIP, joints); joint++) {
        for (uint property = 0u; property < (USES_SCALE ? PROPERTIES : PROPERTY_SCALE); property++) {
            track t = load_track(data, clip, property, joint);
            words += t.mode == MODE_PACKED ? (size_t)t.keys * 4u : 0u;
        }
    }
    return words;
}

#ifdef LMB_SIMD_WIDTH

// Decodes all keys of a packed track, a key in each lane.
OP void decode_keys(memory data, uint clip, uint property, track t, uint32_t *keys) {
    packed_place place = find_packed_place(data, clip, t.values);
    for (uint first = 0u; first < t.keys; first += LMB_SIMD_WIDTH) {
        size_t frames[LMB_SIMD_WIDTH];
        float *to[LMB_SIMD_WIDTH];
        for (uint lane = 0u; lane < LMB_SIMD_WIDTH; lane++) {
            size_t key = first + lane < t.keys ? first + lane : t.keys - 1u;
            frames[lane] = key * t.row_words;
            to[lane] = (float *)keys + key * 4u;
        }
        quaternion q;
        if (property == PROPERTY_ROTATION) {
            q = packed_rotation(data, place, rotation_range(data, place, t.values), frames);
        } else {
            vector v = packed_vector(data, place, vector_range(data, t.values), frames);
            q = make_quaternion(v.x, v.y, v.z, SPLAT(0.0f));
        }
        lmb_store_rows(to, 0u, q.x, q.y, q.z, q.w);
    }
}

// Returns the kind of a packed rotation whose keys cannot be decoded.
OP uint fill_packed_row(memory data, uint clip, track t, clip_row *row) {
    packed_place place = find_packed_place(data, clip, t.values);
    uint bytes = place.shift + 3u * place.bits > 64u ? place.shift >> 3u : 0u;
    uint begin = place.shift - 8u * bytes;
    row->left_out = (uint8_t)place.left_out;
    row->bits = (uint8_t)place.bits;
    row->from = (uint8_t)begin;
    row->rotation.packed = (row_packed){rotation_range(data, place, t.values), 4u * place.first + bytes, t.times};
    return place.left_out != PACKED_INDEX_PER_KEY && begin + 3u * place.bits <= 64u ? ROW_PACKED : ROW_OTHER;
}

// Returns the kind of a track that is not at rest. Decodes the keys of a packed one into the memory at `*keys`, and
// moves that on. It may be NULL: there is no room.
OP uint fill_track(memory data, uint clip, uint property, track t, uint32_t **keys, row_track *row) {
    uint kind = ROW_OTHER;
    if (t.mode == MODE_PACKED && *keys != NULL) {
        kind = ROW_DECODED;
        decode_keys(data, clip, property, t, *keys);
        row->keys = (row_keys){*keys, t.times | ROW_DECODED_TIMES, t.keys};
        *keys += (size_t)t.keys * 4u;
    } else if (t.mode == MODE_LINEAR && t.keys > 1u) {
        kind = ROW_LINEAR;
        row->keys = (row_keys){data + t.values, t.times, t.keys};
    } else if (!has_keys(t)) {
        kind = ROW_CONSTANT;
        memcpy(row->value, data + t.values, (property == PROPERTY_ROTATION ? 4u : 3u) * sizeof(float));
    }
    return kind;
}

// Stores the value of a joint's rest pose, which is the same in all lanes.
OP uint fill_rest(uint property, transform rest, row_track *row) {
    vector v = property == PROPERTY_SCALE ? rest.s : rest.t;
    quaternion q = property == PROPERTY_ROTATION ? rest.q : make_quaternion(v.x, v.y, v.z, SPLAT(0.0f));
    row->value[0] = LANE(q.x, 0);
    row->value[1] = LANE(q.y, 0);
    row->value[2] = LANE(q.z, 0);
    row->value[3] = LANE(q.w, 0);
    return ROW_CONSTANT | ROW_REST;
}

OP uint fill_property(memory data, uint clip, uint joint, uint property, uint common, uint32_t **keys, clip_row *row) {
    track t = load_track(data, clip, property, joint);
    row_track *to = (row_track *)track_of_row(row, property);
    uint kind;
    if (t.mode == MODE_REST) {
        kind = fill_rest(property, load_rest(data, joint), to);
    } else {
        kind = fill_track(data, clip, property, t, keys, to);
        if (kind == ROW_OTHER && t.mode == MODE_PACKED && property == PROPERTY_ROTATION) {
            kind = fill_packed_row(data, clip, t, row);
        }
        kind |= has_keys(t) && t.times != common ? ROW_APART : 0u;
    }
    return kind << (8u * property);
}

// The set of a clip, which is sampled for the first time; NULL if there is no room for it. The joints of the clip must
// not be more than those of the rig.
OP_COLD const clip_rows *fill_rows(memory data, clip_cache *cache, uint place, uint clip) {
    if (cache->set_used == cache->set_count) {
        cache->overflows = true;
        return NULL;
    }
    clip_rows *set = (clip_rows *)(cache->sets + cache->set_used * cache->set_bytes);
    size_t decoded = READ(data, clip, CLIP, packed) != 0u ? count_decoded_words(data, clip) : 0u;
    uint32_t *keys = NULL;
    if (decoded > 0u && decoded <= cache->key_words - cache->key_used) {
        keys = cache->keys + cache->key_used;
        cache->key_used += decoded;
    }
    uint which = READ(data, clip, CLIP, common_times);
    *set = (clip_rows){.far = READ(data, clip, CLIP, turns_far), .step = READ(data, clip, CLIP, search)};
    if (which != 0u) {
        track t = load_track(data, clip, (which - 1u) % PROPERTIES, (which - 1u) / PROPERTIES);
        set->times = t.times;
        set->keys = t.keys;
    }
    for (uint joint = 0u; joint < READ(data, clip, CLIP, joints); joint++) {
        clip_row *row = &set->joints[joint];
        row->kinds = 0u;
        for (uint property = 0u; property < (USES_SCALE ? PROPERTIES : PROPERTY_SCALE); property++) {
            row->kinds |= fill_property(data, clip, joint, property, set->times, &keys, row);
        }
    }
    cache->set_of[place] = ++cache->set_used;
    return set;
}

// The set of the clip at a place of the program's list; NULL if it has none.
OP const clip_rows *find_rows(memory data, clip_cache *cache, uint place) {
    uint clip = LOAD(data, HEADER(data, PROGRAM, clips) + place);
    const clip_rows *set = NULL;
    if (cache->set_of[place] != 0u) {
        set = (const clip_rows *)(cache->sets + (cache->set_of[place] - 1u) * cache->set_bytes);
    } else if (READ(data, clip, CLIP, joints) <= HEADER(data, PROGRAM, joints)) {
        set = fill_rows(data, cache, place, clip);
    }
    return set;
}

#endif
#endif
#endif
