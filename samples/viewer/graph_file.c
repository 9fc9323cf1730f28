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
    const int length = snprintf(file->path, sizeof file->path, "%s", path);
    if (length < 0 || (size_t)length >= sizeof file->path) {
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
    if (lmb_graph_pose_count(version->graph) == 0) {
        return LMB_OK;
    }
    lmb_graph_destroy(version->graph);
    version->graph = NULL;
    return viewer_fail(error, LMB_ERROR_UNSUPPORTED, "%s: it reads pose buffers, and there is nobody to fill them",
                       name);
}

graph_version *graph_version_read(const graph_file_character *character, const char *name, const char *text,
                                  size_t size) {
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
    file_folder folder = {.beside = character->beside};
    source.read_file = file_read_included;
    source.read_file_user = &folder;
    if (graph_text_read(&source, &version->json, &version->problems, &version->error) == LMB_OK) {
        compile(version, name);
    }
    free(folder.text);
    return version;
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

// Reads the file. If it cannot be read, its content is the message that says why.
static graph_version *read_content(graph_file *file, bool *is_new) {
    char *text = NULL;
    size_t size = 0;
    lmb_error error;
    graph_version *version = NULL;
    const bool is_text = file_read(file->path, FILE_LARGEST_TEXT, &text, &size, &error) == LMB_OK;
    const uint64_t hash = is_text ? file_hash(text, size) : ~file_hash(error.message, strlen(error.message));
    *is_new = !file->was_read || hash != file->hash;
    if (*is_new && is_text) {
        graph_file_character character = file->character;
        character.beside = file->path;
        version = graph_version_read(&character, last_part(file->path), text, size);
    } else if (*is_new) {
        version = calloc(1, sizeof *version);
        if (version != NULL) {
            version->error = error;
        }
    }
    free(text);
    if (version != NULL) {
        file->hash = hash;
        file->was_read = true;
    }
    return version;
}

bool graph_file_poll(graph_file *file, int64_t now, graph_version **version) {
    const graph_file_stamp stamp = find_stamp(file->path);
    const bool is_recent = stamp.exists && now - stamp.seconds < RECENT;
    *version = NULL;
    if (file->was_read && are_equal(&stamp, &file->stamp) && !is_recent) {
        return false;
    }
    bool is_new = false;
    *version = read_content(file, &is_new);
    if (!is_new || *version != NULL) {
        file->stamp = stamp;
    }
    return *version != NULL;
}
