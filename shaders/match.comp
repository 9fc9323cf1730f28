// Motion matching: a workgroup for each character searches the rows of a database for the one with the smallest cost,
// and of those the first. src/match/search.c does the same in another order: costs are whole numbers.
//
// First each invocation bounds the costs of some large boxes. The rows of the nearest box, and the one that plays, give
// a limit; then the rows of all boxes within it are looked at, one by each invocation. If rows count mirrored, too, a
// second search with the mirrored query begins with what the first one found.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#define LMB_GLSL
#include "ops/matching.h"

layout(local_size_x = LARGE_BOX) in;

#define PUSH_OF_MATCH
#include "ops/push.h"

#include "grid.glsl"

// What is asked: members of match_question.
shared uint query[MATCH_ROW_WORDS];
shared uint left_out_first[MOST_LEFT_OUT];
shared uint left_out_last[MOST_LEFT_OUT];
shared uint left_out_count;
shared uint current;
shared uint required;
shared uint forbidden;
shared uint bounds[MOST_MATCH_ROWS / LARGE_BOX]; // of the costs in each large box
shared uint costs[LARGE_BOX];
shared uint choices[LARGE_BOX];
shared uint near[2]; // bits of large boxes

// What this invocation has found.
uint best_cost;
uint best_choice;

// Two numbers, so that their order as unsigned ones is their order.
uint raised(uint pair) {
    return pair ^ 0x80008000u;
}

uint square_of_difference(uint a, uint b) {
    uint d = a - b;
    return d * d;
}

uint nearest_between(uint x, uint low, uint high) {
    return MINIMUM(GREATER(x, low), high);
}

uint cost_of_pair(address row, uint i) {
    uint a = raised(query[i]);
    uint b = raised(push.block.at[row + i]);
    return square_of_difference(a & 0xffffu, b & 0xffffu) + square_of_difference(a >> 16u, b >> 16u);
}

// Four pairs in a turn: a driver ends the loops of an invocation after 65,535 turns, and there are 2,048 boxes.
uint cost_of(address row) {
    uint sum = 0u;
    for (uint i = 0u; i < MATCH_ROW_WORDS; i += 4u) {
        sum += cost_of_pair(row, i) + cost_of_pair(row, i + 1u);
        sum += cost_of_pair(row, i + 2u) + cost_of_pair(row, i + 3u);
    }
    return sum;
}

// The cost of the point of a box that is nearest to the query.
uint bound_of(address box) {
    uint sum = 0u;
    for (uint i = 0u; i < MATCH_ROW_WORDS; i++) {
        uint a = raised(query[i]);
        uint low = raised(push.block.at[box + MATCH_BOX_LOW + i]);
        uint high = raised(push.block.at[box + MATCH_BOX_HIGH + i]);
        sum += square_of_difference(a & 0xffffu, nearest_between(a & 0xffffu, low & 0xffffu, high & 0xffffu));
        sum += square_of_difference(a >> 16u, nearest_between(a >> 16u, low >> 16u, high >> 16u));
    }
    return sum;
}

bool tags_of_row_fit(address matching, uint row) {
    uint tags = push.block.at[READ(push.block, matching, MATCHING, tags) + row];
    return tags_fit(tags, tags, required, forbidden);
}

bool is_better(uint cost, uint choice) {
    return cost < best_cost || (cost == best_cost && choice < best_choice);
}

void keep_better(uint cost, uint choice) {
    if (is_better(cost, choice)) {
        best_cost = cost;
        best_choice = choice;
    }
}

uint choice_of(uint row, bool mirrored) {
    return row + (mirrored ? MATCH_MIRRORED : 0u);
}

bool is_left_out(address matching, uint row) {
    uint moment = push.block.at[READ(push.block, matching, MATCHING, moments) + row];
    bool found = false;
    for (uint i = 0u; i < left_out_count; i++) {
        found = found || (moment >= left_out_first[i] && moment <= left_out_last[i]);
    }
    return found;
}

void ask(control c, address matching) {
    match_question q = find_question(c, matching);
    query = q.query;
    left_out_first = q.without.first;
    left_out_last = q.without.last;
    left_out_count = q.without.count;
    current = q.current;
    required = q.required;
    forbidden = q.forbidden;
}

uint mirrored_query(address matching, uint feature) {
    uint mirror = push.block.at[READ(push.block, matching, MATCHING, mirrors) + feature];
    uint from = mirror & MATCH_MIRROR_FROM;
    return mirrored_number(query[from >> 1u] >> ((from & 1u) * 16u), mirror);
}

// Mirrors the query. All invocations call this.
void mirror_query(address matching) {
    uint own = gl_LocalInvocationID.x;
    uint pair = 0u;
    if (own < MATCH_ROW_WORDS) {
        pair = mirrored_query(matching, 2u * own) | (mirrored_query(matching, 2u * own + 1u) << 16u);
    }
    barrier(); // before it is written
    if (own < MATCH_ROW_WORDS) {
        query[own] = pair;
    }
    barrier();
}

// Finds the smallest of the costs of all invocations, with the first choice that has it. All invocations call this.
uvec2 smallest(uint cost, uint choice) {
    uint own = gl_LocalInvocationID.x;
    barrier();
    costs[own] = cost;
    choices[own] = choice;
    barrier();
    for (uint step = LARGE_BOX / 2u; step > 0u; step /= 2u) {
        if (own < step) {
            uint other = costs[own + step];
            if (other < costs[own] || (other == costs[own] && choices[own + step] < choices[own])) {
                costs[own] = other;
                choices[own] = choices[own + step];
            }
        }
        barrier();
    }
    return uvec2(costs[0], choices[0]);
}

// Bounds the costs of all large boxes, and returns the one with the lowest bound. CONTROL_NONE: no rows fit.
uint bound_boxes(address matching, uint box_count) {
    address boxes = READ(push.block, matching, MATCHING, large_boxes);
    uint lowest = CONTROL_NONE;
    uint nearest = CONTROL_NONE;
    for (uint i = gl_LocalInvocationID.x; i < box_count; i += LARGE_BOX) {
        address box = boxes + i * MATCH_BOX_WORDS;
        uint bound = CONTROL_NONE;
        if (tags_fit(push.block.at[box + MATCH_BOX_ANY], push.block.at[box + MATCH_BOX_ALL], required,
                     forbidden)) {
            bound = bound_of(box);
        }
        bounds[i] = bound;
        if (bound < lowest) {
            lowest = bound;
            nearest = i;
        }
    }
    return smallest(lowest, nearest).y;
}

// Looks at the row that plays: it costs less.
void look_at_current(address matching, bool mirrored) {
    uint row = row_of_choice(current);
    bool plays = current != CONTROL_NONE && (current >= MATCH_MIRRORED) == mirrored;
    if (gl_LocalInvocationID.x == 0u && plays && tags_of_row_fit(matching, row)) {
        uint cost = cost_of(READ(push.block, matching, MATCHING, numbers) + row * MATCH_ROW_WORDS);
        uint bonus = READ(push.block, matching, MATCHING, bonus);
        keep_better(bonus < cost ? cost - bonus : 0u, current);
    }
}

// Looks at the rows of a large box, of which each invocation has one.
void look_at_box(address matching, bool mirrored, uint box) {
    uint row = box * LARGE_BOX + gl_LocalInvocationID.x;
    if (row < READ(push.block, matching, MATCHING, found_count)) {
        uint cost = cost_of(READ(push.block, matching, MATCHING, numbers) + row * MATCH_ROW_WORDS);
        uint choice = choice_of(row, mirrored);
        if (is_better(cost, choice) && tags_of_row_fit(matching, row) && !is_left_out(matching, row)) {
            keep_better(cost, choice);
        }
    }
}

// Finds which of LARGE_BOX boxes may have a better row, a bit for each. All invocations call this.
void find_near(uint first, uint box_count, uint nearest, uint limit) {
    uint own = gl_LocalInvocationID.x;
    uint box = first + own;
    barrier();
    if (own < 2u) {
        near[own] = 0u;
    }
    barrier();
    if (box < box_count && box != nearest && bounds[box] <= limit) {
        atomicOr(near[own >> 5u], 1u << (own & 31u));
    }
    barrier();
}

// Searches for less than what was found. All invocations call this.
void search(address matching, bool mirrored) {
    uint row_count = READ(push.block, matching, MATCHING, found_count);
    uint box_count = (row_count + LARGE_BOX - 1u) / LARGE_BOX;
    uint nearest = bound_boxes(matching, box_count);
    look_at_current(matching, mirrored);
    if (nearest == CONTROL_NONE) {
        return;
    }
    look_at_box(matching, mirrored, nearest);
    uint cost = smallest(best_cost, best_choice).x;
    uint limit = MINIMUM(cost, CONTROL_NONE - 1u);
    for (uint first = 0u; first < box_count; first += LARGE_BOX) {
        find_near(first, box_count, nearest, limit);
        for (uint part = 0u; part < 2u; part++) {
            for (uint left = near[part]; left != 0u; left &= left - 1u) {
                look_at_box(matching, mirrored, first + part * 32u + uint(findLSB(left)));
            }
        }
    }
}

void main() {
    control c;
    c.character = grid_group();
    if (c.character >= push.characters) {
        return;
    }
    c.block = push.block;
    c.state = push.state;
    c.state_at = c.character * HEADER(push.block, CONTROL, state_words);
    c.parameters = push.parameters;
    c.row = c.character * HEADER(push.block, CONTROL, parameters);
    address matching = HEADER(push.block, CONTROL, matchings);
    address end = matching + HEADER(push.block, CONTROL, matching_count) * WORDS_OF(MATCHING);
    for (; matching < end; matching += WORDS_OF(MATCHING)) {
        address found = matched_at(c, matching) + FIELD(MATCHED, found);
        bool asks = state_word(c, found) == MATCH_ASKED;
        barrier(); // before it is written
        if (!asks) {
            continue;
        }
        if (gl_LocalInvocationID.x == 0u) {
            ask(c, matching);
        }
        barrier();
        best_cost = CONTROL_NONE;
        best_choice = CONTROL_NONE;
        uint ways = READ(push.block, matching, MATCHING, mirrored) != CONTROL_NONE ? 2u : 1u;
        for (uint way = 0u; way < ways; way++) {
            if (way > 0u) {
                mirror_query(matching);
            }
            search(matching, way > 0u);
        }
        uint choice = smallest(best_cost, best_choice).y;
        if (gl_LocalInvocationID.x == 0u) {
            set_state_word(c, found, choice == CONTROL_NONE || choice == current ? 0u : choice + 1u);
        }
        barrier();
    }
}
