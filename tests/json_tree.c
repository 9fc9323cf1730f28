#define JSMN_STRICT
#define JSMN_STATIC
#include <jsmn.h>

#include "json_tree.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

json_tree json_tree_read(const char *text) {
    assert_non_null(text);
    jsmn_parser parser;
    jsmn_init(&parser);
    int count = jsmn_parse(&parser, text, strlen(text), NULL, 0);
    assert_true(count > 0);
    json_tree tree = {text, calloc((size_t)count, sizeof(jsmntok_t)), count};
    assert_non_null(tree.tokens);
    jsmn_init(&parser);
    assert_int_equal(jsmn_parse(&parser, text, strlen(text), tree.tokens, (unsigned)count), count);
    assert_int_equal(tree.tokens[0].start, 0);
    const char *rest = text + tree.tokens[0].end;
    assert_int_equal(strspn(rest, " \n"), strlen(rest));
    return tree;
}

void json_tree_release(json_tree *tree) {
    free(tree->tokens);
    *tree = (json_tree){0};
}

int json_tree_size(const json_tree *tree, int node) {
    return tree->tokens[node].size;
}

// Returns the node after a node and all its contents.
static int next_node(const json_tree *tree, int node) {
    int end = tree->tokens[node].end;
    node++; // an empty text ends where it starts
    while (node < tree->count && tree->tokens[node].start < end) {
        node++;
    }
    return node;
}

static bool has_text(const json_tree *tree, int node, const char *raw) {
    const jsmntok_t *token = &tree->tokens[node];
    size_t length = (size_t)(token->end - token->start);
    return strlen(raw) == length && strncmp(tree->text + token->start, raw, length) == 0;
}

int json_tree_member(const json_tree *tree, int object, const char *key) {
    assert_int_equal(tree->tokens[object].type, JSMN_OBJECT);
    int node = object + 1;
    for (int i = 0; i < tree->tokens[object].size; i++) {
        if (has_text(tree, node, key)) {
            return node + 1;
        }
        node = next_node(tree, node + 1);
    }
    fail_msg("no member '%s'", key);
    return -1;
}

int json_tree_item(const json_tree *tree, int array, int index) {
    assert_int_equal(tree->tokens[array].type, JSMN_ARRAY);
    assert_in_range(index, 0, tree->tokens[array].size - 1);
    int node = array + 1;
    for (int i = 0; i < index; i++) {
        node = next_node(tree, node);
    }
    return node;
}

void json_tree_expect_keys(const json_tree *tree, int object, const char *keys) {
    assert_int_equal(tree->tokens[object].type, JSMN_OBJECT);
    char found[400] = "";
    int node = object + 1;
    for (int i = 0; i < tree->tokens[object].size; i++) {
        const jsmntok_t *token = &tree->tokens[node];
        size_t used = strlen(found);
        assert_true(used + (size_t)(token->end - token->start) + 2 < sizeof found);
        if (used > 0) {
            found[used++] = ' ';
        }
        memcpy(found + used, tree->text + token->start, (size_t)(token->end - token->start));
        node = next_node(tree, node + 1);
    }
    assert_string_equal(found, keys);
}

static const char *primitive(const json_tree *tree, int node) {
    assert_int_equal(tree->tokens[node].type, JSMN_PRIMITIVE);
    return tree->text + tree->tokens[node].start;
}

double json_tree_number(const json_tree *tree, int node) {
    char *end = NULL;
    double number = strtod(primitive(tree, node), &end);
    assert_ptr_equal(end, tree->text + tree->tokens[node].end);
    return number;
}

float json_tree_float(const json_tree *tree, int node) {
    char *end = NULL;
    float number = strtof(primitive(tree, node), &end);
    assert_ptr_equal(end, tree->text + tree->tokens[node].end);
    return number;
}

bool json_tree_is_null(const json_tree *tree, int node) {
    return primitive(tree, node)[0] == 'n';
}

bool json_tree_is_true(const json_tree *tree, int node) {
    return primitive(tree, node)[0] == 't';
}

void json_tree_expect_text(const json_tree *tree, int node, const char *raw) {
    assert_int_equal(tree->tokens[node].type, JSMN_STRING);
    if (!has_text(tree, node, raw)) {
        fail_msg("'%.*s' is where '%s' should", tree->tokens[node].end - tree->tokens[node].start,
                 tree->text + tree->tokens[node].start, raw);
    }
}
