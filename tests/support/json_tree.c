#include "json_tree.h"
#include "suite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

json_tree json_tree_read(const char *text) {
    assert_non_null(text);
    lmb_budget budget = {.host = lmb_host_resolve(NULL), .limit = SIZE_MAX};
    lmb_pool pool = {.budget = &budget};
    json_tree tree;
    lmb_json_error error;
    if (!lmb_json_read(text, strlen(text), &pool, &tree.json, &error)) {
        fail_msg("JSON line %" PRIu32 ", column %" PRIu32 ": %s", error.line, error.column, error.reason);
    }
    const size_t size = tree.json.count * sizeof *tree.json.values;
    lmb_json_value *values = malloc(size);
    assert_non_null(values);
    tree.json.values = memcpy(values, tree.json.values, size);
    lmb_pool_clear(&pool);
    return tree;
}

void json_tree_release(json_tree *tree) {
    free(tree->json.values);
    *tree = (json_tree){0};
}

static const lmb_json_value *value_of(const json_tree *tree, int node, lmb_json_type type) {
    const lmb_json_value *value = &tree->json.values[node];
    assert_int_equal(value->type, type);
    return value;
}

int json_tree_size(const json_tree *tree, int node) {
    return (int)tree->json.values[node].count;
}

bool json_tree_has_text(const json_tree *tree, int node, const char *raw) {
    const lmb_json_value *value = &tree->json.values[node];
    return strlen(raw) == value->end - value->start && strncmp(tree->json.text + value->start, raw, strlen(raw)) == 0;
}

int json_tree_member(const json_tree *tree, int object, const char *key) {
    const uint32_t end = value_of(tree, object, LMB_JSON_OBJECT)->next;
    for (uint32_t node = (uint32_t)object + 1; node < end; node = tree->json.values[node].next) {
        if (json_tree_has_text(tree, (int)node, key)) {
            return (int)node + 1;
        }
    }
    fail_msg("no member '%s'", key);
    return -1;
}

int json_tree_item(const json_tree *tree, int array, int index) {
    assert_in_range(index, 0, value_of(tree, array, LMB_JSON_ARRAY)->count - 1);
    uint32_t node = (uint32_t)array + 1;
    for (int i = 0; i < index; i++) {
        node = tree->json.values[node].next;
    }
    return (int)node;
}

void json_tree_expect_keys(const json_tree *tree, int object, const char *keys) {
    const uint32_t end = value_of(tree, object, LMB_JSON_OBJECT)->next;
    char found[400] = "";
    for (uint32_t node = (uint32_t)object + 1; node < end; node = tree->json.values[node].next) {
        const lmb_json_value *key = &tree->json.values[node];
        size_t used = strlen(found);
        assert_true(used + (key->end - key->start) + 2 < sizeof found);
        if (used > 0) {
            found[used++] = ' ';
        }
        memcpy(found + used, tree->json.text + key->start, key->end - key->start);
    }
    assert_string_equal(found, keys);
}

double json_tree_number(const json_tree *tree, int node) {
    return strtod(tree->json.text + value_of(tree, node, LMB_JSON_NUMBER)->start, NULL);
}

float json_tree_float(const json_tree *tree, int node) {
    return strtof(tree->json.text + value_of(tree, node, LMB_JSON_NUMBER)->start, NULL);
}

bool json_tree_is_null(const json_tree *tree, int node) {
    return tree->json.values[node].type == LMB_JSON_NULL;
}

bool json_tree_is_true(const json_tree *tree, int node) {
    return tree->json.values[node].type == LMB_JSON_BOOLEAN && lmb_json_boolean(&tree->json, (uint32_t)node);
}

void json_tree_expect_text(const json_tree *tree, int node, const char *raw) {
    const lmb_json_value *value = value_of(tree, node, LMB_JSON_STRING);
    if (!json_tree_has_text(tree, node, raw)) {
        fail_msg("'%.*s' is where '%s' should", (int)(value->end - value->start), tree->json.text + value->start, raw);
    }
}
