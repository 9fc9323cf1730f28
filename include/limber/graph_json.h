/// @file graph_json.h
/// @ingroup files
/// Reads graphs written as JSON: a text becomes the descriptor of a graph (graph.h) for one rig and its clips. Writes
/// graphs of poses, and machines that are texts of their own.
///
/// docs/graph-json.md describes the format, and docs/graph-reference.md each operation with its fields. Their words are
/// those of graph.h. The reader is a library of its own, `limber::graph`; the core does not read JSON. A node is an
/// object with an `"op"`. Poses nest, and the outermost one is the result:
///
///     {"op": "blend", "weight": {"param": "speed", "default": 0.5}, "curve": "uniform-s",
///      "a": {"op": "clip", "clip": "Walk"},
///      "b": {"op": "clip", "clip": "Run"}}
///
/// Everything is checked before anything is built, and every mistake is reported with its position: unknown operations,
/// fields, clips, poses, joints, channels and curves, fields that are missing or given twice, wrong types and ranges,
/// too many inputs, and poses nested deeper than the graph can hold.
#ifndef LIMBER_GRAPH_JSON_H
#define LIMBER_GRAPH_JSON_H

#include <limber/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup files
/// @{

/// A graph that was read from a text, and what its descriptor refers to.
typedef struct lmb_graph_json lmb_graph_json;
typedef struct lmb_import lmb_import; // import.h

/// Another character, whose clips a text may play through a retarget.
typedef struct lmb_graph_character {
    const char *name;             ///< "from" in the text; no two have the same
    const lmb_rig *rig;           ///< must outlive the lmb_graph_json, and so must the clips
    const lmb_clip *const *clips; ///< of this rig; may be NULL if there are none
    uint32_t clip_count;
} lmb_graph_character;

/// A name in a text that stands for another one.
typedef struct lmb_graph_alias {
    const char *name;   ///< in the text; no two of a list have the same
    const char *target; ///< what the character calls it; not another alias
} lmb_graph_alias;

/// Reads a file that a text includes, for the reader, which opens no file itself.
///
/// `path` is what the text has: names of folders and of a file with `/` between them, none of them empty, `.` or `..`,
/// without backslashes, colons and control characters. So it is below the folder in which the host finds it. Stores the
/// text, which must stay valid until the next call or the end of the reading. On failure the message says why; it may
/// be shortened.
typedef lmb_result lmb_graph_read_file(void *user, const char *path, const char **text, size_t *size, lmb_error *error);

/// A text, and the rig, clips, static poses and other characters that it may use.
typedef struct lmb_graph_source {
    const char *text; ///< JSON, UTF-8; need not be terminated
    size_t size;
    const char *name;   ///< begins each message, for example a file's name. NULL means "graph"
    const lmb_rig *rig; ///< must outlive the lmb_graph_json
    /// The text may name them. They must outlive the lmb_graph_json; the array itself need not. May be NULL if there
    /// are none.
    const lmb_clip *const *clips;
    uint32_t clip_count;
    /// The text names them; of several of one name the first is taken. They must outlive the lmb_graph_json. May be
    /// NULL if there are none.
    const lmb_static_pose_def *static_poses;
    uint32_t static_pose_count;
    /// The text names them as the sources of retargets. Must outlive the call. May be NULL if there are none.
    const lmb_graph_character *characters;
    uint32_t character_count;
    /// Names of clips, and of joints and float channels, that one text has for many characters: here `clips` and `rig`
    /// have others, as in an override controller. An alias comes before the character's own name. Aliases of clips do
    /// not count inside a retarget, and those of joints not for joints of another character. Each target must exist.
    /// Must outlive the call. May be NULL if there are none.
    const lmb_graph_alias *clip_aliases;
    uint32_t clip_alias_count;
    const lmb_graph_alias *joint_aliases;
    uint32_t joint_alias_count;
    lmb_graph_read_file *read_file; ///< reads files of `"include"`. NULL: a text that includes files is refused
    void *read_file_user;
} lmb_graph_source;

#define LMB_MAX_ALIASES 4096u ///< of clips, and of joints
#define LMB_MAX_INCLUDES 64u  ///< files that a text includes, those that they include among them

/// One mistake in a text.
typedef struct lmb_graph_problem {
    char path[200];  ///< in the document, "base.inputs[1].pose.clip"; "" for all of it; the end of a path that is long
    uint32_t line;   ///< from 1
    uint32_t column; ///< in bytes, from 1
    char message[240];
    char file[100]; ///< the included file that it is in, the end of a long name; "" for the text itself
} lmb_graph_problem;

#define LMB_MAX_GRAPH_PROBLEMS 32u

/// The mistakes in a text.
typedef struct lmb_graph_problems {
    uint32_t count; ///< all that were found; only the first #LMB_MAX_GRAPH_PROBLEMS are in the list
    lmb_graph_problem
        list[LMB_MAX_GRAPH_PROBLEMS]; ///< in the order of the text; those that concern several places are last
} lmb_graph_problems;

/// Reads and checks a text.
///
/// If `problems` is not NULL, it is written on success and on failure. Fails with #LMB_ERROR_FORMAT if there is a
/// problem (the message is the first one, and says how many more there are), #LMB_ERROR_ARGUMENT if something that is
/// not optional is NULL, #LMB_ERROR_LIMIT if its content would take too much memory, #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_graph_json_read(const lmb_graph_source *source, const lmb_host *host, lmb_graph_json **graph,
                                       lmb_graph_problems *problems, lmb_error *error);
/// Aliases that were read from a text.
typedef struct lmb_graph_aliases lmb_graph_aliases;

/// Reads aliases: `{"clips": {"Walk": "walk_01"}, "joints": {"Head": "head_jnt"}}`, both optional. The keys are the
/// names in graphs.
///
/// `name` begins messages; NULL means "aliases". Fails with #LMB_ERROR_FORMAT if the text is wrong (the message names
/// the place), and as lmb_graph_json_read() does.
LMB_API lmb_result lmb_graph_aliases_read(const char *text, size_t size, const char *name, const lmb_host *host,
                                          lmb_graph_aliases **aliases, lmb_error *error);
/// Destroys aliases. NULL is allowed.
LMB_API void lmb_graph_aliases_destroy(lmb_graph_aliases *aliases);
/// Sets the aliases of a source. They live as long as `aliases`.
LMB_API void lmb_graph_aliases_use(const lmb_graph_aliases *aliases, lmb_graph_source *source);

/// Destroys a graph that was read. NULL is allowed.
LMB_API void lmb_graph_json_destroy(lmb_graph_json *graph);

/// Returns the descriptor, for lmb_graph_create(). To change something, change a copy.
///
/// It lives as long as this object. Graphs created from it do not need it.
LMB_API const lmb_graph_def *lmb_graph_json_def(const lmb_graph_json *graph);

/// Where a text has a pose.
typedef struct lmb_graph_place {
    const char *path; ///< as that of a problem, but all of it: "base.inputs[1].pose"; "" for the outermost pose
    const char *file; ///< the included file that it is in; "" for the text itself
} lmb_graph_place;

/// Returns the place of the pose from which a node of the descriptor was read.
///
/// It is the object with the operation. Nodes have the same place if one pose needs several, and if a definition has
/// arguments: there is a node for each use with other values. A definition without arguments has one node for all uses.
/// A pose that is the value of an argument is where the use has it. In a machine that was read from its own text
/// (machine.h), a place is that which it would have in JSON.
///
/// With lmb_graph_node_player(), lmb_graph_node_machine() and lmb_fade_def.pose an editor finds the pose of what plays.
/// The place lives as long as the lmb_graph_json.
LMB_API lmb_graph_place lmb_graph_json_place(const lmb_graph_json *graph, uint32_t node);

/// Returns the number of warnings: what is allowed, but probably a mistake.
LMB_API uint32_t lmb_graph_json_warning_count(const lmb_graph_json *graph);
/// Returns a warning, which lives as long as the lmb_graph_json.
LMB_API const lmb_graph_problem *lmb_graph_json_warning_at(const lmb_graph_json *graph, uint32_t index);

/// Writes the JSON schema (draft 7) of these texts, with which editors complete and check them.
///
/// `text` may be NULL if `size` is 0. At most `size` bytes are written, including the terminating zero. Returns the
/// length of the whole schema without the zero. The same text is installed as share/limber/graph.schema.json.
LMB_API size_t lmb_graph_json_schema(char *text, size_t size);

/// Writes a graph as JSON that reads to the same graph, with its parameters in the same order.
///
/// Fields that have their defaults are left out. Names stand for joints, channels, clips and static poses of the
/// descriptor, so the text is for the same rig and lists. Parameters without names are "parameter0" and so on.
/// At most `room` bytes are written, without a terminating zero; `text` may be NULL if `room` is 0. `size` becomes the
/// size of the whole text, or 0 on failure. Uses temporary memory of `host`, which may be NULL.
///
/// What advances by itself (players, machines, fades, smoothed and computed parameters, events), streamed clips and
/// retargets are not written. Fails with #LMB_ERROR_UNSUPPORTED and names the first thing that cannot be written, with
/// #LMB_ERROR_ARGUMENT if a pointer is NULL, and as lmb_graph_create() does if the descriptor is not valid.
LMB_API lmb_result lmb_graph_json_write(const lmb_graph_def *def, const lmb_host *host, char *text, size_t room,
                                        size_t *size, lmb_error *error);

/// Writes the compact text of a state machine (machine.h) as JSON that reads to the same graph.
///
/// `machine` is as for lmb_machine_read() without a graph around it: the rig and the clips that the text names are
/// needed. Each state has a line, with its transitions below it. Names and numbers are as in the text, in UTF-8; a
/// transition states the fade and curve that are the default where it is; comments are left out. At most `room` bytes
/// are written, without a terminating zero; `text` may be NULL if `room` is 0. `size` becomes the size of the whole
/// JSON, or 0 on failure. Uses temporary memory of `host`, which may be NULL.
///
/// `problems` may be NULL. Fails as lmb_machine_read() does, with the same problems, and with #LMB_ERROR_ARGUMENT if
/// `size` is NULL, or `text` although there is room.
LMB_API lmb_result lmb_machine_json_write(const lmb_graph_source *machine, const lmb_host *host, char *text,
                                          size_t room, size_t *size, lmb_graph_problems *problems, lmb_error *error);

/// Reads a file and creates its graph for the rig and the clips of an import. Part of `limber::import`.
///
/// The graph needs neither of them afterwards. The file cannot name static poses: for these, and for clips from
/// elsewhere, use lmb_graph_json_read() and lmb_graph_create(). Warnings are logged. Fails with #LMB_ERROR_FILE,
/// #LMB_ERROR_ARGUMENT if a pointer is NULL, and as these two functions do.
LMB_API lmb_result lmb_graph_create_from_file(const char *path, const lmb_import *import, const lmb_host *host,
                                              lmb_graph **graph, lmb_error *error);

/// @}

#ifdef __cplusplus
}
#endif

#endif
