// Reads JSON that a command wrote, for suites. Whatever is not there fails the test.
#ifndef LIMBER_TESTS_JSON_TREE_H
#define LIMBER_TESTS_JSON_TREE_H

#ifndef JSMN_H
#define JSMN_HEADER // declarations alone
#endif
#include <jsmn.h>
#include <stdbool.h>

typedef struct json_tree {
    const char *text;
    jsmntok_t *tokens;
    int count;
} json_tree;

// One JSON value and nothing else but white space behind it. The text must outlive the tree. Node 0 is the value.
json_tree json_tree_read(const char *text);
void json_tree_release(json_tree *tree);

// Nodes of an object or array. Members are in the order of the text.
int json_tree_size(const json_tree *tree, int node);
int json_tree_member(const json_tree *tree, int object, const char *key);
int json_tree_item(const json_tree *tree, int array, int index);
// That an object has these members in this order and no others, names separated by blanks.
void json_tree_expect_keys(const json_tree *tree, int object, const char *keys);

double json_tree_number(const json_tree *tree, int node);
// The float that the text reads back to.
float json_tree_float(const json_tree *tree, int node);
bool json_tree_is_null(const json_tree *tree, int node);
bool json_tree_is_true(const json_tree *tree, int node);
// Text as it stands, escapes and all.
void json_tree_expect_text(const json_tree *tree, int node, const char *raw);

#endif
