// One thread of libmicrohttpd answers all requests, one after the other. A request passes three gates: its Host and its
// Origin are this server's, so that no page of another site can use it by a name of its own; and its path begins with a
// token that only who started the server knows.
//
// A hash of a file's bytes is its entity tag. A page that saves a file sends the tag of what it has read, and nothing
// is written if the file is another one by then.
#define _POSIX_C_SOURCE 200809L
#include "server.h"

#include "base/host.h"
#include "file.h"
#include "saved_file.h"
#include "served_path.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define LARGEST_UPLOAD ((size_t)16 << 20)
#define LARGEST_SITE_FILE ((size_t)256 << 20)
#define SECONDS_OF_SILENCE 60u // after which a connection is closed
#define TAG_SIZE 19            // of an entity tag, a hash in quotes, with the zero at its end

// Only files of the site run or are shown. WebAssembly is compiled, and pages set styles of elements. A request names
// its origin to this server, and no address goes elsewhere. Pages are isolated, so that they may have threads.
static const char *const headers[][2] = {
    {"Cache-Control", "no-cache"},
    {"X-Content-Type-Options", "nosniff"},
    {"Content-Security-Policy", "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; "
                                "style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
                                "frame-ancestors 'none'"},
    {"Referrer-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Embedder-Policy", "require-corp"},
};

struct server {
    server_def def;
    char *positions; // file beside the graph
    char *folder;    // of the graph; "" for the current one
    char token[SERVED_TOKEN_LENGTH + 1];
    char hosts[2][32];
    char address[80];
    int socket; // that listens; the daemon closes it
    struct MHD_Daemon *daemon;
};

// The body of a request.
typedef struct upload {
    char *bytes;
    size_t size, capacity;
    unsigned failure; // status, or 0
} upload;

// ---- Answers.

typedef struct answer {
    unsigned status;
    const char *type;
    const void *bytes;
    size_t size;
    bool owns_bytes; // they are freed when they are sent; otherwise they outlive the server
    bool has_hash;
    uint64_t hash;
    const char *allowed; // methods, or NULL
} answer;

static void write_tag(uint64_t hash, char tag[TAG_SIZE]) {
    snprintf(tag, TAG_SIZE, "\"%016" PRIx64 "\"", hash);
}

// Takes only what write_tag() writes, so that an unknown tag counts as another one.
static bool read_tag(const char *tag, uint64_t *hash) {
    const bool is_good = strlen(tag) == TAG_SIZE - 1 && tag[0] == '"' &&
                         strspn(tag + 1, "0123456789abcdef") == TAG_SIZE - 3 && tag[TAG_SIZE - 2] == '"';
    *hash = is_good ? strtoull(tag + 1, NULL, 16) : 0;
    return is_good;
}

static bool add_headers(struct MHD_Response *response, const answer *answer) {
    bool is_good = true;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        is_good = is_good && MHD_add_response_header(response, headers[i][0], headers[i][1]) == MHD_YES;
    }
    if (answer->type != NULL) {
        is_good = is_good && MHD_add_response_header(response, "Content-Type", answer->type) == MHD_YES;
    }
    if (answer->has_hash) {
        char tag[TAG_SIZE];
        write_tag(answer->hash, tag);
        is_good = is_good && MHD_add_response_header(response, "ETag", tag) == MHD_YES;
    }
    if (answer->allowed != NULL) {
        is_good = is_good && MHD_add_response_header(response, "Allow", answer->allowed) == MHD_YES;
    }
    return is_good;
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, const answer *answer) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(answer->size, (void *)(uintptr_t)answer->bytes,
                                        answer->owns_bytes ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (response == NULL) {
        if (answer->owns_bytes) {
            free((void *)(uintptr_t)answer->bytes);
        }
        return MHD_NO;
    }
    const enum MHD_Result result =
        add_headers(response, answer) ? MHD_queue_response(connection, answer->status, response) : MHD_NO;
    MHD_destroy_response(response);
    return result;
}

// Sends a line of text, with the hash of a file if `file` is not NULL.
static enum MHD_Result send_line(struct MHD_Connection *connection, unsigned status, const char *text,
                                 const saved_file *file) {
    const size_t room = strlen(text) + 2;
    char *line = malloc(room);
    if (line == NULL) {
        return MHD_NO;
    }
    const answer answer = {.status = status,
                           .type = "text/plain; charset=utf-8",
                           .bytes = line,
                           .size = (size_t)snprintf(line, room, "%s\n", text),
                           .owns_bytes = true,
                           .has_hash = file != NULL && file->exists,
                           .hash = file != NULL ? file->hash : 0};
    return send_answer(connection, &answer);
}

static enum MHD_Result send_missing(struct MHD_Connection *connection) {
    return send_line(connection, MHD_HTTP_NOT_FOUND, "there is nothing here", NULL);
}

// ---- Reading.

static const char *header_of(struct MHD_Connection *connection, const char *name) {
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

// Sends a file below a folder.
static enum MHD_Result get_below(struct MHD_Connection *connection, const char *folder, const char *file,
                                 size_t largest) {
    char *bytes;
    size_t size;
    lmb_error error;
    const lmb_result result = file_read_below(folder, file, largest, &bytes, &size, &error);
    if (result == LMB_ERROR_FILE) {
        return send_missing(connection);
    }
    if (result != LMB_OK) {
        return send_line(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, error.message, NULL);
    }
    const answer answer = {
        .status = MHD_HTTP_OK, .type = served_path_type(file), .bytes = bytes, .size = size, .owns_bytes = true};
    return send_answer(connection, &answer);
}

// Sends a file that may be saved, with its tag, unless the page has it already.
static enum MHD_Result get_saved(struct MHD_Connection *connection, const char *name) {
    saved_file file;
    lmb_error error;
    if (saved_file_read(name, &file, &error)) {
        return send_line(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, error.message, NULL);
    }
    if (!file.exists) {
        return send_missing(connection);
    }
    const char *known = header_of(connection, "If-None-Match");
    uint64_t hash;
    answer answer = {.status = MHD_HTTP_OK,
                     .type = "application/json",
                     .bytes = file.bytes,
                     .size = file.size,
                     .owns_bytes = true,
                     .has_hash = true,
                     .hash = file.hash};
    if (known != NULL && read_tag(known, &hash) && hash == file.hash) {
        free(file.bytes);
        answer = (struct answer){.status = MHD_HTTP_NOT_MODIFIED, .has_hash = true, .hash = file.hash};
    }
    return send_answer(connection, &answer);
}

static enum MHD_Result get(const server *server, struct MHD_Connection *connection, const served_path *path) {
    const server_def *def = &server->def;
    switch (path->kind) {
    case SERVED_SITE:
        return get_below(connection, def->site, path->file, LARGEST_SITE_FILE);
    case SERVED_INCLUDE:
        return get_below(connection, server->folder, path->file, FILE_LARGEST_TEXT);
    case SERVED_GRAPH:
        return get_saved(connection, def->graph);
    case SERVED_POSITIONS:
        return get_saved(connection, server->positions);
    case SERVED_CHARACTER:
        return send_answer(connection, &(answer){.status = MHD_HTTP_OK,
                                                 .type = "application/octet-stream",
                                                 .bytes = def->character,
                                                 .size = def->character_size});
    case SERVED_INFO:
        return send_answer(
            connection,
            &(answer){.status = MHD_HTTP_OK, .type = "application/json", .bytes = def->info, .size = def->info_size});
    case SERVED_NOTHING:
        break;
    }
    return send_missing(connection);
}

// ---- Saving.

static enum MHD_Result send_changed(struct MHD_Connection *connection, const char *name) {
    saved_file file;
    lmb_error error;
    if (saved_file_read(name, &file, &error)) {
        return send_line(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, error.message, NULL);
    }
    free(file.bytes);
    return send_line(connection, MHD_HTTP_PRECONDITION_FAILED, "the file was changed meanwhile", &file);
}

static enum MHD_Result put(struct MHD_Connection *connection, const char *name, const upload *upload) {
    const char *match = header_of(connection, "If-Match"), *none = header_of(connection, "If-None-Match");
    const bool is_new = match == NULL && none != NULL && strcmp(none, "*") == 0;
    uint64_t expected;
    lmb_error error;
    if (upload->failure != 0) {
        const bool is_large = upload->failure == MHD_HTTP_CONTENT_TOO_LARGE;
        return send_line(connection, upload->failure, is_large ? "the body is too large" : "no memory", NULL);
    }
    if (match == NULL && !is_new) {
        return send_line(connection, MHD_HTTP_PRECONDITION_REQUIRED,
                         "If-Match must have the ETag of the file, or If-None-Match be * for a new one", NULL);
    }
    if (!is_new && !read_tag(match, &expected)) {
        return send_changed(connection, name);
    }
    const lmb_result result = saved_file_replace(name, is_new ? NULL : &expected, upload->bytes, upload->size, &error);
    if (result == LMB_ERROR_STATE) {
        return send_changed(connection, name);
    }
    if (result != LMB_OK) {
        return send_line(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, error.message, NULL);
    }
    return send_answer(connection, &(answer){.status = is_new ? MHD_HTTP_CREATED : MHD_HTTP_NO_CONTENT,
                                             .has_hash = true,
                                             .hash = file_hash(upload->bytes, upload->size)});
}

// Appends a part of the body. What is too large is read to its end and dropped, so that the client reads the answer.
static void append(upload *upload, const char *bytes, size_t size) {
    if (upload->failure == 0 && size > LARGEST_UPLOAD - upload->size) {
        upload->failure = MHD_HTTP_CONTENT_TOO_LARGE;
    }
    if (upload->failure == 0 && size > upload->capacity - upload->size) {
        const size_t twice = upload->capacity * 2, needed = upload->size + size;
        const size_t capacity = twice > needed ? twice : needed;
        char *larger = realloc(upload->bytes, capacity);
        if (larger == NULL) {
            upload->failure = MHD_HTTP_INSUFFICIENT_STORAGE;
        } else {
            upload->bytes = larger;
            upload->capacity = capacity;
        }
    }
    if (upload->failure == 0) {
        memcpy(upload->bytes + upload->size, bytes, size);
        upload->size += size;
    }
}

// ---- Requests.

static bool is_own_host(const server *server, const char *host) {
    return strcmp(host, server->hosts[0]) == 0 || strcmp(host, server->hosts[1]) == 0;
}

// Whether a request names this server, and comes from a page of this server or from none.
static bool is_local(const server *server, struct MHD_Connection *connection) {
    static const char scheme[] = "http://";
    const char *host = header_of(connection, "Host"), *origin = header_of(connection, "Origin");
    const size_t length = sizeof scheme - 1;
    return host != NULL && is_own_host(server, host) &&
           (origin == NULL || (strncmp(origin, scheme, length) == 0 && strcmp(origin + length, host) == 0));
}

static bool is_saved(const served_path *path) {
    return path->kind == SERVED_GRAPH || path->kind == SERVED_POSITIONS;
}

static bool is_put(const char *method) {
    return strcmp(method, "PUT") == 0;
}

// Begins a request: sends a refusal, or stores an empty body.
static enum MHD_Result begin(const server *server, struct MHD_Connection *connection, const served_path *path,
                             const char *method, void **body) {
    const bool is_read = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    if (!is_local(server, connection)) {
        return send_line(connection, MHD_HTTP_FORBIDDEN, "the Host or the Origin is another one", NULL);
    }
    if (path->kind == SERVED_NOTHING) {
        return send_missing(connection);
    }
    if (!is_read && !(is_put(method) && is_saved(path))) {
        const char *allowed = is_saved(path) ? "GET, HEAD, PUT" : "GET, HEAD";
        return send_answer(connection, &(answer){.status = MHD_HTTP_METHOD_NOT_ALLOWED, .allowed = allowed});
    }
    *body = calloc(1, sizeof(upload));
    return *body != NULL ? MHD_YES : MHD_NO;
}

// Is called once for the head of a request, then for each part of the body, then once at its end.
static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *bytes, size_t *size, void **body) {
    const server *server = user;
    const served_path path = served_path_read(url, server->token);
    (void)version;
    if (*body == NULL) {
        return begin(server, connection, &path, method, body);
    }
    if (*size > 0) {
        append(*body, bytes, *size);
        *size = 0;
        return MHD_YES;
    }
    return is_put(method) ? put(connection, path.kind == SERVED_GRAPH ? server->def.graph : server->positions, *body)
                          : get(server, connection, &path);
}

static void complete(void *user, struct MHD_Connection *connection, void **body, enum MHD_RequestTerminationCode code) {
    upload *upload = *body;
    (void)user;
    (void)connection;
    (void)code;
    if (upload != NULL) {
        free(upload->bytes);
        free(upload);
    }
}

// Decodes escapes in a path. One that has an escaped zero becomes empty, and names nothing.
static size_t unescape(void *user, struct MHD_Connection *connection, char *text) {
    (void)user;
    (void)connection;
    const size_t length = MHD_http_unescape(text);
    if (strlen(text) != length) {
        text[0] = '\0';
    }
    return strlen(text);
}

// ---- Starting.

static lmb_result fail_port(const server *server, lmb_error *error) {
    return lmb_fail(error, LMB_ERROR_FILE, "127.0.0.1:%u: %s", (unsigned)server->def.port, strerror(errno));
}

// Opens the socket here and not by the library, which does not say why it cannot.
static lmb_result listen_to(server *server, lmb_error *error) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(server->def.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int on = 1;
    server->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (server->socket < 0 || setsockopt(server->socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(server->socket, (const struct sockaddr *)&address, size) != 0 || listen(server->socket, SOMAXCONN) != 0 ||
        getsockname(server->socket, (struct sockaddr *)&address, &size) != 0) {
        return fail_port(server, error);
    }
    server->def.port = ntohs(address.sin_port);
    return LMB_OK;
}

static lmb_result draw_token(server *server, lmb_error *error) {
    uint8_t bytes[SERVED_TOKEN_LENGTH / 2];
    if (getentropy(bytes, sizeof bytes) != 0) {
        return lmb_fail(error, LMB_ERROR_STATE, "no random numbers: %s", strerror(errno));
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        snprintf(server->token + 2 * i, 3, "%02x", bytes[i]);
    }
    return LMB_OK;
}

// A port that is HTTP's own is in no address.
static void name_hosts(server *server) {
    static const char *const names[2] = {"127.0.0.1", "localhost"};
    char port[8] = "";
    if (server->def.port != 80) {
        snprintf(port, sizeof port, ":%u", (unsigned)server->def.port);
    }
    for (size_t i = 0; i < 2; i++) {
        snprintf(server->hosts[i], sizeof server->hosts[i], "%s%s", names[i], port);
    }
    snprintf(server->address, sizeof server->address, "http://%s/%s/", server->hosts[0], server->token);
}

// Finds the folder of the graph, and the file of positions beside it: walk.json has walk.positions.json.
static lmb_result name_files(server *server, lmb_error *error) {
    static const char from[] = ".json", ending[] = ".positions.json";
    const char *graph = server->def.graph, *slash = strrchr(graph, '/');
    const size_t size = strlen(graph), dot = sizeof from - 1;
    const size_t kept = size > dot && strcmp(graph + size - dot, from) == 0 ? size - dot : size;
    const size_t folder = slash != NULL ? (size_t)(slash - graph) + 1 : 0;
    server->positions = calloc(1, kept + sizeof ending);
    server->folder = calloc(1, folder + 1);
    if (server->positions == NULL || server->folder == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for names of files");
    }
    memcpy(server->positions, graph, kept);
    memcpy(server->positions + kept, ending, sizeof ending);
    memcpy(server->folder, graph, folder);
    return LMB_OK;
}

static lmb_result start_daemon(server *server, lmb_error *error) {
    server->daemon = MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD, 0, NULL, NULL, handle, server, //
                                      MHD_OPTION_LISTEN_SOCKET, server->socket,                    //
                                      MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL,                //
                                      MHD_OPTION_NOTIFY_COMPLETED, complete, NULL,                 //
                                      MHD_OPTION_CONNECTION_TIMEOUT, SECONDS_OF_SILENCE,           //
                                      MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    return server->daemon != NULL ? LMB_OK : lmb_fail(error, LMB_ERROR_MEMORY, "the server cannot be started");
}

lmb_result server_start(const server_def *def, server **server, lmb_error *error) {
    struct server *started = calloc(1, sizeof *started);
    *server = NULL;
    if (started == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for a server");
    }
    started->def = *def;
    started->socket = -1;
    if (name_files(started, error) || draw_token(started, error) || listen_to(started, error)) {
        server_stop(started);
        return error->result;
    }
    name_hosts(started);
    if (start_daemon(started, error)) {
        server_stop(started);
        return error->result;
    }
    *server = started;
    return LMB_OK;
}

const char *server_address(const server *server) {
    return server->address;
}

void server_stop(server *server) {
    if (server == NULL) {
        return;
    }
    if (server->daemon != NULL) {
        MHD_stop_daemon(server->daemon); // closes the socket
    } else if (server->socket >= 0) {
        close(server->socket);
    }
    free(server->positions);
    free(server->folder);
    free(server);
}
