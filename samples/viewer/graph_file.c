#define _POSIX_C_SOURCE 200809L // for the nanoseconds of a change
#include "graph_file.h"

#include <limber/machine.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fail.h"
#include "file.h"

#define RECENT 2 // seconds: a change that is younger may share its time with the next one

lmb_result graph_file_open(const char *path, const graph_file_character *character, graph_file *file,
                           lmb_error *error) {
    *file = (graph_file){.character = *character};
    const int length = snprintf(file->graph.path, sizeof file->graph.path, "%s", path);
    if (length < 0 || (size_t)length >= sizeof file->graph.path) {
        return viewer_fail(error, LMB_ERROR_FILE, "the path of the graph is longer than %u bytes", GRAPH_FILE_PATH - 1);
    }
    return LMB_OK;
}

static graph_file_stamp find_stamp(const char *path) {
    struct stat found;
    if (stat(path, &found) != 0) {
        return (graph_file_stamp){0};
    }
    graph_file_stamp stamp = {.seconds = (int64_t)found.st_mtime,
                              .size = (uint64_t)found.st_size,
                              .file = (uint64_t)found.st_ino,
                              .exists = true};
#ifdef __linux__
    stamp.nanoseconds = (int64_t)found.st_mtim.tv_nsec;
#endif
    return stamp;
}

static bool are_equal(const graph_file_stamp *a, const graph_file_stamp *b) {
    return a->seconds == b->seconds && a->nanoseconds == b->nanoseconds && a->size == b->size && a->file == b->file &&
           a->exists == b->exists;
}

lmb_result graph_text_read(const lmb_graph_source *source, lmb_graph_json **graph, lmb_graph_problems *problems,
                           lmb_error *error) {
    size_t blank = 0;
    while (blank < source->size && isspace((unsigned char)source->text[blank])) {
        blank++;
    }
    const bool is_json = blank == source->size || source->text[blank] == '{';
    return is_json ? lmb_graph_json_read(source, NULL, graph, problems, error)
                   : lmb_machine_read(source, NULL, NULL, graph, problems, error);
}

static lmb_result compile(graph_version *version, const char *name) {
    lmb_error *error = &version->error;
    if (lmb_graph_create(lmb_graph_json_def(version->json), NULL, &version->graph, error)) {
        return error->result;
    }
    if (lmb_graph_get_info(version->graph)->pose_count == 0) {
        return LMB_OK;
    }
    lmb_graph_destroy(version->graph);
    version->graph = NULL;
    return viewer_fail(error, LMB_ERROR_UNSUPPORTED, "%s: it reads pose buffers, and there is nobody to fill them",
                       name);
}

// Reads the content of a file. If it cannot be read, its hash is that of the message that says why.
static lmb_result read_part(graph_file_part *part, char **text, size_t *size, lmb_error *error) {
    part->stamp = find_stamp(part->path); // before reading: what changes meanwhile is read again
    const lmb_result result = file_read(part->path, FILE_LARGEST_TEXT, text, size, error);
    part->hash = result == LMB_OK ? file_hash(*text, *size) : ~file_hash(error->message, strlen(error->message));
    return result;
}

// Reads files that a graph includes, and keeps what they were.
typedef struct included_files {
    graph_file *file; // or NULL: nobody follows them
    file_folder folder;
} included_files;

static lmb_result read_included(void *user, const char *path, const char **text, size_t *size, lmb_error *error) {
    included_files *files = user;
    graph_file *file = files->file;
    if (file == NULL || file->included_count == LMB_MAX_INCLUDES) {
        return file_read_included(&files->folder, path, text, size, error);
    }
    graph_file_part *part = &file->included[file->included_count];
    const char *slash = strrchr(file->graph.path, '/');
    const int folder = slash != NULL ? (int)(slash - file->graph.path) + 1 : 0;
    const int length = snprintf(part->path, sizeof part->path, "%.*s%s", folder, file->graph.path, path);
    if (length < 0 || (size_t)length >= sizeof part->path) {
        return viewer_fail(error, LMB_ERROR_FILE, "its path is longer than %u bytes", GRAPH_FILE_PATH - 1);
    }
    file->included_count++;
    free(files->folder.text);
    files->folder.text = NULL;
    const lmb_result result = read_part(part, &files->folder.text, size, error);
    *text = files->folder.text;
    return result;
}

static graph_version *read_version(const graph_file_character *character, graph_file *file, const char *name,
                                   const char *text, size_t size) {
    graph_version *version = calloc(1, sizeof *version);
    if (version == NULL) {
        return NULL;
    }
    lmb_graph_source source = {.text = text,
                               .size = size,
                               .name = name,
                               .rig = character->rig,
                               .clips = character->clips,
                               .clip_count = character->clip_count,
                               .static_poses = character->poses,
                               .static_pose_count = character->pose_count,
                               .characters = character->sources,
                               .character_count = character->source_count};
    if (character->aliases != NULL) {
        lmb_graph_aliases_use(character->aliases, &source);
    }
    included_files files = {.file = file, .folder = {.beside = character->beside}};
    source.read_file = read_included;
    source.read_file_user = &files;
    if (graph_text_read(&source, &version->json, &version->problems, &version->error) == LMB_OK) {
        compile(version, name);
    }
    free(files.folder.text);
    return version;
}

graph_version *graph_version_read(const graph_file_character *character, const char *name, const char *text,
                                  size_t size) {
    return read_version(character, NULL, name, text, size);
}

void graph_version_destroy(graph_version *version) {
    if (version != NULL) {
        lmb_graph_destroy(version->graph);
        lmb_graph_json_destroy(version->json);
        free(version);
    }
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// Returns whether a file has another content than when it was read last. If not, it looks as it does now.
static bool has_changed(graph_file_part *part) {
    graph_file_part now = *part;
    char *text = NULL;
    size_t size = 0;
    lmb_error error;
    read_part(&now, &text, &size, &error);
    free(text);
    if (now.hash == part->hash) {
        part->stamp = now.stamp;
    }
    return now.hash != part->hash;
}

// Returns whether nothing suggests that a file has another content than when it was read last.
static bool looks_as_before(const graph_file_part *part, int64_t now) {
    const graph_file_stamp stamp = find_stamp(part->path);
    const bool is_recent = stamp.exists && now - stamp.seconds < RECENT;
    return are_equal(&stamp, &part->stamp) && !is_recent;
}

// Reads a content and the files that it includes.
static graph_version *read_content(graph_file *file) {
    char *text = NULL;
    size_t size = 0;
    lmb_error error;
    graph_version *version = NULL;
    file->included_count = 0;
    if (read_part(&file->graph, &text, &size, &error) == LMB_OK) {
        graph_file_character character = file->character;
        character.beside = file->graph.path;
        version = read_version(&character, file, last_part(file->graph.path), text, size);
    } else {
        version = calloc(1, sizeof *version);
        if (version != NULL) {
            version->error = error;
        }
    }
    free(text);
    file->was_read = version != NULL;
    return version;
}

bool graph_file_poll(graph_file *file, int64_t now, graph_version **version) {
    bool is_new = !file->was_read;
    *version = NULL;
    for (uint32_t i = 0; i <= file->included_count && !is_new; i++) {
        graph_file_part *part = i == 0 ? &file->graph : &file->included[i - 1];
        is_new = !looks_as_before(part, now) && has_changed(part);
    }
    if (is_new) {
        *version = read_content(file);
    }
    return *version != NULL;
}
