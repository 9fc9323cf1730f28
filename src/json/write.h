// Writes values of graphs as JSON.
#ifndef LIMBER_SRC_JSON_WRITE_H
#define LIMBER_SRC_JSON_WRITE_H

#include "graph.h"

// How often a node is used, and its definition.
typedef struct lmb_graph_shared {
    uint32_t uses;
    uint32_t depth;  // of its pose
    uint32_t number; // of the made name of its definition, or 0 if that has the node's own name
    bool is_defined;
} lmb_graph_shared;

struct lmb_graph_writer {
    const lmb_graph_def *def;
    char *text;
    size_t room;
    size_t length; // of everything that was put, also if there is no room for it
    uint64_t hash; // of the same
    bool is_silent;
    uint32_t node;            // being written
    uint32_t written;         // number of nodes
    uint32_t depth;           // of poses
    lmb_graph_shared *shared; // [node]
    uint32_t *definitions;    // nodes, in the order in which they were used first
    uint32_t definition_count;
    uint32_t made_count; // the number of the last made name
    const char *fault;   // what cannot be written, or NULL
    uint32_t fault_node;
};

// Put bytes, a number, a string with quotes, and a key with a comma before it unless it is the first.
void lmb_graph_put_bytes(lmb_graph_writer *writer, const char *bytes, size_t count);
void lmb_graph_put(lmb_graph_writer *writer, const char *text);
void lmb_graph_put_integer(lmb_graph_writer *writer, int64_t number);
void lmb_graph_put_number(lmb_graph_writer *writer, float number);
void lmb_graph_put_string(lmb_graph_writer *writer, const char *text);
void lmb_graph_put_key(lmb_graph_writer *writer, bool *is_first, const char *key);
// Put the name of a joint or of a channel; refuse one that a reader would not find.
void lmb_graph_put_joint(lmb_graph_writer *writer, uint32_t joint);
void lmb_graph_put_channel(lmb_graph_writer *writer, uint32_t channel, bool among_joints);
void lmb_graph_put_joint_bytes(lmb_graph_writer *writer, const uint8_t *bytes, uint8_t of_root, bool with_channels);
void lmb_graph_put_root(lmb_graph_writer *writer, bool *is_first);
// Put the use of a node, whose definition comes later; and all definitions. Returns whether a definition has the node's
// own name.
void lmb_graph_put_use(lmb_graph_writer *writer, uint32_t node);
void lmb_graph_put_definitions(lmb_graph_writer *writer);
bool lmb_graph_names_definition(const lmb_graph_writer *writer, uint32_t node);
// Puts a curve, with its control points (curve.c).
void lmb_graph_put_curve(lmb_graph_writer *writer, lmb_curve curve, const float control[2]);
// Says what cannot be written.
void lmb_graph_refuse(lmb_graph_writer *writer, const char *what);

// Writes the fields that are required or do not have the value that they have in `initial`.
void lmb_graph_write_members(lmb_graph_writer *writer, const lmb_graph_fields *fields, const void *target,
                             const void *initial, bool *is_first);
void lmb_graph_write_fields(lmb_graph_writer *writer, const lmb_graph_fields *fields, const void *target,
                            const void *initial);

// Poses below each other: each takes up to three levels of JSON.
#define MOST_WRITTEN_DEPTH ((LMB_JSON_DEPTH - 2) / 3)
// operation.c: writes a pose, or the use of its definition; and the operation of a node.
void lmb_graph_write_pose(lmb_graph_writer *writer, uint32_t index);
void lmb_graph_write_operation(lmb_graph_writer *writer, uint32_t index);

// machine_write.c: writes the values that were read from a machine's own text, if that is the whole graph.
void lmb_graph_write_machine(lmb_graph_writer *writer, const lmb_json *json);

// The writers of kinds.
#define WRITER(name) void lmb_graph_write_##name(lmb_graph_writer *, const lmb_graph_field *, const void *)
WRITER(boolean);
WRITER(integer);
WRITER(number);
WRITER(numbers);
WRITER(choice);
WRITER(value);
WRITER(nothing);
WRITER(joint);
WRITER(mask);

#endif
