// An import block holds what a reader process found in a file that is not trusted, in a form that the parent can check:
// notes, the joint of each node, and a pack. Writing measures first if there is no buffer. Reading checks every count,
// and leaves the rest to lmb_pack_open().
#include "importer.h"

#include <limber/pack.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// After the magic text follow little-endian 32-bit words: counts of notes and nodes, the notes, the joint of each node,
// and a pack of everything else. A note begins with its size in bytes and is padded to whole words.
#define MAGIC_SIZE (sizeof LMB_IMPORT_BLOCK_MAGIC - 1)

// ---- Writing. If the buffer is too small, only the size is computed. ----

typedef struct writer {
    uint8_t *bytes;
    size_t room, size;
} writer;

static void put(writer *out, const void *bytes, size_t size) {
    static const uint8_t zeros[4];
    const size_t padding = (0 - size) & 3u;
    if (out->size + size + padding <= out->room && out->bytes != NULL) {
        memcpy(out->bytes + out->size, bytes, size);
        memcpy(out->bytes + out->size + size, zeros, padding);
    }
    out->size += size + padding;
}

static void put_word(writer *out, uint32_t word) {
    put(out, &word, sizeof word);
}

size_t lmb_import_write(const lmb_import *import, void *bytes, size_t size) {
    writer out = {.bytes = bytes, .room = size};
    put(&out, LMB_IMPORT_BLOCK_MAGIC, MAGIC_SIZE);
    put_word(&out, import->note_count);
    put_word(&out, import->node_count);
    for (uint32_t i = 0; i < import->note_count; i++) {
        const uint32_t length = (uint32_t)strlen(import->notes[i]);
        put_word(&out, length);
        put(&out, import->notes[i], length);
    }
    for (uint32_t i = 0; i < import->node_count; i++) {
        put_word(&out, import->joint_of_node[i]);
    }
    const lmb_pack_def pack = lmb_import_pack_def(import);
    const bool fits = bytes != NULL && out.size <= size;
    size_t packed = 0;
    const lmb_result result = lmb_pack_write(&pack, &import->budget.host, fits ? out.bytes + out.size : NULL,
                                             fits ? size - out.size : 0, &packed, NULL);
    return result == LMB_ERROR_MEMORY ? 0 : out.size + packed;
}

// ---- Reading ----

typedef struct reader {
    lmb_importer *importer;
    const uint8_t *bytes;
    size_t size, at;
} reader;

static bool fail(reader *in, const char *why) {
    return lmb_importer_fail(in->importer, LMB_ERROR_FORMAT, "%s", why);
}

// Returns the next bytes; NULL if fewer are left.
static const uint8_t *take(reader *in, size_t size) {
    const size_t left = in->size - in->at;
    if (size > left || ((0 - size) & 3u) > left - size) {
        fail(in, "the import block ends before its pack");
        return NULL;
    }
    const uint8_t *taken = in->bytes + in->at;
    in->at += size + ((0 - size) & 3u);
    return taken;
}

static bool take_word(reader *in, uint32_t *word) {
    const uint8_t *taken = take(in, sizeof *word);
    if (taken != NULL) {
        memcpy(word, taken, sizeof *word);
    }
    return taken != NULL;
}

static bool take_note(reader *in) {
    uint32_t length;
    const uint8_t *text = take_word(in, &length) ? take(in, length) : NULL;
    if (text == NULL) {
        return false;
    }
    if (length == 0 || length > INT32_MAX || memchr(text, '\0', length) != NULL) {
        return fail(in, "a note is empty, or has a byte of 0 inside");
    }
    return lmb_importer_note(in->importer, "%.*s", (int)length, (const char *)text);
}

// The import uses the content of the pack in place.
static bool take_pack(reader *in) {
    lmb_import *import = in->importer->import;
    const size_t size = in->size - in->at;
    const lmb_host host = lmb_pool_host(&import->pool);
    lmb_error error;
    uint8_t *copy = lmb_importer_keep(in->importer, size > 0 ? size : 1, 1);
    if (copy == NULL) {
        return false;
    }
    if (lmb_pack_open(memcpy(copy, in->bytes + in->at, size), size, &host, &import->pack, &error) != LMB_OK) {
        return lmb_importer_fail_inner(in->importer, "import block", &error);
    }
    const lmb_pack_def *content = lmb_pack_get_def(import->pack);
    const lmb_rig_def *rig = lmb_rig_get_def(content->rig);
    // Nothing writes to them.
    import->rig = (lmb_rig *)(uintptr_t)content->rig;
    import->meshes = (lmb_mesh *)(uintptr_t)content->meshes;
    import->mesh_count = content->mesh_count;
    import->images = (lmb_image *)(uintptr_t)content->images;
    import->image_count = content->image_count;
    for (uint32_t i = 0; i < content->clip_count; i++) {
        const lmb_clip *clip = content->clips[i];
        if (lmb_clip_get_info(clip)->joint_count != rig->joint_count ||
            lmb_clip_get_info(clip)->channel_count != rig->channel_count) {
            return lmb_importer_fail(in->importer, LMB_ERROR_FORMAT, "clip %" PRIu32 ": it is of another rig", i);
        }
        if (!lmb_importer_append(in->importer, &import->pool, &import->clips, &import->clip_count, &clip,
                                 sizeof clip)) {
            return false;
        }
    }
    return true;
}

// `joints` has one joint for each node, as bytes.
static bool take_nodes(reader *in, const uint8_t *joints, uint32_t count) {
    lmb_import *import = in->importer->import;
    import->joint_of_node = lmb_importer_keep(in->importer, count > 0 ? count : 1, sizeof *import->joint_of_node);
    if (import->joint_of_node == NULL) {
        return false;
    }
    memcpy(import->joint_of_node, joints, count * sizeof *import->joint_of_node);
    for (uint32_t i = 0; i < count; i++) {
        if (import->joint_of_node[i] != LMB_NONE &&
            import->joint_of_node[i] >= lmb_rig_get_def(import->rig)->joint_count) {
            return fail(in, "nodes: a joint is out of range");
        }
    }
    import->node_count = count;
    return true;
}

bool lmb_import_read_block(lmb_importer *importer, const uint8_t *bytes, size_t size) {
    reader in = {.importer = importer, .bytes = bytes, .size = size, .at = MAGIC_SIZE};
    uint32_t notes, nodes;
    if (importer->adds_clips) {
        return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED,
                                 "an import block adds no clips to another file's rig");
    }
    if (!take_word(&in, &notes) || !take_word(&in, &nodes)) {
        return false;
    }
    for (uint32_t i = 0; i < notes; i++) {
        if (!take_note(&in)) {
            return false;
        }
    }
    const uint8_t *joints = take(&in, (size_t)nodes * sizeof(uint32_t));
    return joints != NULL && take_pack(&in) && take_nodes(&in, joints, nodes);
}
