// Ranks of weighted sums: in a crowd whose characters are in different states, the lanes of a vector have different
// inputs of a sum. Sampling an input costs the same for one lane as for all, so inputs are sampled by rank instead: for
// each lane its first input that has a weight, then its second one. See ranked_sum in records.h. Included by program.h.
#ifndef LMB_OPS_RANKS_H
#define LMB_OPS_RANKS_H

// Sampling clips that differ from lane to lane takes about this many times as long as sampling one.
#define MIXED_COST 2u

// Whether all inputs of a sum are clips that differ in nothing but the clip, the time and the weight.
OP bool inputs_are_like(memory program, uint first, uint sources, bool has_choices) {
    bool like = true;
    for (uint i = 0u; i < sources && like; i++) {
        uint at = first + 2u * i * WORDS_OF(INSTRUCTION);
        uint after = at + WORDS_OF(INSTRUCTION);
        like = READ(program, at, INSTRUCTION, operation) == OPERATION_CLIP &&
               READ(program, at, SAMPLE, absent) == READ(program, first, SAMPLE, absent) &&
               READ(program, at, SAMPLE, weights) == 0u &&
               (!USES_JOINT_MAPS || READ(program, at, SAMPLE, joint_map) == 0u);
        if (has_choices) {
            uint choices = READ(program, after, BLEND, choices);
            like = like && choices == READ(program, first + WORDS_OF(INSTRUCTION), BLEND, choices) &&
                   (choices & (CHOICE_LAYERS | CHOICE_PROFILES)) == 0u;
        }
    }
    return like;
}

// Lists the sums of a program that can be ranked. Their inputs together are at most its sources. Returns their number.
OP_COLD uint list_ranked_sums(memory program, ranked_sum *sums) {
    uint count = 0u, ranks = 0u;
    uint at = HEADER(program, PROGRAM, instructions);
    uint end = at + first_of_pass(program, HEADER(program, PROGRAM, pass_count)) * WORDS_OF(INSTRUCTION);
    for (; at < end; at += WORDS_OF(INSTRUCTION)) {
        uint code = READ(program, at, INSTRUCTION, operation);
        if (code == OPERATION_WEIGHTED || code == OPERATION_MEAN || code == OPERATION_MATRICES) {
            uint first = at + WORDS_OF(INSTRUCTION);
            uint sources = count_sources(program, first, code + 1u);
            if (sources > 1u && sources <= HEADER(program, PROGRAM, sources) - ranks &&
                inputs_are_like(program, first, sources, code == OPERATION_MEAN)) {
                sums[count++] = (ranked_sum){at, sources, first + 2u * sources * WORDS_OF(INSTRUCTION), ranks, 0u};
                ranks += sources;
            }
        }
    }
    return count;
}

OP const ranked_sum *find_ranked_sum(evaluation e, uint at) {
    const ranked_sum *found = NULL;
    for (uint i = 0u; i < e.sum_count; i++) {
        found = e.sums[i].at == at ? &e.sums[i] : found;
    }
    return found;
}

// Moves an input to the ranks that it has in the lanes, where it is `active`. `rank` has the next rank of each lane.
OP void add_to_ranks(evaluation e, ranked_sum *sum, source s, real share, lane_mask active, word *rank) {
    for (uint i = 0u; i <= sum->ranks && i < sum->sources; i++) {
        lane_mask mine = AND(active, *rank == i);
        if (ANY(mine)) {
            source *to = &e.sources[HEADER(e.program, PROGRAM, sources) + sum->first + i];
            real *to_share = &e.rank_weights[sum->first + i].value;
            if (i == sum->ranks) {
                sum->ranks++;
                *to = (source){.clip = ALL_WORD(0u)};
                *to_share = SPLAT(0.0f);
            }
            to->weight = SELECT(mine, s.weight, to->weight);
            to->time = SELECT(mine, s.time, to->time);
            to->clip = SELECT(mine, s.clip, to->clip);
            to->place = SELECT(mine, s.place, to->place);
            to->known = OR(to->known, AND(mine, s.known));
            *to_share = SELECT(mine, share, *to_share);
        }
    }
    *rank = *rank + SELECT_BITS(active, ALL_WORD(1u));
}

OP void rank_sum(evaluation e, ranked_sum *sum) {
    evaluation ends = begin_weight(e, sum->end);
    const stored_weight *shares = ends.weight - sum->sources;
    uint cost = 0u;
    for (uint i = 0u; i < sum->sources; i++) {
        evaluation input = begin_source(e, sum->at + (1u + 2u * i) * WORDS_OF(INSTRUCTION));
        cost += !ANY(shares[i].value > 0.0f) ? 0u : input.from->alike ? 1u : MIXED_COST;
    }
    word rank = ALL_WORD(0u);
    for (uint i = 0u; i < sum->sources && cost > MIXED_COST; i++) {
        evaluation input = begin_source(e, sum->at + (1u + 2u * i) * WORDS_OF(INSTRUCTION));
        lane_mask active = shares[i].value > 0.0f;
        if (ANY(active)) {
            add_to_ranks(e, sum, *input.from, shares[i].value, active, &rank);
        }
    }
    sum->ranks = sum->ranks * MIXED_COST < cost ? sum->ranks : 0u;
    for (uint i = 0u; i < sum->ranks; i++) {
        uint behind = HEADER(e.program, PROGRAM, sources) + sum->first + i;
        store_lanes(e, behind, compare_lanes(e.sources[behind], e.sources[behind].place));
    }
}

// Ranks the inputs of all sums for the current characters where it saves work: not if all lanes sample the same.
OP_COLD void rank_sums(const evaluation *e, bool like) {
    for (uint i = 0u; i < e->sum_count; i++) {
        e->sums[i].ranks = 0u;
        if (!like) {
            rank_sum(*e, &e->sums[i]);
        }
    }
}

#endif
