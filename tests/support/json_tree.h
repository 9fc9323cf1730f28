// Reads JSON output of a command, for suites. A missing element fails the test.
#ifndef LIMBER_TESTS_SUPPORT_JSON_TREE_H
#define LIMBER_TESTS_SUPPORT_JSON_TREE_H

#include "json/json.h"

typedef struct json_tree {
    lmb_json json;
} json_tree;

// Reads one JSON value, followed by nothing except white space. The text must outlive the tree. Node 0 is the value.
json_tree json_tree_read(const char *text);
void json_tree_release(json_tree *tree);

// Nodes of an object or an array. Members are in the order of the text.
int json_tree_size(const json_tree *tree, int node);
int json_tree_member(const json_tree *tree, int object, const char *key);
int json_tree_item(const json_tree *tree, int array, int index);
// Checks that an object has exactly these members in this order. Names are separated by spaces.
void json_tree_expect_keys(const json_tree *tree, int object, const char *keys);

double json_tree_number(const json_tree *tree, int node);
// Returns the float that the text parses to.
float json_tree_float(const json_tree *tree, int node);
bool json_tree_is_null(const json_tree *tree, int node);
bool json_tree_is_true(const json_tree *tree, int node);
// Compare the raw text, including escapes.
bool json_tree_has_text(const json_tree *tree, int node, const char *raw);
void json_tree_expect_text(const json_tree *tree, int node, const char *raw);

#endif
