#include "rig.h"

#include <limber/mirror.h>

#include <string.h>

// Where a name says left or right, and what it would say on the other side.
typedef struct side {
    size_t at;
    size_t length;
    const char *opposite;
} side;

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return is_lower(c) || is_upper(c);
}

// Whether a letter stands by itself: before it a capital also ends what is not a capital, and after it a capital begins a
// word.
static bool is_word(const char *name, size_t at) {
    char before = at == 0 ? ' ' : name[at - 1];
    char after = name[at + 1];
    bool begins = !is_letter(before) || (is_upper(name[at]) && is_lower(before));
    bool ends = !is_letter(after) || (is_upper(after) && (is_lower(name[at]) || is_lower(name[at + 2])));
    return begins && ends;
}

static bool find_side_at(const char *name, size_t at, side *found) {
    static const char *const words[][2] = {{"left", "right"}, {"Left", "Right"}, {"LEFT", "RIGHT"},
                                           {"right", "left"}, {"Right", "Left"}, {"RIGHT", "LEFT"}};
    static const char *const letters[][2] = {{"l", "r"}, {"L", "R"}, {"r", "l"}, {"R", "L"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i][0]);
        if (strncmp(name + at, words[i][0], length) == 0) {
            *found = (side){at, length, words[i][1]};
            return true;
        }
    }
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        if (name[at] == letters[i][0][0] && is_word(name, at)) {
            *found = (side){at, 1, letters[i][1]};
            return true;
        }
    }
    return false;
}

// Without a number at the end that follows a separator.
static size_t length_without_number(const char *name) {
    size_t length = strlen(name);
    size_t kept = length;
    while (kept > 0 && is_digit(name[kept - 1])) {
        kept--;
    }
    return kept < length && kept > 1 && (name[kept - 1] == '_' || name[kept - 1] == '.') ? kept - 1 : length;
}

// Whether `other` is `name` with that side changed.
static bool is_counterpart(const char *name, size_t length, const side *side, const char *other, size_t other_length) {
    size_t opposite = strlen(side->opposite);
    size_t rest = side->at + side->length;
    return rest <= length && other_length == length - side->length + opposite && memcmp(name, other, side->at) == 0 &&
           memcmp(other + side->at, side->opposite, opposite) == 0 &&
           memcmp(name + rest, other + side->at + opposite, length - rest) == 0;
}

static uint32_t partner_of(const uint32_t *partners, uint32_t joint) {
    return joint == LMB_NONE ? LMB_NONE : partners[joint];
}

// What a search for a joint's counterpart is after.
typedef struct search {
    const lmb_rig *rig;
    const uint32_t *partners; // LMB_NONE where not known yet
    uint32_t joint;
    bool numbered;  // numbers at the ends may differ
    bool elsewhere; // under any parent
} search;

static uint32_t find_counterpart(const search *search, const side *side) {
    const lmb_rig *rig = search->rig;
    const char *name = rig->names[search->joint];
    size_t length = search->numbered ? length_without_number(name) : strlen(name);
    uint32_t parent = partner_of(search->partners, rig->parents[search->joint]);
    for (uint32_t i = 0; i < rig->joint_count; i++) {
        if (i == search->joint || search->partners[i] != LMB_NONE ||
            (!search->elsewhere && rig->parents[i] != parent)) {
            continue;
        }
        const char *other = rig->names[i];
        if (is_counterpart(name, length, side, other,
                           search->numbered ? length_without_number(other) : strlen(other))) {
            return i;
        }
    }
    return LMB_NONE;
}

// Tries every place of the name, the exact name before that without numbers. Under a parent with another joint as its
// partner a joint of the same name will do.
static uint32_t find_partner(search search) {
    const char *name = search.rig->names[search.joint];
    for (int numbered = 0; numbered < 2; numbered++) {
        search.numbered = numbered == 1;
        for (size_t at = 0; name[at] != '\0'; at++) {
            side side;
            uint32_t found = find_side_at(name, at, &side) ? find_counterpart(&search, &side) : LMB_NONE;
            if (found != LMB_NONE) {
                return found;
            }
        }
    }
    static const side nowhere = {0, 0, ""};
    uint32_t parent = search.rig->parents[search.joint];
    search.numbered = false;
    return partner_of(search.partners, parent) == parent || search.elsewhere ? LMB_NONE
                                                                             : find_counterpart(&search, &nowhere);
}

// Of a joint that has no counterpart where it would have to be.
static lmb_result check_alone(search search, lmb_error *error) {
    const lmb_rig *rig = search.rig;
    uint32_t joint = search.joint;
    uint32_t parent = rig->parents[joint];
    search.elsewhere = true;
    uint32_t other = find_partner(search);
    if (other != LMB_NONE) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "mirror: joints %u '%.60s' and %u '%.60s' are counterparts, but their parents are not",
                        (unsigned)joint, rig->names[joint], (unsigned)other, rig->names[other]);
    }
    if (partner_of(search.partners, parent) != parent) {
        uint32_t beside = search.partners[parent];
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "mirror: joint %u '%.60s' has no counterpart under joint %u '%.60s', its parent's partner",
                        (unsigned)joint, rig->names[joint], (unsigned)beside, rig->names[beside]);
    }
    return LMB_OK;
}

lmb_result lmb_rig_find_mirror(const lmb_rig *rig, uint32_t *partners, lmb_error *error) {
    if (rig == NULL || partners == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "mirror: %s NULL", rig == NULL ? "the rig is" : "the partners are");
    }
    for (uint32_t joint = 0; joint < rig->joint_count; joint++) {
        partners[joint] = LMB_NONE;
    }
    // Parents stand before their children, so their partners are known.
    for (uint32_t joint = 0; joint < rig->joint_count; joint++) {
        if (partners[joint] != LMB_NONE) {
            continue;
        }
        search search = {.rig = rig, .partners = partners, .joint = joint};
        uint32_t partner = find_partner(search);
        if (partner == LMB_NONE) {
            lmb_result result = check_alone(search, error);
            if (result != LMB_OK) {
                return result;
            }
            partner = joint;
        }
        partners[joint] = partner;
        partners[partner] = joint;
    }
    return LMB_OK;
}

// The first channel without a partner so far whose name says the opposite, in some place.
static uint32_t find_channel_partner(const lmb_rig *rig, const uint32_t *partners, uint32_t channel) {
    const char *name = rig->channels[channel].name;
    for (size_t at = 0; name[at] != '\0'; at++) {
        side side;
        bool says = find_side_at(name, at, &side);
        for (uint32_t i = 0; says && i < rig->channel_count; i++) {
            const char *other = rig->channels[i].name;
            if (i != channel && partners[i] == LMB_NONE && rig->channels[i].angle == rig->channels[channel].angle &&
                is_counterpart(name, strlen(name), &side, other, strlen(other))) {
                return i;
            }
        }
    }
    return channel;
}

void lmb_rig_find_mirror_channels(const lmb_rig *rig, uint32_t *partners) {
    for (uint32_t channel = 0; channel < rig->channel_count; channel++) {
        partners[channel] = LMB_NONE;
    }
    for (uint32_t channel = 0; channel < rig->channel_count; channel++) {
        if (partners[channel] == LMB_NONE) {
            uint32_t partner = find_channel_partner(rig, partners, channel);
            partners[channel] = partner;
            partners[partner] = channel;
        }
    }
}
