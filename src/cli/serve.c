// `limber serve`: the editor of graphs in a browser, for a graph and a character of this machine. Everything that may
// fail is done before the address is printed.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "file.h"
#include "json.h"
#include "saved_file.h"
#include "server.h"
#include "terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE "editor.html"

typedef struct serving {
    subject subject;
    const char *graph; // file
    const char *site;  // folder; NULL if none is given
    uint16_t port;
    char installed[4096]; // the folder of the site that was installed with the command
    mannequin_skin *skin;
    void *character; // a pack
    size_t character_size;
    char *info; // JSON
    size_t info_size;
} serving;

static const char *read_port(const char *text, void *target) {
    uint64_t port;
    if (!option_read_whole(text, UINT16_MAX, &port)) {
        return "a whole number from 0 to 65535";
    }
    *(uint16_t *)target = (uint16_t)port;
    return NULL;
}

// ---- What is served.

// Finds the site that is installed with this command, from the folder of the command.
static lmb_result find_installed(serving *s, lmb_error *error) {
    const ssize_t length = readlink("/proc/self/exe", s->installed, sizeof s->installed - 1);
    s->installed[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(s->installed, '/');
    const size_t room = slash != NULL ? (size_t)(s->installed + sizeof s->installed - slash) : 0;
    if (slash == NULL || (size_t)snprintf(slash, room, "/%s", LIMBER_EDITOR_FOLDER) >= room ||
        access(s->installed, F_OK) != 0) {
        return lmb_fail(error, LMB_ERROR_FILE,
                        "no editor is installed with this command; give the folder of a built one: --site FOLDER");
    }
    s->site = s->installed;
    return LMB_OK;
}

static lmb_result check_site(serving *s, lmb_error *error) {
    if (s->site == NULL && find_installed(s, error)) {
        return error->result;
    }
    char *bytes;
    size_t size;
    lmb_error found;
    if (file_read_below(s->site, PAGE, FILE_LARGEST_TEXT, &bytes, &size, &found)) {
        return lmb_fail(error, found.result, "%.200s is no editor: %s", s->site, found.message);
    }
    free(bytes);
    return LMB_OK;
}

// Only a graph that can be read is served. One with mistakes is: they are printed, and mended in the editor.
static lmb_result check_graph(serving *s, lmb_error *error) {
    saved_file file;
    if (saved_file_read(s->graph, &file, error)) {
        return error->result;
    }
    free(file.bytes);
    if (!file.exists) {
        return lmb_fail(error, LMB_ERROR_FILE, "%s: there is no such file", s->graph);
    }
    s->subject.graph_text = s->graph;
    lmb_error found = {0};
    const lmb_result result = subject_read_graph(&s->subject, &found);
    if (result == LMB_OK) {
        subject_warn(&s->subject);
    }
    (void)command_end(NULL, result, &found);
    return LMB_OK;
}

static lmb_result pack_character(serving *s, lmb_error *error) {
    lmb_pack_def def;
    return character_file_pack_def(&s->subject.character, &s->subject.pool, &s->skin, &def, error) ||
                   character_file_write_pack(&def, &s->character, &s->character_size, error)
               ? error->result
               : LMB_OK;
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void write_aliases(json *json, const char *key, const lmb_graph_alias *aliases, uint32_t count) {
    json_begin_object(json, key);
    for (uint32_t i = 0; i < count; i++) {
        json_text(json, aliases[i].name, aliases[i].target);
    }
    json_end_object(json);
}

static lmb_result write_info(serving *s, lmb_error *error) {
    FILE *stream = open_memstream(&s->info, &s->info_size);
    if (stream == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for names");
    }
    const lmb_graph_source *names = &s->subject.names;
    json json = json_begin(stream);
    json_text(&json, "graph", last_part(s->graph));
    json_text(&json, "character", last_part(s->subject.files[0]));
    if (names->clip_alias_count + names->joint_alias_count > 0) {
        json_begin_object(&json, "names");
        write_aliases(&json, "clips", names->clip_aliases, names->clip_alias_count);
        write_aliases(&json, "joints", names->joint_aliases, names->joint_alias_count);
        json_end_object(&json);
    }
    json_end(&json);
    const bool failed = ferror(stream) != 0;
    return fclose(stream) != 0 || failed ? lmb_fail(error, LMB_ERROR_MEMORY, "no memory for names") : LMB_OK;
}

// ---- The command.

// Serves until a signal ends it. The thread of the server inherits that these signals are blocked.
static lmb_result run(const serving *s, lmb_error *error) {
    const server_def def = {.port = s->port,
                            .site = s->site,
                            .graph = s->graph,
                            .character = s->character,
                            .character_size = s->character_size,
                            .info = s->info,
                            .info_size = s->info_size};
    server *server;
    sigset_t ends;
    int signal;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    if (server_start(&def, &server, error)) {
        return error->result;
    }
    terminal_print("%s%s?served\n", server_address(server), PAGE);
    const lmb_result result =
        fflush(stdout) == 0 ? LMB_OK : lmb_fail(error, LMB_ERROR_FILE, "standard output: %s", strerror(errno));
    if (result == LMB_OK) {
        sigwait(&ends, &signal);
    }
    server_stop(server);
    return result;
}

static lmb_result serve(subject *subject, lmb_error *error) {
    serving *s = (serving *)subject;
    subject->place = NULL;
    const bool failed = check_site(s, error) || check_graph(s, error) || pack_character(s, error) ||
                        write_info(s, error) || run(s, error);
    mannequin_skin_destroy(s->skin);
    free(s->character);
    free(s->info);
    return failed ? error->result : LMB_OK;
}

int command_serve(int argc, char **argv) {
    serving s = {0};
    const option options[] = {
        {"--graph", OPTION_TEXT, &s.graph, "FILE", "the graph, which the editor reads and saves"},
        {"--site", OPTION_TEXT, &s.site, "FOLDER", "a built editor; that which is installed with this command"},
        {"--port", OPTION_OTHER, &(option_other){read_port, &s.port}, "N",
         "the port on 127.0.0.1; 0 takes a free one (0)"},
        OPTION_NAMES(&s.subject),
        OPTION_SKELETON(&s.subject),
        OPTION_SCALES(&s.subject),
        OPTION_SPLIT(&s.subject),
        OPTION_BVH_UNIT(&s.subject),
        {0}};
    const usage usage = {
        .command = "limber serve",
        .synopsis = "FILE... --graph FILE [--site FOLDER] [--port N] [--clip NAME=CLIP ...] [--names FILE]",
        .text =
            "Serves the editor of graphs to a browser on this machine, and prints its address. The editor shows the\n"
            "graph on the character, and saves it into the file; 'limber-viewer --graph' shows the same file at once.\n"
            "Who knows the address may read and save the graph, so it has a secret part, which is another one each\n"
            "time. SIGINT and SIGTERM end the command.\n" CHARACTER_HELP,
        .options = options,
        .files = OPTION_SOME_FILES,
        .required_count = 1};
    return subject_command(&s.subject, &usage, argc, argv, serve);
}
