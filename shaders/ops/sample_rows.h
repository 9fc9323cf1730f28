// Sampling by rows (clip_rows.h), for the SIMD paths: all lanes play one clip, or lanes play different ones. Included
// by operations.h.
#ifndef LMB_OPS_SAMPLE_ROWS_H
#define LMB_OPS_SAMPLE_ROWS_H

#ifdef LMB_SIMD_WIDTH

// ---- One clip in all lanes.

// Out of line: what rows do not have, or whose keys are not those of the last search.
OP_COLD void sample_vector_apart(const evaluation *at, uint clip, uint joint, uint property, vector *sampled) {
    *sampled = sample_vector(*at, clip, joint, property, at->from->time);
}

OP_COLD void sample_rotation_apart(const evaluation *at, uint clip, uint joint, quaternion *sampled) {
    *sampled = sample_rotation(*at, clip, joint, at->from->time);
}

// The local transform of a joint of a clip, without rows.
OP_COLD void sample_joint_apart(const evaluation *at, uint clip, uint joint, transform *sampled) {
    vector v;
    quaternion q;
    sample_vector_apart(at, clip, joint, PROPERTY_TRANSLATION, &v);
    sampled->t = v;
    sample_rotation_apart(at, clip, joint, &q);
    sampled->q = q;
    sampled->s = all_vector(1.0f, 1.0f, 1.0f);
    if (USES_SCALE) {
        sample_vector_apart(at, clip, joint, PROPERTY_SCALE, &v);
        sampled->s = v;
    }
    sampled->weight = SPLAT(WEIGHT_PRESENT);
}

OP_COLD void search_row_keys(const evaluation *at, row_keys keys) {
    track t;
    t.mode = MODE_LINEAR;
    t.keys = keys.count;
    t.times = keys.times & ~ROW_DECODED_TIMES;
    t.values = 0u;
    t.row_words = 4u;
    const real time = at->from->time;
    search_key(at->program, at->search, t, READ(at->program, at->from->usual, CLIP, search), &time);
    at->search->times = keys.times;
}

OP const key_position *find_row_keys(evaluation e, row_keys keys) {
    if (e.search->times != keys.times) {
        const evaluation at = sampling_part(e);
        search_row_keys(&at, keys);
    }
    return &e.search->found;
}

// Interpolates keys of three words, which are in the clip.
OP vector sample_linear_row(row_keys keys, const key_position *at) {
    real a[4], b[4];
    lmb_load_rows(keys.first, at->key * 3u, a);
    lmb_load_rows(keys.first, at->after * 3u, b);
    return snap_between(lerp_vectors(make_vector(a[0], a[1], a[2]), make_vector(b[0], b[1], b[2]), at->fraction));
}

// Interpolates decoded keys, of four words.
OP vector sample_decoded_row(row_keys keys, const key_position *at) {
    quaternion a, b;
    load_rotation_pair(keys.first, at, &a, &b);
    return snap_vector(lerp_vectors(make_vector(a.x, a.y, a.z), make_vector(b.x, b.y, b.z), at->fraction));
}

OP vector sample_row_vector(evaluation e, uint kind, const row_track *row, uint joint, uint property) {
    vector sampled;
    if ((kind & ROW_CONSTANT) != 0u) {
        sampled = all_vector(row->value[0], row->value[1], row->value[2]);
    } else if ((kind & ROW_LINEAR) != 0u) {
        sampled = sample_linear_row(row->keys, find_row_keys(e, row->keys));
    } else if ((kind & ROW_DECODED) != 0u) {
        sampled = sample_decoded_row(row->keys, find_row_keys(e, row->keys));
    } else {
        const evaluation at = sampling_part(e);
        vector apart;
        sample_vector_apart(&at, e.from->usual, joint, property, &apart);
        sampled = apart;
    }
    return sampled;
}

OP vector row_fields(memory data, const clip_row *row, FRAME frame) {
    lmb_doubles key = lmb_load_doubles((const char *)data + row->rotation.packed.place, frame);
    uint from = row->from, bits = row->bits;
    return make_vector(TO_REAL(lmb_bits_of_doubles(key, from, bits)),
                       TO_REAL(lmb_bits_of_doubles(key, from + bits, bits)),
                       TO_REAL(lmb_bits_of_doubles(key, from + 2u * bits, bits)));
}

// The same as sample_packed_rotation().
OP quaternion sample_packed_row(memory data, const clip_row *row, FOUND at, bool near) {
    packed_range range = row->rotation.packed.range;
    quaternion a = components_of_fields(range, row_fields(data, row, FRAME_OF_KEY(at)));
    quaternion b = components_of_fields(range, row_fields(data, row, FRAME_OF_AFTER(at)));
    if (row->left_out < 3u) {
        a = order_components(row->left_out, a);
        b = order_components(row->left_out, b);
    }
    return snap_rotation(slerp_between_keys(a, b, at, near));
}

OP quaternion sample_row_rotation(evaluation e, const clip_row *row, uint joint, bool near) {
    uint kind = ROW_KIND(row->kinds, PROPERTY_ROTATION);
    quaternion sampled;
    if ((kind & (ROW_LINEAR | ROW_DECODED)) != 0u) {
        const key_position *found = find_row_keys(e, row->rotation.track.keys);
        quaternion a, b;
        load_rotation_pair(row->rotation.track.keys.first, found, &a, &b);
        sampled = snap_rotation(slerp_between_keys(a, b, found, near));
    } else if ((kind & ROW_PACKED) != 0u && e.search->times == row->rotation.packed.times) {
        sampled = sample_packed_row(e.program, row, &e.search->found, near);
    } else if ((kind & ROW_CONSTANT) != 0u) {
        const float *q = row->rotation.track.value;
        sampled = all_quaternion(q[0], q[1], q[2], q[3]);
    } else {
        const evaluation at = sampling_part(e);
        quaternion apart;
        sample_rotation_apart(&at, e.from->usual, joint, &apart);
        sampled = apart;
    }
    return sampled;
}

// Whether rows have the joint's values. A rest pose is that of e.joint, which differs from the clip's joint under a
// joint map or a retarget.
OP bool rows_fit(evaluation e, uint kinds, uint joint) {
    return !USES_JOINT_MAPS || joint == e.joint || (kinds & ROW_KINDS(ROW_REST)) == 0u;
}

// The local transform of a joint of the clip that lanes play. The last key search of the source is e.search.
OP transform sample_row(evaluation e, uint joint) {
    const clip_rows *rows = e.search->rows[0];
    const clip_row *row = &rows->joints[joint];
    transform sampled;
    sampled.s = all_vector(1.0f, 1.0f, 1.0f);
    sampled.t = sample_row_vector(e, ROW_KIND(row->kinds, PROPERTY_TRANSLATION), &row->translation, joint,
                                  PROPERTY_TRANSLATION);
    sampled.q = sample_row_rotation(e, row, joint, !USES_FAR || rows->far == 0u);
    if (USES_SCALE) {
        sampled.s = sample_row_vector(e, ROW_KIND(row->kinds, PROPERTY_SCALE), &row->scale, joint, PROPERTY_SCALE);
    }
    sampled.weight = SPLAT(WEIGHT_PRESENT);
    return sampled;
}

// ---- Different clips in the lanes.

// The rows of a joint, and what is in them.
typedef struct mixed_rows {
    const clip_row *each[LMB_SIMD_WIDTH];
    uint kinds; // in any lane
    uint step;  // of key searches: the largest of the lanes
} mixed_rows;

// The keys of a property. Lanes with a constant have the keys of a lane without one, and are replaced afterwards.
typedef struct mixed_keys {
    const row_keys *each[LMB_SIMD_WIDTH];
    lane_mask constant;
} mixed_keys;

// Finds the key positions of lanes that have key times of their own, as find_key() does.
OP key_position find_mixed_key(memory data, word times, word keys, uint largest_step, real time) {
    key_position at;
    at.key = ALL_WORD(0u);
    for (uint stride = largest_step; stride > 0u; stride >>= 1u) {
        word next = at.key + stride;
        lane_mask fits = next < keys;
        real next_time = GATHER_REAL(data, times + SELECT_BITS(fits, next));
        at.key = SELECT(AND(fits, next_time <= time), next, at.key);
    }
    at.after = SELECT(at.key + 1u < keys, at.key + 1u, at.key);
    real key_time = GATHER_REAL(data, times + at.key);
    real fraction = (time - key_time) * GATHER_REAL(data, (times + keys) + at.key);
    at.fraction = clamp_real(snap_number(fraction), 0.0f, 1.0f);
    at.interval = GATHER_REAL(data, times + at.after) - key_time;
    at = prepare_rotations(at);
    lmb_find_rows(at.key, 4u, at.key_rows);
    lmb_find_rows(at.after, 4u, at.after_rows);
    at.followed = ALL(at.after > at.key);
    return at;
}

// key_search.times after a search for the common times of different clips. No times are at this offset.
#define MIXED_TIMES 1u

// The search for the times that most tracks of each clip have.
OP_COLD void search_common_keys(const evaluation *at, uint step) {
    word times, keys;
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        LANE(times, lane) = at->search->rows[lane]->times;
        LANE(keys, lane) = at->search->rows[lane]->keys;
    }
    at->search->times = MIXED_TIMES;
    at->search->found = find_mixed_key(at->program, times, keys, step, at->from->time);
}

// The search for other times, for which it must be repeated where they change.
OP_COLD void search_apart_keys(const evaluation *at, const mixed_keys *of, uint step) {
    key_search *search = at->search;
    word times, keys;
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        LANE(times, lane) = of->each[lane]->times & ~ROW_DECODED_TIMES;
        LANE(keys, lane) = of->each[lane]->count;
    }
    if (!search->has_apart || ANY(search->apart_times != times)) {
        search->has_apart = true;
        search->apart_times = times;
        search->apart = find_mixed_key(at->program, times, keys, step, at->from->time);
    }
}

OP const key_position *find_mixed_keys(const evaluation *at, const mixed_keys *of, uint kind, uint step) {
    const key_position *found = &at->search->found;
    if ((kind & ROW_APART) != 0u) {
        search_apart_keys(at, of, step);
        found = &at->search->apart;
    } else if (at->search->times != MIXED_TIMES) {
        search_common_keys(at, step);
    }
    return found;
}

#define ROW_HAS_KEYS (ROW_LINEAR | ROW_DECODED)

// Takes each lane's keys of a property, whose kind in all lanes together is `kind`.
OP mixed_keys take_mixed_keys(const mixed_rows *rows, uint property, uint kind) {
    mixed_keys taken;
    taken.constant = ALL_WORD(0u) != 0u;
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        taken.each[lane] = &track_of_row(rows->each[lane], property)->keys;
    }
    if ((kind & ROW_CONSTANT) != 0u) {
        const row_keys *usual = NULL;
        for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
            bool constant = (ROW_KIND(rows->each[lane]->kinds, property) & ROW_CONSTANT) != 0u;
            LANE(taken.constant, lane) = constant ? -1 : 0;
            usual = constant ? usual : taken.each[lane];
        }
        for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
            taken.each[lane] = LANE(taken.constant, lane) != 0 ? usual : taken.each[lane];
        }
    }
    return taken;
}

// Loads each lane's constant of a property; other lanes load anything.
OP void load_mixed_constants(const mixed_rows *rows, uint property, real v[4]) {
    const uint32_t *from[LMB_SIMD_WIDTH];
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        from[lane] = (const uint32_t *)track_of_row(rows->each[lane], property)->value;
    }
    lmb_load_rows_of(from, v);
}

// Interpolates keys as sample_linear_row() and sample_decoded_row() do. Both snap alike here: keys in a clip are at
// most 2^40 in magnitude, and snapping what is between them changes no bit.
OP vector sample_mixed_keys(const evaluation *at, const mixed_rows *rows, uint property, uint kind) {
    mixed_keys keys = take_mixed_keys(rows, property, kind);
    const key_position *found = find_mixed_keys(at, &keys, kind, rows->step);
    const uint32_t *from[LMB_SIMD_WIDTH], *to[LMB_SIMD_WIDTH];
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        size_t words = (keys.each[lane]->times & ROW_DECODED_TIMES) != 0u ? 4u : 3u;
        from[lane] = keys.each[lane]->first + LANE(found->key, lane) * words;
        to[lane] = keys.each[lane]->first + LANE(found->after, lane) * words;
    }
    real a[4], b[4], constant[4];
    lmb_load_rows_of(from, a);
    lmb_load_rows_of(to, b);
    vector sampled =
        snap_vector(lerp_vectors(make_vector(a[0], a[1], a[2]), make_vector(b[0], b[1], b[2]), found->fraction));
    if ((kind & ROW_CONSTANT) != 0u) {
        load_mixed_constants(rows, property, constant);
        sampled = select_vector(keys.constant, make_vector(constant[0], constant[1], constant[2]), sampled);
    }
    return sampled;
}

OP vector sample_mixed_vector(const evaluation *at, const mixed_rows *rows, uint property) {
    uint kind = ROW_KIND(rows->kinds, property);
    vector sampled;
    if ((kind & ROW_HAS_KEYS) != 0u) {
        sampled = sample_mixed_keys(at, rows, property, kind);
    } else {
        real constant[4];
        load_mixed_constants(rows, property, constant);
        sampled = make_vector(constant[0], constant[1], constant[2]);
    }
    return sampled;
}

OP quaternion sample_mixed_rotation(const evaluation *at, const mixed_rows *rows) {
    uint kind = ROW_KIND(rows->kinds, PROPERTY_ROTATION);
    quaternion fixed = all_quaternion(0.0f, 0.0f, 0.0f, 1.0f);
    if ((kind & ROW_CONSTANT) != 0u) {
        real constant[4];
        load_mixed_constants(rows, PROPERTY_ROTATION, constant);
        fixed = make_quaternion(constant[0], constant[1], constant[2], constant[3]);
    }
    quaternion sampled = fixed;
    if ((kind & ROW_HAS_KEYS) != 0u) {
        mixed_keys keys = take_mixed_keys(rows, PROPERTY_ROTATION, kind);
        const key_position *found = find_mixed_keys(at, &keys, kind, rows->step);
        const uint32_t *from[LMB_SIMD_WIDTH], *to[LMB_SIMD_WIDTH];
        for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
            from[lane] = keys.each[lane]->first + found->key_rows[lane];
            to[lane] = keys.each[lane]->first + found->after_rows[lane];
        }
        real a[4], b[4];
        if (found->followed) {
            lmb_load_row_pairs_of(from, a, b);
        } else {
            lmb_load_rows_of(from, a);
            lmb_load_rows_of(to, b);
        }
        quaternion before = make_quaternion(a[0], a[1], a[2], a[3]), after = make_quaternion(b[0], b[1], b[2], b[3]);
        sampled = snap_rotation(slerp_between_keys(before, after, found, !USES_FAR));
        if ((kind & ROW_CONSTANT) != 0u) {
            sampled = select_quaternion(keys.constant, fixed, sampled);
        }
    }
    return sampled;
}

// Finds each lane's row of a joint. Returns false if rows do not have the joint in every lane.
OP bool take_mixed_rows(const evaluation *at, uint joint, mixed_rows *rows) {
    bool found = true;
    rows->kinds = 0u;
    rows->step = 0u;
    for (int lane = 0; lane < LMB_SIMD_WIDTH && found; lane++) {
        const clip_rows *set = at->search->rows[lane];
        found = set != NULL;
        if (found) {
            rows->each[lane] = &set->joints[joint];
            rows->kinds |= set->joints[joint].kinds;
            rows->step = set->step > rows->step ? set->step : rows->step;
        }
    }
    return found && rows_fit(*at, rows->kinds, joint) && (rows->kinds & ROW_KINDS(ROW_OTHER | ROW_PACKED)) == 0u;
}

// The local transform of a joint of the clips that lanes play. Returns false if rows do not have it.
OP bool sample_mixed(const evaluation *at, uint joint, transform *found) {
    mixed_rows rows;
    if (!take_mixed_rows(at, joint, &rows)) {
        return false;
    }
    transform sampled;
    sampled.s = all_vector(1.0f, 1.0f, 1.0f);
    sampled.t = sample_mixed_vector(at, &rows, PROPERTY_TRANSLATION);
    sampled.q = sample_mixed_rotation(at, &rows);
    if (USES_SCALE) {
        sampled.s = sample_mixed_vector(at, &rows, PROPERTY_SCALE);
    }
    sampled.weight = SPLAT(WEIGHT_PRESENT);
    *found = sampled;
    return true;
}

#endif
#endif
