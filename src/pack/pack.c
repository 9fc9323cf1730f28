// Writes and reads packs: a header, then the parts, each a record (record.h) whose tables are in records.c.
#include "base/float_environment.h"
#include "clip/clip.h"
#include "control/moving.h"
#include "program/program.h"
#include "records.h"
#include "skin/mesh.h"

#include "../../shaders/ops/sampling.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "LMBPACK\n"
#define MAGIC_SIZE 8u
#define BASE_BUDGET ((size_t)256 << 20)
#define BUDGET_PER_BYTE 64u

typedef struct header {
    uint8_t magic[MAGIC_SIZE];
    uint32_t version;
    uint32_t reserved;
    uint64_t size;
    uint64_t checksum; // of all words after the header
} header;

_Static_assert(sizeof(header) == 32, "the header has padding");

// The content of a pack, as its parts store it.
typedef struct content {
    lmb_rig_def rig;
    lmb_pack_blocks blocks;
    lmb_pack_meshes meshes;
    lmb_pack_images images;
    lmb_pack_graphs graphs;
} content;

static void *part_of(content *content, lmb_pack_part part) {
    void *const parts[LMB_PACK_PART_COUNT] = {
        [LMB_PACK_RIG] = &content->rig,       [LMB_PACK_CLIPS] = &content->blocks,
        [LMB_PACK_MESHES] = &content->meshes, [LMB_PACK_IMAGES] = &content->images,
        [LMB_PACK_GRAPHS] = &content->graphs,
    };
    return parts[part];
}

// FNV-1a with words instead of bytes. Two blocks that differ in one word have different sums.
static uint64_t checksum_of(const uint8_t *bytes, size_t size) {
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, bytes + i, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x100000001b3);
    }
    return sum;
}

static lmb_result check_graph(const lmb_graph_def *def, const lmb_host *host, lmb_error *error) {
    const lmb_result result = lmb_graph_check_poses(def, error);
    return result == LMB_OK && lmb_graph_moves(def) ? lmb_graph_check_moving(def, host, error) : result;
}

// ---- Writing.

lmb_pack_def lmb_default_pack_def(void) {
    return (lmb_pack_def){0};
}

typedef struct writing {
    const lmb_pack_def *def;
    const lmb_host *host;
    lmb_arena memory;
    const lmb_clip **clips; // all that are given, and their indices among those that are written
    uint32_t *places;
    uint32_t clip_count;
    content content;
    lmb_error *error;
} writing;

static bool refuse(const writing *w, const char *kind, uint32_t index, const char *why) {
    return lmb_refuse(w->error, LMB_ERROR_ARGUMENT, "pack: %s %u: %s", kind, (unsigned)index, why);
}

static bool check_lists(const writing *w) {
    const lmb_pack_def *def = w->def;
    if (def->rig == NULL) {
        return lmb_refuse(w->error, LMB_ERROR_ARGUMENT, "pack: the rig is NULL");
    }
    return lmb_check_list(w->error, "pack", "clips", def->clips, def->clip_count, UINT32_MAX) &&
           lmb_check_list(w->error, "pack", "meshes", def->meshes, def->mesh_count, UINT32_MAX) &&
           lmb_check_list(w->error, "pack", "images", def->images, def->image_count, UINT32_MAX) &&
           lmb_check_list(w->error, "pack", "graphs", def->graphs, def->graph_count, LMB_MAX_PACK_GRAPHS);
}

static bool check_objects(const writing *w) {
    const lmb_pack_def *def = w->def;
    char why[64];
    for (uint32_t i = 0; i < def->clip_count; i++) {
        if (def->clips[i] == NULL) {
            return refuse(w, "clip", i, "it is NULL");
        }
    }
    for (uint32_t i = 0; i < def->mesh_count; i++) {
        if (!lmb_mesh_check(&def->meshes[i], def->rig, def->image_count, why, sizeof why)) {
            return refuse(w, "mesh", i, why);
        }
    }
    for (uint32_t i = 0; i < def->image_count; i++) {
        if (def->images[i].bytes == NULL && def->images[i].size > 0) {
            return refuse(w, "image", i, "its bytes are NULL");
        }
    }
    return true;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Returns a name that two graphs have, or NULL. Sorts `names`.
static const char *find_name_of_two(const char **names, uint32_t count) {
    qsort(names, count, sizeof *names, compare_names);
    for (uint32_t i = 1; i < count; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            return names[i];
        }
    }
    return NULL;
}

static bool check_names(const lmb_pack_graph *graphs, uint32_t count, const lmb_host *host, lmb_result result,
                        lmb_error *error) {
    for (uint32_t i = 0; i < count; i++) {
        if (graphs[i].name == NULL || graphs[i].name[0] == '\0') {
            return lmb_refuse(error, result, "pack: graph %u has no name", (unsigned)i);
        }
        if (graphs[i].def == NULL) {
            return lmb_refuse(error, result, "pack: graph '%.100s' has no descriptor", graphs[i].name);
        }
    }
    const char **names = lmb_host_allocate(host, count, sizeof *names);
    if (names == NULL) {
        return lmb_refuse(error, LMB_ERROR_MEMORY, "pack: no memory for names of graphs");
    }
    for (uint32_t i = 0; i < count; i++) {
        names[i] = graphs[i].name;
    }
    const char *twice = find_name_of_two(names, count);
    lmb_host_release(host, names);
    return twice == NULL || lmb_refuse(error, result, "pack: two graphs are called '%.100s'", twice);
}

static bool check_graphs(const writing *w) {
    const lmb_pack_def *def = w->def;
    if (!check_names(def->graphs, def->graph_count, w->host, LMB_ERROR_ARGUMENT, w->error)) {
        return false;
    }
    for (uint32_t i = 0; i < def->graph_count; i++) {
        const lmb_pack_graph *graph = &def->graphs[i];
        if (graph->def->rig != def->rig) {
            return lmb_refuse(w->error, LMB_ERROR_ARGUMENT, "pack: graph '%.100s' is for another rig", graph->name);
        }
        lmb_error found;
        const lmb_result result = check_graph(graph->def, w->host, &found);
        if (result != LMB_OK) {
            return lmb_refuse(w->error, result, "pack: graph '%.100s': %.380s", graph->name, found.message);
        }
    }
    return true;
}

static void add_clip(writing *w, const lmb_clip *clip, uint32_t place) {
    w->clips[w->clip_count] = clip;
    w->places[w->clip_count++] = place;
}

static bool is_same(const lmb_clip *a, const lmb_clip *b) {
    return a->size == b->size && memcmp(a->words, b->words, a->size * sizeof *a->words) == 0;
}

// Adds a clip of a graph, unless it is absent or was added. One with the content of another is written with that: a
// graph that is created again from a pack makes its own copies of clips whose root motion it takes.
static void add_clip_of_graph(writing *w, const lmb_clip *clip, uint32_t *count) {
    uint32_t place = *count;
    for (uint32_t i = 0; i < w->clip_count; i++) {
        if (w->clips[i] == clip) {
            return;
        }
        place = place == *count && clip != NULL && is_same(w->clips[i], clip) ? w->places[i] : place;
    }
    if (clip != NULL) {
        add_clip(w, clip, place);
        *count += place == *count ? 1 : 0;
    }
}

static void add_clips(writing *w) {
    const lmb_pack_def *def = w->def;
    size_t most = def->clip_count;
    for (uint32_t i = 0; i < def->graph_count; i++) {
        most += def->graphs[i].def->clip_count;
    }
    w->clips = lmb_arena_allocate(&w->memory, most, sizeof *w->clips);
    w->places = lmb_arena_allocate(&w->memory, most, sizeof *w->places);
    lmb_pack_block *blocks = lmb_arena_allocate(&w->memory, most, sizeof *blocks);
    if (w->memory.failed) {
        return;
    }
    // Those of the descriptor keep their indices, even if one is given twice.
    for (uint32_t i = 0; i < def->clip_count; i++) {
        add_clip(w, def->clips[i], i);
    }
    uint32_t count = def->clip_count;
    for (uint32_t i = 0; i < def->graph_count; i++) {
        for (uint32_t k = 0; k < def->graphs[i].def->clip_count; k++) {
            add_clip_of_graph(w, def->graphs[i].def->clips[k], &count);
        }
    }
    for (uint32_t i = 0; i < w->clip_count; i++) {
        blocks[w->places[i]] = (lmb_pack_block){w->clips[i]->words, w->clips[i]->size};
    }
    w->content.blocks = (lmb_pack_blocks){blocks, count};
}

static void add_rig(writing *w) {
    const lmb_rig *rig = w->def->rig;
    const uint32_t joint_count = lmb_rig_get_def(rig)->joint_count, socket_count = lmb_rig_get_def(rig)->socket_count;
    const uint32_t channel_count = lmb_rig_get_def(rig)->channel_count;
    lmb_joint_def *joints = lmb_arena_allocate(&w->memory, joint_count, sizeof *joints);
    lmb_socket_def *sockets = lmb_arena_allocate(&w->memory, socket_count, sizeof *sockets);
    lmb_channel_def *channels = lmb_arena_allocate(&w->memory, channel_count, sizeof *channels);
    if (w->memory.failed) {
        return;
    }
    for (uint32_t i = 0; i < joint_count; i++) {
        joints[i] = (lmb_joint_def){.name = lmb_rig_get_def(rig)->joints[i].name,
                                    .parent = lmb_rig_get_def(rig)->joints[i].parent,
                                    .rest = lmb_rig_get_def(rig)->joints[i].rest,
                                    .is_normalised = true,
                                    .inverse_bind = lmb_rig_get_def(rig)->joints[i].inverse_bind,
                                    .has_inverse_bind = true,
                                    .radius = lmb_rig_get_def(rig)->joints[i].radius,
                                    .is_extra = lmb_rig_get_def(rig)->joints[i].is_extra};
    }
    for (uint32_t i = 0; i < socket_count; i++) {
        sockets[i] = (lmb_socket_def){.name = lmb_rig_get_def(rig)->sockets[i].name,
                                      .joint = lmb_rig_get_def(rig)->sockets[i].joint,
                                      .local = lmb_rig_get_def(rig)->sockets[i].local,
                                      .is_normalised = true};
    }
    for (uint32_t i = 0; i < channel_count; i++) {
        channels[i] = (lmb_channel_def){.name = lmb_rig_get_def(rig)->channels[i].name,
                                        .rest = lmb_rig_get_def(rig)->channels[i].rest,
                                        .angle = lmb_rig_get_def(rig)->channels[i].angle};
    }
    w->content.rig = (lmb_rig_def){.joints = joints,
                                   .joint_count = joint_count,
                                   .sockets = sockets,
                                   .socket_count = socket_count,
                                   .channels = channels,
                                   .channel_count = channel_count};
}

static void add_lists(writing *w) {
    const lmb_pack_def *def = w->def;
    w->content.meshes = (lmb_pack_meshes){def->meshes, def->mesh_count};
    w->content.images = (lmb_pack_images){def->images, def->image_count};
    w->content.graphs = (lmb_pack_graphs){def->graphs, def->graph_count};
}

static bool write_parts(writing *w, uint8_t *bytes, size_t room, size_t *size) {
    const lmb_record_context context = {.joint_count = lmb_rig_get_def(w->def->rig)->joint_count,
                                        .channel_count = lmb_rig_get_def(w->def->rig)->channel_count,
                                        .clips = w->clips,
                                        .clip_places = w->places,
                                        .clip_count = w->clip_count};
    lmb_record_writer writer = {.context = &context, .bytes = bytes, .room = room};
    header head = {.magic = {0}, .version = LMB_PACK_VERSION};
    memcpy(head.magic, MAGIC, MAGIC_SIZE);
    lmb_record_put(&writer, &head, sizeof head);
    for (lmb_pack_part part = 0; part < LMB_PACK_PART_COUNT; part++) {
        lmb_record_write(&writer, lmb_pack_parts[part], part_of(&w->content, part));
    }
    if (writer.too_long != NULL) {
        return lmb_refuse(w->error, LMB_ERROR_LIMIT, "pack: '%s' has 2^32 elements or more", writer.too_long);
    }
    *size = writer.size;
    if (bytes != NULL && writer.size <= room) {
        head.size = writer.size;
        head.checksum = checksum_of(bytes + sizeof head, writer.size - sizeof head);
        memcpy(bytes, &head, sizeof head);
    }
    return true;
}

static bool write_pack(writing *w, uint8_t *bytes, size_t room, size_t *size) {
    if (!check_lists(w) || !check_objects(w) || !check_graphs(w)) {
        return false;
    }
    add_clips(w);
    add_rig(w);
    add_lists(w);
    return w->memory.failed ? lmb_refuse(w->error, LMB_ERROR_MEMORY, "pack: no memory")
                            : write_parts(w, bytes, room, size);
}

lmb_result lmb_pack_write(const lmb_pack_def *def, const lmb_host *host, void *bytes, size_t room, size_t *size,
                          lmb_error *error) {
    lmb_error unread;
    error = error != NULL ? error : &unread;
    if (def == NULL || size == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "pack: %s is NULL", def == NULL ? "the descriptor" : "the size");
    }
    const lmb_host resolved = lmb_host_resolve(host);
    writing w = {.def = def, .host = &resolved, .memory = {.host = &resolved}, .error = error};
    const bool success =
        write_pack(&w, bytes, room, size) &&
        (bytes == NULL || *size <= room ||
         lmb_refuse(error, LMB_ERROR_LIMIT, "pack: it takes %zu bytes, and there is room for %zu", *size, room));
    lmb_arena_release(&w.memory);
    return success ? LMB_OK : error->result;
}

// ---- Reading.

struct lmb_pack {
    lmb_host host;
    lmb_arena memory; // of all lists
    lmb_pack_def def;
    lmb_rig *rig;    // of `def`
    lmb_clip *clips; // of `def`; their words are in the pack's bytes
    size_t part_bytes[LMB_PACK_PART_COUNT];
};

bool lmb_pack_is_pack(const void *bytes, size_t size) {
    return bytes != NULL && size >= MAGIC_SIZE && memcmp(bytes, MAGIC, MAGIC_SIZE) == 0;
}

static bool check_header(const uint8_t *bytes, size_t size, lmb_error *error) {
    header head;
    if (!lmb_pack_is_pack(bytes, size)) {
        return lmb_refuse(error, LMB_ERROR_FORMAT, "pack: it does not begin as a pack does");
    }
    if (size < sizeof head) {
        return lmb_refuse(error, LMB_ERROR_FORMAT, "pack: %zu bytes are less than its header", size);
    }
    memcpy(&head, bytes, sizeof head);
    if (head.version != LMB_PACK_VERSION || head.reserved != 0) {
        return lmb_refuse(error, LMB_ERROR_UNSUPPORTED, "pack: version %u.%u, and this library reads version %u",
                          (unsigned)head.version, (unsigned)head.reserved, LMB_PACK_VERSION);
    }
    if (head.size != size || size % 4 != 0) {
        return lmb_refuse(error, LMB_ERROR_FORMAT, "pack: %zu bytes, and its header says %llu", size,
                          (unsigned long long)head.size);
    }
    return head.checksum == checksum_of(bytes + sizeof head, size - sizeof head) ||
           lmb_refuse(error, LMB_ERROR_FORMAT, "pack: it is damaged: the checksum is another one");
}

static bool read_part(lmb_pack *pack, lmb_record_reader *reader, content *content, lmb_pack_part part) {
    const size_t first = reader->at;
    const bool success = lmb_record_read(reader, lmb_pack_parts[part], part_of(content, part));
    pack->part_bytes[part] = reader->at - first;
    return success;
}

// Refuses as the reader does, with the message of another function.
static bool refuse_inner(const lmb_record_reader *reader, const char *kind, uint32_t index, const lmb_error *found) {
    const lmb_result result = found->result == LMB_ERROR_ARGUMENT ? LMB_ERROR_FORMAT : found->result;
    return kind == NULL
               ? lmb_refuse(reader->error, result, "pack: %.480s", found->message)
               : lmb_refuse(reader->error, result, "pack: %s %u: %.440s", kind, (unsigned)index, found->message);
}

static bool create_rig(lmb_pack *pack, const lmb_record_reader *reader, const lmb_rig_def *def) {
    for (uint32_t i = 0; i < def->joint_count; i++) {
        if (def->joints[i].parent != LMB_NONE && def->joints[i].parent >= i) {
            return lmb_refuse(reader->error, LMB_ERROR_FORMAT, "pack: joint %u: its parent does not come before it",
                              (unsigned)i);
        }
    }
    lmb_error found;
    if (lmb_rig_create(def, &pack->host, &pack->rig, &found) != LMB_OK) {
        return refuse_inner(reader, NULL, 0, &found);
    }
    pack->def.rig = pack->rig;
    return true;
}

static bool create_clip(lmb_pack *pack, const lmb_record_reader *reader, const lmb_pack_block *block, uint32_t index) {
    lmb_error found;
    lmb_environment callers;
    if (block->word_count < WORDS_OF(CLIP) || block->word_count > 1u << 30) {
        return lmb_refuse(reader->error, LMB_ERROR_FORMAT, "pack: clip %u: %u words are not %u to 2^30",
                          (unsigned)index, (unsigned)block->word_count, WORDS_OF(CLIP));
    }
    lmb_environment_enter(&callers);
    const lmb_result result = lmb_clip_check(block->words, block->word_count, &found);
    lmb_environment_leave(&callers);
    if (result != LMB_OK) {
        return refuse_inner(reader, "clip", index, &found);
    }
    // Nothing writes to the words of a clip.
    pack->clips[index] = (lmb_clip){.host = pack->host,
                                    .info = lmb_clip_read_info(block->words),
                                    .size = block->word_count,
                                    .words = (uint32_t *)(uintptr_t)block->words};
    return true;
}

// Creates the clips, and the list of pointers to them.
static bool create_clips(lmb_pack *pack, lmb_record_reader *reader, const lmb_pack_blocks *blocks) {
    pack->clips = lmb_record_allocate(reader, blocks->count, sizeof *pack->clips);
    const lmb_clip **list =
        pack->clips == NULL ? NULL : lmb_record_allocate(reader, blocks->count, sizeof(const lmb_clip *));
    for (uint32_t i = 0; list != NULL && i < blocks->count; i++) {
        if (!create_clip(pack, reader, &blocks->blocks[i], i)) {
            return false;
        }
        list[i] = &pack->clips[i];
    }
    pack->def.clips = list;
    pack->def.clip_count = list != NULL ? blocks->count : 0;
    return list != NULL;
}

static bool check_meshes(lmb_pack *pack, const lmb_record_reader *reader) {
    char why[64];
    for (uint32_t i = 0; i < pack->def.mesh_count; i++) {
        const lmb_mesh *mesh = &pack->def.meshes[i];
        if (!lmb_mesh_check(mesh, pack->rig, pack->def.image_count, why, sizeof why)) {
            return lmb_refuse(reader->error, LMB_ERROR_FORMAT, "pack: mesh %u: %s", (unsigned)i, why);
        }
    }
    return true;
}

static bool check_graphs_read(lmb_pack *pack, const lmb_record_reader *reader) {
    if (!lmb_check_count(reader->error, "pack", "graphs", pack->def.graph_count, LMB_MAX_PACK_GRAPHS) ||
        !check_names(pack->def.graphs, pack->def.graph_count, &pack->host, LMB_ERROR_FORMAT, reader->error)) {
        return false;
    }
    for (uint32_t i = 0; i < pack->def.graph_count; i++) {
        // The descriptors are in the pack's memory.
        lmb_graph_def *def = (lmb_graph_def *)(uintptr_t)pack->def.graphs[i].def;
        lmb_error found;
        def->rig = pack->rig;
        if (check_graph(def, &pack->host, &found) != LMB_OK) {
            return refuse_inner(reader, "graph", i, &found);
        }
    }
    return true;
}

static bool read_pack(lmb_pack *pack, const uint8_t *bytes, size_t size, lmb_error *error) {
    content content;
    lmb_record_context context = {0};
    const size_t most = SIZE_MAX - BASE_BUDGET;
    lmb_record_reader reader = {.context = &context,
                                .bytes = bytes,
                                .size = size,
                                .at = sizeof(header),
                                .memory = &pack->memory,
                                .allowed =
                                    BASE_BUDGET + (size < most / BUDGET_PER_BYTE ? size * BUDGET_PER_BYTE : most),
                                .error = error};
    if (!check_header(bytes, size, error) || !read_part(pack, &reader, &content, LMB_PACK_RIG) ||
        !create_rig(pack, &reader, &content.rig) || !read_part(pack, &reader, &content, LMB_PACK_CLIPS)) {
        return false;
    }
    context.joint_count = content.rig.joint_count;
    context.channel_count = content.rig.channel_count;
    if (!create_clips(pack, &reader, &content.blocks)) {
        return false;
    }
    context.clips = pack->def.clips;
    context.clip_count = pack->def.clip_count;
    if (!read_part(pack, &reader, &content, LMB_PACK_MESHES) || !read_part(pack, &reader, &content, LMB_PACK_IMAGES) ||
        !read_part(pack, &reader, &content, LMB_PACK_GRAPHS)) {
        return false;
    }
    pack->def.meshes = content.meshes.meshes;
    pack->def.mesh_count = content.meshes.count;
    pack->def.images = content.images.images;
    pack->def.image_count = content.images.count;
    pack->def.graphs = content.graphs.graphs;
    pack->def.graph_count = content.graphs.count;
    return (reader.at == size || lmb_refuse(error, LMB_ERROR_FORMAT, "pack: something follows the graphs")) &&
           check_meshes(pack, &reader) && check_graphs_read(pack, &reader);
}

lmb_result lmb_pack_open(const void *bytes, size_t size, const lmb_host *host, lmb_pack **pack, lmb_error *error) {
    lmb_error unread;
    error = error != NULL ? error : &unread;
    if (pack != NULL) {
        *pack = NULL;
    }
    if (bytes == NULL || pack == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "pack: %s",
                        bytes == NULL ? "its bytes are NULL" : "the result is NULL");
    }
    if ((uintptr_t)bytes % 4 != 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "pack: its bytes are not aligned to 4");
    }
    const lmb_host resolved = lmb_host_resolve(host);
    lmb_pack *created = lmb_host_allocate(&resolved, 1, sizeof *created);
    if (created == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "pack: no memory");
    }
    created->host = resolved;
    created->memory.host = &created->host;
    if (!read_pack(created, bytes, size, error)) {
        lmb_pack_close(created);
        return error->result;
    }
    *pack = created;
    return LMB_OK;
}

void lmb_pack_close(lmb_pack *pack) {
    if (pack == NULL) {
        return;
    }
    const lmb_host host = pack->host;
    lmb_rig_destroy(pack->rig);
    lmb_arena_release(&pack->memory);
    lmb_host_release(&host, pack);
}

const lmb_pack_def *lmb_pack_get_def(const lmb_pack *pack) {
    return &pack->def;
}

const lmb_clip *lmb_pack_find_clip(const lmb_pack *pack, const char *name) {
    for (uint32_t i = 0; name != NULL && i < pack->def.clip_count; i++) {
        if (strcmp(pack->clips[i].info.name, name) == 0) {
            return &pack->clips[i];
        }
    }
    return NULL;
}

const lmb_graph_def *lmb_pack_find_graph(const lmb_pack *pack, const char *name) {
    for (uint32_t i = 0; name != NULL && i < pack->def.graph_count; i++) {
        if (strcmp(pack->def.graphs[i].name, name) == 0) {
            return pack->def.graphs[i].def;
        }
    }
    return NULL;
}

size_t lmb_pack_part_bytes(const lmb_pack *pack, lmb_pack_part part) {
    return (uint32_t)part < LMB_PACK_PART_COUNT ? pack->part_bytes[part] : 0;
}
