// Motion matching: a workgroup for each character searches the rows of a database for the one with the smallest cost,
// and of those the first. src/match/search.c does the same in another order: costs are whole numbers.
//
// First each invocation bounds the costs of some large boxes. The rows of the nearest box, and the one that plays, give
// a limit; then the rows of all boxes within it are looked at, one by each invocation.
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
shared uint rows[LARGE_BOX];

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
    uint tags = push.block.at[push.block.at[matching + MATCHING_TAGS] + row];
    return tags_fit(tags, tags, required, forbidden);
}

bool is_left_out(address matching, uint row) {
    uint moment = push.block.at[push.block.at[matching + MATCHING_MOMENTS] + row];
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

// Finds the smallest of the costs of all invocations, with the first row that has it. All invocations call this.
uvec2 smallest(uint cost, uint row) {
    uint own = gl_LocalInvocationID.x;
    barrier();
    costs[own] = cost;
    rows[own] = row;
    barrier();
    for (uint step = LARGE_BOX / 2u; step > 0u; step /= 2u) {
        if (own < step) {
            uint other = costs[own + step];
            if (other < costs[own] || (other == costs[own] && rows[own + step] < rows[own])) {
                costs[own] = other;
                rows[own] = rows[own + step];
            }
        }
        barrier();
    }
    return uvec2(costs[0], rows[0]);
}

// Bounds the costs of all large boxes, and returns the one with the lowest bound. CONTROL_NONE: no rows fit.
uint bound_boxes(address matching, uint box_count) {
    address boxes = push.block.at[matching + MATCHING_LARGE];
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

// Searches, and returns a row or CONTROL_NONE.
uint search(address matching) {
    address numbers = push.block.at[matching + MATCHING_NUMBERS];
    uint row_count = push.block.at[matching + MATCHING_FOUND_COUNT];
    uint box_count = (row_count + LARGE_BOX - 1u) / LARGE_BOX;
    uint own = gl_LocalInvocationID.x;
    uint nearest = bound_boxes(matching, box_count);
    uint best = CONTROL_NONE;
    uint best_row = CONTROL_NONE;
    if (own == 0u && current != CONTROL_NONE && tags_of_row_fit(matching, current)) {
        uint cost = cost_of(numbers + current * MATCH_ROW_WORDS);
        uint bonus = push.block.at[matching + MATCHING_BONUS];
        best = bonus < cost ? cost - bonus : 0u;
        best_row = current;
    }
    uint limit = CONTROL_NONE - 1u;
    for (uint visit = 0u; visit <= box_count && nearest != CONTROL_NONE; visit++) {
        uint box = visit == 0u ? nearest : visit - 1u;
        if (visit == 0u || (box != nearest && bounds[box] <= limit)) {
            uint row = box * LARGE_BOX + own;
            if (row < row_count) {
                uint cost = cost_of(numbers + row * MATCH_ROW_WORDS);
                bool better = cost < best || (cost == best && row < best_row);
                if (better && tags_of_row_fit(matching, row) && !is_left_out(matching, row)) {
                    best = cost;
                    best_row = row;
                }
            }
        }
        if (visit == 0u) {
            uint cost = smallest(best, best_row).x;
            limit = MINIMUM(cost, limit);
        }
    }
    return smallest(best, best_row).y;
}

void main() {
    control c;
    c.character = grid_group();
    if (c.character >= push.characters) {
        return;
    }
    c.block = push.block;
    c.state = push.state;
    c.state_at = c.character * push.block.at[CONTROL_STATE_WORDS];
    c.parameters = push.parameters;
    c.row = c.character * push.block.at[CONTROL_PARAMETERS];
    address matching = push.block.at[CONTROL_MATCHINGS];
    address end = matching + push.block.at[CONTROL_MATCHING_COUNT] * MATCHING_WORDS;
    for (; matching < end; matching += MATCHING_WORDS) {
        address found = matched_at(c, matching) + MATCHED_FOUND;
        bool asks = state_word(c, found) == MATCH_ASKED;
        barrier(); // before it is written
        if (!asks) {
            continue;
        }
        if (gl_LocalInvocationID.x == 0u) {
            ask(c, matching);
        }
        barrier();
        uint row = search(matching);
        if (gl_LocalInvocationID.x == 0u) {
            set_state_word(c, found, row == CONTROL_NONE || row == current ? 0u : row + 1u);
        }
        barrier();
    }
}
