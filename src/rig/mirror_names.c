// Finds mirror partners by names. The names are in a hash table, so the time is linear in their length. Each occurrence
// of left or right in a name gives one name to look up. Its hash is computed from the hashes of the text before and
// after.
#include "rig.h"

#include <limber/mirror.h>

#include <string.h>

// An occurrence of left or right in a name, and the opposite word.
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

// Returns whether a letter is a word by itself. A capital may directly follow a lower-case letter, and a capital that
// begins the next word may directly follow the letter.
static bool is_word(const char *name, size_t at) {
    char before = at == 0 ? ' ' : name[at - 1];
    char after = name[at + 1];
    bool begins = !is_letter(before) || (is_upper(name[at]) && is_lower(before));
    bool ends = !is_letter(after) || (is_upper(after) && (is_lower(name[at]) || is_lower(name[at + 2])));
    return begins && ends;
}

// Returns whether a letter may begin a word without a separator, as in "lfoot".
static bool begins_word(const char *name, size_t at) {
    return (at == 0 || !is_letter(name[at - 1])) && is_lower(name[at]) && is_lower(name[at + 1]);
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
        if (name[at] == letters[i][0][0] && (is_word(name, at) || begins_word(name, at))) {
            *found = (side){at, 1, letters[i][1]};
            return true;
        }
    }
    return false;
}

// Returns the length without a number at the end that follows a separator.
static size_t length_without_number(const char *name) {
    size_t length = strlen(name);
    size_t kept = length;
    while (kept > 0 && is_digit(name[kept - 1])) {
        kept--;
    }
    return kept < length && kept > 1 && (name[kept - 1] == '_' || name[kept - 1] == '.') ? kept - 1 : length;
}

// Returns whether `other` is `name` with that side changed.
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

// A polynomial hash of text: the hash of a concatenation follows from the hashes of its parts.
#define HASH_BASE 0x9E3779B97F4A7C15u

static uint64_t hash_text(uint64_t hash, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        hash = hash * HASH_BASE + (uint8_t)text[i] + 1;
    }
    return hash;
}

static uint64_t mix(uint64_t hash) {
    hash = (hash ^ hash >> 31) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ hash >> 29) * 0x94D049BB133111EBu;
    return hash ^ hash >> 32;
}

// A hash table of names. Each bucket is a list of names in ascending order of their indices. A search removes names
// that already have a partner, so that later searches do not visit them again.
typedef struct bucket_list {
    uint32_t *first; // [bucket]
    uint32_t *next;  // [name]
    uint32_t mask;   // the number of buckets less 1
} bucket_list;

// The names of joints or of channels, among which counterparts are searched.
typedef struct name_set {
    const lmb_rig *rig;
    lmb_host host;
    bool of_channels;
    uint32_t count;
    const uint32_t *partners; // LMB_NONE if not known yet
    uint64_t *prefixes;       // hashes of the prefixes of the name whose counterpart is searched
    uint64_t *powers;         // of HASH_BASE
    bucket_list lists[4];     // by `numbered` and `elsewhere`
    void *memory;
    bool has_lists; // false if there was no memory: then every search compares all names
} name_set;

static const char *name_of(const name_set *set, uint32_t index) {
    return set->of_channels ? set->rig->def.channels[index].name : set->rig->def.joints[index].name;
}

// A search for a counterpart.
typedef struct search {
    const name_set *set;
    uint32_t index;
    bool numbered;  // numbers at the ends may differ
    bool elsewhere; // under any parent
} search;

static size_t searched_length(const search *search, const char *name) {
    return search->numbered ? length_without_number(name) : strlen(name);
}

static uint64_t bucket_hash(uint64_t hash, bool elsewhere, uint32_t parent) {
    return mix(elsewhere ? hash : hash + mix(parent));
}

// Returns what must agree between counterparts: the parents of joints, or whether channels are angles.
static uint32_t group_of(const name_set *set, uint32_t index) {
    return set->of_channels ? set->rig->def.channels[index].angle : set->rig->def.joints[index].parent;
}

static uint32_t desired_group(const search *search) {
    const name_set *set = search->set;
    uint32_t group = group_of(set, search->index);
    return set->of_channels ? group : partner_of(set->partners, group);
}

static void fill_lists(name_set *set) {
    for (uint32_t i = set->count; i-- > 0;) {
        const char *name = name_of(set, i);
        for (uint32_t kind = 0; kind < 4; kind++) {
            size_t length = (kind & 1) ? length_without_number(name) : strlen(name);
            uint64_t hash = bucket_hash(hash_text(0, name, length), (kind & 2) != 0, group_of(set, i));
            uint32_t *first = &set->lists[kind].first[hash & set->lists[kind].mask];
            set->lists[kind].next[i] = *first;
            *first = i;
        }
    }
}

static name_set create_set(const lmb_rig *rig, const lmb_host *host, bool of_channels, const uint32_t *partners) {
    name_set set = {.rig = rig, .host = lmb_host_resolve(host), .of_channels = of_channels, .partners = partners};
    set.count = of_channels ? rig->def.channel_count : rig->def.joint_count;
    size_t longest = 0;
    uint32_t buckets = 1;
    for (uint32_t i = 0; i < set.count; i++) {
        size_t length = strlen(name_of(&set, i));
        longest = length > longest ? length : longest;
        buckets = buckets < set.count ? buckets * 2 : buckets;
    }
    size_t hash_words = 2 * (longest + 1);
    set.memory = lmb_host_allocate(
        &set.host, hash_words * sizeof(uint64_t) + 4 * ((size_t)buckets + set.count) * sizeof(uint32_t), 1);
    set.has_lists = set.memory != NULL;
    if (!set.has_lists) {
        return set;
    }
    set.prefixes = set.memory;
    set.powers = set.prefixes + longest + 1;
    set.powers[0] = 1;
    for (size_t i = 1; i <= longest; i++) {
        set.powers[i] = set.powers[i - 1] * HASH_BASE;
    }
    uint32_t *words = (uint32_t *)(set.prefixes + hash_words);
    for (uint32_t kind = 0; kind < 4; kind++) {
        set.lists[kind] = (bucket_list){.first = words, .next = words + buckets, .mask = buckets - 1};
        memset(words, 0xFF, buckets * sizeof *words); // LMB_NONE
        words += (size_t)buckets + set.count;
    }
    fill_lists(&set);
    return set;
}

static void destroy_set(const name_set *set) {
    lmb_host_release(&set->host, set->memory);
}

static void hash_prefixes(const name_set *set, const char *name) {
    if (!set->has_lists) {
        return;
    }
    set->prefixes[0] = 0;
    for (size_t i = 0; name[i] != '\0'; i++) {
        set->prefixes[i + 1] = hash_text(set->prefixes[i], name + i, 1);
    }
}

// Returns the hash of the name with its side changed. hash_prefixes() must have hashed the name's prefixes.
static uint64_t hash_counterpart(const name_set *set, size_t length, const side *side) {
    size_t rest = side->at + side->length;
    uint64_t suffix = set->prefixes[length] - set->prefixes[rest] * set->powers[length - rest];
    uint64_t changed = hash_text(set->prefixes[side->at], side->opposite, strlen(side->opposite));
    return changed * set->powers[length - rest] + suffix;
}

// Returns whether the name at `index`, which has no partner, is the counterpart.
static bool fits(const search *search, const char *name, size_t length, const side *side, uint32_t group,
                 uint32_t index) {
    const name_set *set = search->set;
    if (index == search->index || (!search->elsewhere && group_of(set, index) != group)) {
        return false;
    }
    const char *other = name_of(set, index);
    return is_counterpart(name, length, side, other, searched_length(search, other));
}

// Returns the first counterpart without a partner. `length` is searched_length() of the name whose counterpart is
// searched.
static uint32_t find_counterpart(const search *search, size_t length, const side *side) {
    const name_set *set = search->set;
    const char *name = name_of(set, search->index);
    const uint32_t group = desired_group(search);
    if (side->at + side->length > length) {
        return LMB_NONE;
    }
    if (!set->has_lists) {
        for (uint32_t i = 0; i < set->count; i++) {
            if (set->partners[i] == LMB_NONE && fits(search, name, length, side, group, i)) {
                return i;
            }
        }
        return LMB_NONE;
    }
    const bucket_list *list = &set->lists[(search->numbered ? 1 : 0) + (search->elsewhere ? 2 : 0)];
    uint64_t hash = bucket_hash(hash_counterpart(set, length, side), search->elsewhere, group);
    for (uint32_t *at = &list->first[hash & list->mask]; *at != LMB_NONE;) {
        if (set->partners[*at] != LMB_NONE) {
            *at = list->next[*at];
        } else if (fits(search, name, length, side, group, *at)) {
            return *at;
        } else {
            at = &list->next[*at];
        }
    }
    return LMB_NONE;
}

// Tries every occurrence of left or right in the name.
static uint32_t find_opposite(const search *search) {
    const char *name = name_of(search->set, search->index);
    const size_t length = searched_length(search, name);
    for (size_t at = 0; at < length; at++) {
        side side;
        uint32_t found = find_side_at(name, at, &side) ? find_counterpart(search, length, &side) : LMB_NONE;
        if (found != LMB_NONE) {
            return found;
        }
    }
    return LMB_NONE;
}

// Tries the exact name before the one without numbers. If the parent's partner is another joint, a child of that joint
// with the same name also fits.
static uint32_t find_partner(search search) {
    const name_set *set = search.set;
    const char *name = name_of(set, search.index);
    hash_prefixes(set, name);
    for (int numbered = 0; numbered < 2; numbered++) {
        search.numbered = numbered == 1;
        uint32_t found = find_opposite(&search);
        if (found != LMB_NONE) {
            return found;
        }
    }
    static const side nowhere = {0, 0, ""};
    uint32_t parent = set->rig->def.joints[search.index].parent;
    search.numbered = false;
    return partner_of(set->partners, parent) == parent || search.elsewhere
               ? LMB_NONE
               : find_counterpart(&search, strlen(name), &nowhere);
}

// Checks a joint that has no counterpart where it should have one.
static lmb_result check_alone(search search, lmb_error *error) {
    const lmb_rig *rig = search.set->rig;
    uint32_t joint = search.index;
    uint32_t parent = rig->def.joints[joint].parent;
    search.elsewhere = true;
    uint32_t other = find_partner(search);
    if (other != LMB_NONE) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "mirror: joints %u '%.60s' and %u '%.60s' are counterparts, but their parents are not",
                        (unsigned)joint, rig->def.joints[joint].name, (unsigned)other, rig->def.joints[other].name);
    }
    if (partner_of(search.set->partners, parent) != parent) {
        uint32_t beside = search.set->partners[parent];
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "mirror: joint %u '%.60s' has no counterpart under joint %u '%.60s', its parent's partner",
                        (unsigned)joint, rig->def.joints[joint].name, (unsigned)beside, rig->def.joints[beside].name);
    }
    return LMB_OK;
}

// Parents come before their children, so their partners are known.
static lmb_result find_joints(const name_set *set, uint32_t *partners, lmb_error *error) {
    for (uint32_t joint = 0; joint < set->count; joint++) {
        if (partners[joint] != LMB_NONE) {
            continue;
        }
        search search = {.set = set, .index = joint};
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

lmb_result lmb_rig_find_mirror(const lmb_rig *rig, const lmb_host *host, uint32_t *partners, lmb_error *error) {
    if (rig == NULL || partners == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "mirror: %s NULL", rig == NULL ? "the rig is" : "the partners are");
    }
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        partners[joint] = LMB_NONE;
    }
    name_set set = create_set(rig, host, false, partners);
    lmb_result result = find_joints(&set, partners, error);
    destroy_set(&set);
    return result;
}

void lmb_rig_find_mirror_channels(const lmb_rig *rig, const lmb_host *host, uint32_t *partners) {
    for (uint32_t channel = 0; channel < rig->def.channel_count; channel++) {
        partners[channel] = LMB_NONE;
    }
    name_set set = create_set(rig, host, true, partners);
    for (uint32_t channel = 0; channel < rig->def.channel_count; channel++) {
        if (partners[channel] == LMB_NONE) {
            hash_prefixes(&set, rig->def.channels[channel].name);
            uint32_t partner = find_opposite(&(search){.set = &set, .index = channel});
            partner = partner == LMB_NONE ? channel : partner;
            partners[channel] = partner;
            partners[partner] = channel;
        }
    }
    destroy_set(&set);
}
