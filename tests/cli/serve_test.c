// `limber serve`: what it serves and saves, which requests it refuses, how it fails and how it ends.
#define _XOPEN_SOURCE 700
#include "command.h"
#include "suite.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRAPH "{\"op\": \"clip\", \"clip\": \"Bend\", \"play\": true}\n"
#define OTHER "{\"op\": \"rest\"}\n"
#define SECRET "a secret"
#define LARGEST ((size_t)16 << 20)

// ---- Files.

static void write_bytes(const char *name, const char *bytes, size_t size) {
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void write_file(const char *name, const char *text) {
    write_bytes(name, text, strlen(text));
}

static void expect_file(const char *name, const char *text) {
    char *found = command_read_file(name);
    assert_non_null(found);
    assert_string_equal(found, text);
    free(found);
}

static void expect_no_file(const char *name) {
    assert_int_equal(access(name, F_OK), -1);
}

static mode_t mode_of(const char *name) {
    struct stat status;
    assert_int_equal(stat(name, &status), 0);
    return status.st_mode & 07777;
}

static uint32_t count_files(const char *folder) {
    DIR *directory = opendir(folder);
    uint32_t count = 0;
    assert_non_null(directory);
    for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count;
}

static int set_up(void **state) {
    (void)state;
    static const char *const folders[] = {"site", "site/data", "graphs", "graphs/parts"};
    if (!command_enter_folder() || !command_write_small_gltf("small.gltf")) {
        return -1;
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (mkdir(folders[i], 0755) != 0) {
            return -1;
        }
    }
    static const char *const files[] = {"site/index.html",   "site/data/a.js",   "site/a.css",
                                        "site/a.wasm",       "site/a.json",      "site/a.png",
                                        "site/a.jpg",        "site/a.svg",       "site/a.lmb",
                                        "site/a b.json",     "graphs/notes.txt", "graphs/parts/more.json",
                                        "graphs/served.json"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        write_file(files[i], files[i]);
    }
    write_file("site/editor.html", "<p>editor");
    write_file("secret.json", SECRET);
    return symlink("../secret.json", "site/link.json") != 0 || symlink("..", "site/up") != 0 ||
                   symlink("../secret.json", "graphs/link.json") != 0 || symlink("..", "graphs/up") != 0
               ? -1
               : 0;
}

// Servers that run: a test that fails leaves its own.
static pid_t running[4];

static void replace_running(pid_t process, pid_t by) {
    size_t i = 0;
    while (i < sizeof running / sizeof running[0] && running[i] != process) {
        i++;
    }
    if (i < sizeof running / sizeof running[0]) {
        running[i] = by;
    }
}

static int tear_down(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof running / sizeof running[0]; i++) {
        if (running[i] > 0) {
            kill(running[i], SIGKILL);
        }
    }
    command_leave_folder();
    return 0;
}

// ---- The server.

typedef struct server {
    pid_t process;
    FILE *output;
    unsigned port;
    char token[33];
} server;

// Starts a command line that serves, with the file serve.txt for its messages. Reads the address.
static server start(const char *line) {
    char text[4096], page[32];
    int ends[2];
    server server = {0};
    snprintf(text, sizeof text, "exec 2>serve.txt; %s", line);
    assert_int_equal(pipe(ends), 0);
    server.process = fork();
    assert_true(server.process >= 0);
    if (server.process == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", text, (char *)NULL);
        _exit(127);
    }
    replace_running(0, server.process);
    close(ends[1]);
    server.output = fdopen(ends[0], "r");
    assert_non_null(server.output);
    if (fgets(text, sizeof text, server.output) == NULL) {
        char *messages = command_read_file("serve.txt");
        fail_msg("%s: no address\n%s", line, messages);
    }
    assert_int_equal(sscanf(text, "http://127.0.0.1:%u/%32[0-9a-f]/%31s", &server.port, server.token, page), 3);
    assert_int_equal(strlen(server.token), 32);
    assert_string_equal(page, "editor.html?served");
    return server;
}

static server start_with(const char *arguments) {
    char line[2048];
    snprintf(line, sizeof line, "exec \"%s\" serve %s", LIMBER_CLI, arguments);
    return start(line);
}

static server start_walk(void) {
    write_file("graphs/walk.json", GRAPH);
    return start_with("small.gltf --graph graphs/walk.json --site site");
}

// Ends the server, which must succeed, and have printed no more than the address. Returns its messages.
static char *end_by(server *server, int signal) {
    int status;
    assert_int_equal(kill(server->process, signal), 0);
    assert_int_equal(waitpid(server->process, &status, 0), server->process);
    replace_running(server->process, 0);
    char *messages = command_read_file("serve.txt");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail_msg("status 0x%x\n%s", (unsigned)status, messages);
    }
    assert_int_equal(fgetc(server->output), EOF);
    fclose(server->output);
    return messages;
}

// The same, without a message.
static void end(server *server) {
    char *messages = end_by(server, SIGTERM);
    assert_string_equal(messages, "");
    free(messages);
}

// ---- Requests.

typedef struct answer {
    int status;
    char *bytes; // of the whole answer, null-terminated
    size_t size;
    char *body;
} answer;

static void release(answer *answer) {
    free(answer->bytes);
    *answer = (struct answer){0};
}

static int connect_to(const char *host, unsigned port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const struct timeval patience = {.tv_sec = 60};
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(client >= 0);
    assert_int_equal(inet_pton(AF_INET, host, &address.sin_addr), 1);
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(client, (const struct sockaddr *)&address, sizeof address) != 0) {
        close(client);
        return -1;
    }
    return client;
}

static void send_all(int client, const char *bytes, size_t size) {
    for (ssize_t sent; size > 0; bytes += sent, size -= (size_t)sent) {
        sent = send(client, bytes, size, MSG_NOSIGNAL);
        assert_true(sent > 0);
    }
}

static answer receive(int client) {
    answer answer = {0};
    size_t room = 0;
    for (ssize_t got = 1; got > 0; answer.size += (size_t)got) {
        if (room - answer.size < 65536) {
            room = room * 2 + 131072;
            answer.bytes = realloc(answer.bytes, room);
            assert_non_null(answer.bytes);
        }
        got = recv(client, answer.bytes + answer.size, room - answer.size - 1, 0);
        assert_true(got >= 0);
    }
    answer.bytes[answer.size] = '\0';
    assert_int_equal(sscanf(answer.bytes, "HTTP/1.1 %d", &answer.status), 1);
    answer.body = strstr(answer.bytes, "\r\n\r\n");
    assert_non_null(answer.body);
    answer.body += 4;
    return answer;
}

// Sends a head as it is, without the line that ends it, and a body.
static answer exchange(const server *server, const char *head, const char *body, size_t size) {
    const int client = connect_to("127.0.0.1", server->port);
    assert_true(client >= 0);
    send_all(client, head, strlen(head));
    send_all(client, "\r\n", 2);
    send_all(client, body, size);
    const answer answer = receive(client);
    close(client);
    return answer;
}

// `headers` are lines that end in \r\n. `path` follows the token and is sent as it is.
static answer ask(const server *server, const char *method, const char *path, const char *headers, const char *body,
                  size_t size) {
    char head[2048], length[64] = "";
    if (body != NULL) {
        snprintf(length, sizeof length, "Content-Length: %zu\r\n", size);
    }
    snprintf(head, sizeof head, "%s /%s%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n%s%s", method,
             server->token, path, server->port, length, headers);
    return exchange(server, head, body, size);
}

static answer get(const server *server, const char *path) {
    return ask(server, "GET", path, "", NULL, 0);
}

static void expect_header(const answer *answer, const char *line) {
    const char *found = strstr(answer->bytes, line);
    if (found == NULL || found >= answer->body || strncmp(found + strlen(line), "\r\n", 2) != 0) {
        fail_msg("no '%s' in\n%.*s", line, (int)(answer->body - answer->bytes), answer->bytes);
    }
}

static void expect_answer(answer answer, int status, const char *body) {
    if (answer.status != status || (body != NULL && strcmp(answer.body, body) != 0)) {
        fail_msg("not %d with '%s':\n%s", status, body != NULL ? body : "anything", answer.bytes);
    }
    release(&answer);
}

static void expect_body(const server *server, const char *path, const char *body) {
    expect_answer(get(server, path), 200, body);
}

// Reads the entity tag of an answer, with its quotes, and releases the answer.
static void take_tag(answer answer, int status, char tag[19]) {
    const char *found = strstr(answer.bytes, "ETag: ");
    if (answer.status != status || found == NULL) {
        fail_msg("not %d with an ETag:\n%s", status, answer.bytes);
    }
    assert_int_equal(sscanf(found, "ETag: %18s", tag), 1);
    assert_int_equal(strlen(tag), 18);
    release(&answer);
}

static answer put(const server *server, const char *path, const char *condition, const char *tag, const char *body) {
    char header[128];
    snprintf(header, sizeof header, "%s: %s\r\n", condition, tag);
    return ask(server, "PUT", path, header, body, strlen(body));
}

// ---- The site.

static void the_address_has_another_token_each_time(void **state) {
    (void)state;
    server first = start_walk(), second = start_walk();
    assert_int_not_equal(first.port, second.port);
    assert_string_not_equal(first.token, second.token);
    expect_body(&first, "/editor.html?served", "<p>editor");
    expect_body(&second, "/editor.html", "<p>editor");
    end(&first);
    end(&second);
}

// Other addresses of this machine, of which 127.0.0.2 is one, do not answer.
static void only_the_loopback_answers(void **state) {
    (void)state;
    server server = start_walk();
    const int client = connect_to("127.0.0.1", server.port);
    assert_true(client >= 0);
    close(client);
    assert_int_equal(connect_to("127.0.0.2", server.port), -1);
    end(&server);
}

static void files_have_their_types(void **state) {
    (void)state;
    static const struct {
        const char *path, *body, *type;
    } rows[] = {{"/editor.html", "<p>editor", "text/html; charset=utf-8"},
                {"/", "site/index.html", "text/html; charset=utf-8"},
                {"/data/a.js", "site/data/a.js", "text/javascript; charset=utf-8"},
                {"/a.css", "site/a.css", "text/css; charset=utf-8"},
                {"/a.wasm", "site/a.wasm", "application/wasm"},
                {"/a.json", "site/a.json", "application/json"},
                {"/a.png", "site/a.png", "image/png"},
                {"/a.jpg", "site/a.jpg", "image/jpeg"},
                {"/a.svg", "site/a.svg", "image/svg+xml"},
                {"/a.lmb", "site/a.lmb", "application/octet-stream"},
                {"/a%20b.json", "site/a b.json", "application/json"}};
    server server = start_walk();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char type[80];
        answer answer = get(&server, rows[i].path);
        snprintf(type, sizeof type, "Content-Type: %s", rows[i].type);
        expect_header(&answer, type);
        expect_header(&answer, "Cache-Control: no-cache");
        expect_header(&answer, "X-Content-Type-Options: nosniff");
        expect_header(&answer, "Content-Security-Policy: default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; "
                               "style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
                               "frame-ancestors 'none'");
        expect_header(&answer, "Referrer-Policy: same-origin");
        expect_header(&answer, "Cross-Origin-Opener-Policy: same-origin");
        expect_header(&answer, "Cross-Origin-Embedder-Policy: require-corp");
        expect_answer(answer, 200, rows[i].body);
    }
    answer head = ask(&server, "HEAD", "/editor.html", "", NULL, 0);
    expect_header(&head, "Content-Length: 9");
    expect_answer(head, 200, "");
    end(&server);
}

static void nothing_is_found_outside(void **state) {
    (void)state;
    static const char *const paths[] = {
        "",
        "/../secret.json",
        "/../graphs/walk.json",
        "/%2e%2e/secret.json",
        "/%2E./secret.json",
        "/..%2fsecret.json",
        "/%2e%2e%2fsecret.json",
        "/%252e%252e/secret.json",
        "/data/../../secret.json",
        "/data/%2e%2e/editor.html",
        "/..\\secret.json",
        "/%2e%2e%5csecret.json",
        "//etc/hostname",
        "/%2fetc/hostname",
        "/file:editor.html",
        "/editor.html%00",
        "/editor.html%00.png",
        "/editor.html%0a",
        "/./editor.html",
        "/data//a.js",
        "/editor.html/",
        "/data",
        "/data/",
        "/missing.html",
        "/link.json",
        "/up/secret.json",
        "/up/site/editor.html",
        "/served",
        "/served/",
        "/served/graph/",
        "/served/missing",
        "/served/../editor.html",
        "/served/include/",
        "/served/include/../secret.json",
        "/served/include/%2e%2e/secret.json",
        "/served/include/parts/../../secret.json",
        "/served/include//etc/hostname.json",
        "/served/include/link.json",
        "/served/include/up/secret.json",
        "/served/include/notes.txt",
        "/served/include/notes.txt%00.json",
        "/served/include/missing.json",
        "/served/include/parts",
    };
    server server = start_walk();
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        answer answer = get(&server, paths[i]);
        if (answer.status != 404 || strstr(answer.body, SECRET) != NULL) {
            fail_msg("%s: %s", paths[i], answer.bytes);
        }
        release(&answer);
    }
    end(&server);
}

// ---- Who may ask.

static answer ask_as(const server *server, const char *start_of_path, const char *headers) {
    char head[1024];
    snprintf(head, sizeof head, "GET %s/served/graph HTTP/1.1\r\nConnection: close\r\n%s", start_of_path, headers);
    return exchange(server, head, NULL, 0);
}

static void a_request_needs_the_token(void **state) {
    (void)state;
    server server = start_walk();
    char host[64], path[64];
    snprintf(host, sizeof host, "Host: 127.0.0.1:%u\r\n", server.port);
    snprintf(path, sizeof path, "/%s", server.token);
    expect_answer(ask_as(&server, path, host), 200, GRAPH);
    expect_answer(ask_as(&server, "", host), 404, NULL);
    expect_answer(ask_as(&server, "/", host), 404, NULL);
    expect_answer(ask_as(&server, path + 1, host), 404, NULL); // the library takes no such path
    for (size_t i = 1; i <= 32; i++) {
        char other[64];
        memcpy(other, path, sizeof other);
        other[i] = other[i] == '0' ? '1' : '0';
        expect_answer(ask_as(&server, other, host), 404, NULL);
        memcpy(other, path, sizeof other);
        other[i] = '\0';
        expect_answer(ask_as(&server, other, host), 404, NULL);
    }
    snprintf(path, sizeof path, "/%s0", server.token);
    expect_answer(ask_as(&server, path, host), 404, NULL);
    snprintf(path, sizeof path, "/x/%s", server.token);
    expect_answer(ask_as(&server, path, host), 404, NULL);
    end(&server);
}

static void a_request_names_this_server(void **state) {
    (void)state;
    static const struct {
        int status;
        const char *headers; // %1$u is the port
    } rows[] = {{200, "Host: 127.0.0.1:%1$u\r\n"},
                {200, "Host: localhost:%1$u\r\n"},
                {403, "Host: 127.0.0.1\r\n"},
                {403, "Host: localhost\r\n"},
                {403, "Host: example.com\r\n"},
                {403, "Host: example.com:%1$u\r\n"},
                {403, "Host: localhost.example.com:%1$u\r\n"},
                {403, "Host: 127.0.0.1:%1$u.example.com\r\n"},
                {403, "Host: 127.0.0.2:%1$u\r\n"},
                {403, "Host: [::1]:%1$u\r\n"},
                {403, "Host: \r\n"},
                {200, "Host: 127.0.0.1:%1$u\r\nOrigin: http://127.0.0.1:%1$u\r\n"},
                {200, "Host: localhost:%1$u\r\nOrigin: http://localhost:%1$u\r\n"},
                {403, "Host: 127.0.0.1:%1$u\r\nOrigin: http://localhost:%1$u\r\n"},
                {403, "Host: 127.0.0.1:%1$u\r\nOrigin: https://127.0.0.1:%1$u\r\n"},
                {403, "Host: 127.0.0.1:%1$u\r\nOrigin: http://127.0.0.1\r\n"},
                {403, "Host: 127.0.0.1:%1$u\r\nOrigin: http://127.0.0.1:1\r\n"},
                {403, "Host: 127.0.0.1:%1$u\r\nOrigin: http://example.com\r\n"},
                {403, "Host: 127.0.0.1:%1$u\r\nOrigin: null\r\n"},
                {403, "Host: 127.0.0.1:%1$u\r\nOrigin: \r\n"}};
    server server = start_walk();
    char path[64];
    snprintf(path, sizeof path, "/%s", server.token);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char headers[256];
        snprintf(headers, sizeof headers, rows[i].headers, server.port);
        answer answer = ask_as(&server, path, headers);
        if (answer.status != rows[i].status) {
            fail_msg("not %d: %s\n%s", rows[i].status, headers, answer.bytes);
        }
        release(&answer);
    }
    end(&server);
}

static void other_methods_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *method, *path, *allowed;
    } rows[] = {{"POST", "/served/graph", "Allow: GET, HEAD, PUT"},
                {"DELETE", "/served/graph", "Allow: GET, HEAD, PUT"},
                {"OPTIONS", "/served/positions", "Allow: GET, HEAD, PUT"},
                {"PUT", "/editor.html", "Allow: GET, HEAD"},
                {"PUT", "/served/character", "Allow: GET, HEAD"},
                {"PUT", "/served/info", "Allow: GET, HEAD"},
                {"PUT", "/served/include/parts/more.json", "Allow: GET, HEAD"}};
    server server = start_walk();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        answer answer = ask(&server, rows[i].method, rows[i].path, "If-None-Match: *\r\n", "x", 1);
        expect_header(&answer, rows[i].allowed);
        expect_answer(answer, 405, NULL);
    }
    expect_answer(ask(&server, "PUT", "/new.html", "If-None-Match: *\r\n", "x", 1), 405, NULL);
    expect_answer(ask(&server, "PUT", "/../new.html", "If-None-Match: *\r\n", "x", 1), 404, NULL);
    expect_no_file("site/new.html");
    expect_no_file("new.html");
    expect_file("graphs/walk.json", GRAPH);
    expect_file("site/editor.html", "<p>editor");
    end(&server);
}

// ---- The graph.

static void a_graph_that_is_known_is_not_sent_again(void **state) {
    (void)state;
    server server = start_walk();
    char tag[19], again[19], header[64];
    answer answer = get(&server, "/served/graph");
    expect_header(&answer, "Content-Type: application/json");
    take_tag(answer, 200, tag);
    snprintf(header, sizeof header, "If-None-Match: %s\r\n", tag);
    answer = ask(&server, "GET", "/served/graph", header, NULL, 0);
    assert_string_equal(answer.body, "");
    take_tag(answer, 304, again);
    assert_string_equal(tag, again);
    write_file("graphs/walk.json", OTHER);
    answer = ask(&server, "GET", "/served/graph", header, NULL, 0);
    assert_string_equal(answer.body, OTHER);
    take_tag(answer, 200, again);
    assert_string_not_equal(tag, again);
    end(&server);
}

static void a_graph_is_saved_as_a_whole(void **state) {
    (void)state;
    server server = start_walk();
    char tag[19], saved[19], read[19];
    assert_int_equal(chmod("graphs/walk.json", 0640), 0);
    const uint32_t files = count_files("graphs");
    FILE *old = fopen("graphs/walk.json", "rb"); // who has it open still reads the old bytes
    assert_non_null(old);
    take_tag(get(&server, "/served/graph"), 200, tag);
    answer answer = put(&server, "/served/graph", "If-Match", tag, OTHER);
    assert_string_equal(answer.body, "");
    take_tag(answer, 204, saved);
    expect_file("graphs/walk.json", OTHER);
    take_tag(get(&server, "/served/graph"), 200, read);
    assert_string_equal(saved, read);
    char text[sizeof GRAPH] = "";
    assert_int_equal(fread(text, 1, sizeof text - 1, old), sizeof text - 1);
    assert_string_equal(text, GRAPH);
    fclose(old);
    assert_int_equal(mode_of("graphs/walk.json"), 0640);
    assert_int_equal(count_files("graphs"), files);
    end(&server);
}

static void a_graph_that_others_changed_is_kept(void **state) {
    (void)state;
    server server = start_walk();
    char tag[19], changed[19], read[19];
    take_tag(get(&server, "/served/graph"), 200, tag);
    write_file("graphs/walk.json", "{}");
    const uint32_t files = count_files("graphs");
    take_tag(put(&server, "/served/graph", "If-Match", tag, OTHER), 412, changed);
    take_tag(get(&server, "/served/graph"), 200, read);
    assert_string_equal(changed, read);
    static const char *const conditions[][2] = {{"If-Match", "*"},
                                                {"If-Match", "\"0123456789abcde\""},
                                                {"If-Match", "\"0123456789abcdeg\""},
                                                {"If-Match", "W/\"0123456789abcdef\""},
                                                {"If-Match", "0123456789abcdef"},
                                                {"If-None-Match", "*"}};
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
        take_tag(put(&server, "/served/graph", conditions[i][0], conditions[i][1], OTHER), 412, changed);
        assert_string_equal(changed, read);
    }
    expect_file("graphs/walk.json", "{}");
    // A page that has read it again may save.
    take_tag(put(&server, "/served/graph", "If-Match", read, OTHER), 204, changed);
    expect_file("graphs/walk.json", OTHER);
    assert_int_equal(count_files("graphs"), files);
    end(&server);
}

static void a_page_must_say_what_it_has_read(void **state) {
    (void)state;
    server server = start_walk();
    expect_answer(ask(&server, "PUT", "/served/graph", "", OTHER, strlen(OTHER)), 428, NULL);
    expect_answer(put(&server, "/served/graph", "If-None-Match", "\"0123456789abcdef\"", OTHER), 428, NULL);
    expect_file("graphs/walk.json", GRAPH);
    end(&server);
}

static void sixteen_mebibytes_are_the_most(void **state) {
    (void)state;
    server server = start_walk();
    char tag[19], header[64];
    char *large = malloc(LARGEST + 1);
    assert_non_null(large);
    memset(large, ' ', LARGEST + 1);
    take_tag(get(&server, "/served/graph"), 200, tag);
    snprintf(header, sizeof header, "If-Match: %s\r\n", tag);
    expect_answer(ask(&server, "PUT", "/served/graph", header, large, LARGEST + 1), 413, NULL);
    expect_file("graphs/walk.json", GRAPH);
    expect_answer(ask(&server, "PUT", "/served/graph", header, large, LARGEST), 204, "");
    struct stat status;
    assert_int_equal(stat("graphs/walk.json", &status), 0);
    assert_int_equal(status.st_size, LARGEST);
    free(large);
    end(&server);
}

static void what_a_link_leads_to_is_saved(void **state) {
    (void)state;
    write_file("graphs/real.json", GRAPH);
    assert_int_equal(symlink("graphs/real.json", "linked.json"), 0);
    server server = start_with("small.gltf --graph linked.json --site site");
    char tag[19];
    take_tag(get(&server, "/served/graph"), 200, tag);
    expect_answer(put(&server, "/served/graph", "If-Match", tag, OTHER), 204, "");
    expect_file("graphs/real.json", OTHER);
    struct stat status;
    assert_int_equal(lstat("linked.json", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(remove("linked.json"), 0);
    end(&server);
}

static void a_graph_that_is_gone_is_not_created(void **state) {
    (void)state;
    server server = start_walk();
    char tag[19];
    take_tag(get(&server, "/served/graph"), 200, tag);
    assert_int_equal(remove("graphs/walk.json"), 0);
    expect_answer(get(&server, "/served/graph"), 404, NULL);
    expect_answer(put(&server, "/served/graph", "If-Match", tag, OTHER), 412, NULL);
    expect_no_file("graphs/walk.json");
    assert_int_equal(mkdir("graphs/walk.json", 0755), 0);
    expect_answer(get(&server, "/served/graph"), 500, "graphs/walk.json: it is a folder\n");
    expect_answer(put(&server, "/served/graph", "If-Match", tag, OTHER), 500, "graphs/walk.json: it is a folder\n");
    expect_answer(put(&server, "/served/graph", "If-Match", "*", OTHER), 500, "graphs/walk.json: it is a folder\n");
    assert_int_equal(rmdir("graphs/walk.json"), 0);
    end(&server);
}

// A read-only file, a folder that is gone, and a disk that is full halfway: nothing changes, and no draft stays.
static void a_graph_that_cannot_be_written_stays(void **state) {
    (void)state;
    char line[1024], tag[19], header[64], large[20000];
    write_file("graphs/walk.json", GRAPH);
    const uint32_t files = count_files("graphs");
    snprintf(line, sizeof line,
             "trap '' XFSZ; ulimit -f 8; exec \"%s\" serve small.gltf --graph graphs/walk.json --site site",
             LIMBER_CLI);
    server server = start(line);
    memset(large, ' ', sizeof large);
    take_tag(get(&server, "/served/graph"), 200, tag);
    snprintf(header, sizeof header, "If-Match: %s\r\n", tag);
    expect_answer(ask(&server, "PUT", "/served/graph", header, large, sizeof large), 500,
                  "graphs/walk.json: File too large\n");
    expect_file("graphs/walk.json", GRAPH);
    assert_int_equal(count_files("graphs"), files);
    assert_int_equal(chmod("graphs/walk.json", 0444), 0);
    expect_answer(put(&server, "/served/graph", "If-Match", tag, OTHER), 500, "graphs/walk.json: it is read-only\n");
    expect_file("graphs/walk.json", GRAPH);
    assert_int_equal(chmod("graphs/walk.json", 0644), 0);
    assert_int_equal(rename("graphs", "moved"), 0);
    expect_answer(put(&server, "/served/positions", "If-None-Match", "*", "{}"), 500,
                  "graphs/walk.positions.json: No such file or directory\n");
    assert_int_equal(rename("moved", "graphs"), 0);
    expect_answer(put(&server, "/served/graph", "If-Match", tag, OTHER), 204, "");
    end(&server);
}

// ---- Positions.

static void positions_are_beside_the_graph(void **state) {
    (void)state;
    server server = start_walk();
    char tag[19], again[19];
    const mode_t mask = umask(0);
    umask(mask);
    expect_answer(get(&server, "/served/positions"), 404, NULL);
    expect_answer(ask(&server, "PUT", "/served/positions", "", "{}", 2), 428, NULL);
    expect_answer(put(&server, "/served/positions", "If-Match", "\"0123456789abcdef\"", "{}"), 412, NULL);
    expect_no_file("graphs/walk.positions.json");
    take_tag(put(&server, "/served/positions", "If-None-Match", "*", "{\"a\": 1}"), 201, tag);
    expect_file("graphs/walk.positions.json", "{\"a\": 1}");
    assert_int_equal(mode_of("graphs/walk.positions.json"), 0666 & ~mask);
    expect_body(&server, "/served/positions", "{\"a\": 1}");
    take_tag(put(&server, "/served/positions", "If-None-Match", "*", "{}"), 412, again);
    assert_string_equal(tag, again);
    take_tag(put(&server, "/served/positions", "If-Match", tag, "{\"a\": 2}"), 204, again);
    expect_file("graphs/walk.positions.json", "{\"a\": 2}");
    expect_body(&server, "/served/graph", GRAPH);
    assert_int_equal(remove("graphs/walk.positions.json"), 0);
    end(&server);
}

static void positions_of_a_file_with_another_ending(void **state) {
    (void)state;
    write_file(".json", GRAPH);
    write_file("walk", GRAPH);
    static const struct {
        const char *arguments, *file;
    } rows[] = {{"small.gltf --graph walk --site site", "walk.positions.json"},
                {"small.gltf --graph .json --site site", ".json.positions.json"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        server server = start_with(rows[i].arguments);
        expect_answer(put(&server, "/served/positions", "If-None-Match", "*", "{}"), 201, "");
        expect_file(rows[i].file, "{}");
        expect_body(&server, "/served/include/graphs/parts/more.json", "graphs/parts/more.json");
        end(&server);
    }
}

// ---- What else is served.

static void files_that_graphs_include_are_served(void **state) {
    (void)state;
    server server = start_walk();
    expect_body(&server, "/served/include/parts/more.json", "graphs/parts/more.json");
    expect_body(&server, "/served/include/served.json", "graphs/served.json");
    expect_body(&server, "/served/include/parts%2Fmore.json", "graphs/parts/more.json");
    end(&server);
}

static void expect_character(const char *arguments, const char *pack) {
    char line[512];
    snprintf(line, sizeof line, "%s --graph graphs/rest.json --site site", arguments);
    command_output output = command_run("\"%s\" pack %s --output %s", LIMBER_CLI, arguments, pack);
    assert_int_equal(output.status, 0);
    command_output_release(&output);
    server server = start_with(line);
    answer answer = get(&server, "/served/character");
    struct stat status;
    assert_int_equal(answer.status, 200);
    expect_header(&answer, "Content-Type: application/octet-stream");
    assert_int_equal(stat(pack, &status), 0);
    const size_t size = answer.size - (size_t)(answer.body - answer.bytes);
    assert_int_equal(size, status.st_size);
    char *expected = command_read_file(pack);
    assert_memory_equal(answer.body, expected, size);
    free(expected);
    release(&answer);
    end(&server);
}

static void the_character_is_its_pack(void **state) {
    (void)state;
    write_file("graphs/rest.json", OTHER);
    expect_character("small.gltf", "small.lmb");
    expect_character("small.lmb", "again.lmb");
    expect_character("small.gltf --split Bend=half:0-0.5", "split.lmb");
    expect_character("mannequin", "mannequin.lmb");
}

static void names_of_files_are_served(void **state) {
    (void)state;
    server server = start_walk();
    expect_body(&server, "/served/info", "{\"graph\": \"walk.json\", \"character\": \"small.gltf\"}\n");
    end(&server);
    write_file("graphs/rest.json", OTHER);
    server = start_with("\"$PWD/small.gltf\" --graph \"$PWD/graphs/rest.json\" --site \"$PWD/site\"");
    expect_body(&server, "/served/info", "{\"graph\": \"rest.json\", \"character\": \"small.gltf\"}\n");
    end(&server);
}

// A graph with names of its own needs them in the page, too.
static void names_of_the_graph_are_served(void **state) {
    (void)state;
    write_file("names.json", "{\"clips\": {\"Walk\": \"Bend\"}, \"joints\": {\"Hips\": \"root\"}}");
    write_file("graphs/walk.json", "{\"op\": \"masked\", \"mask\": {\"Hips\": 255},"
                                   " \"a\": {\"op\": \"clip\", \"clip\": \"Walk\", \"play\": true},"
                                   " \"b\": {\"op\": \"clip\", \"clip\": \"Run\", \"play\": true}}");
    server server = start_with("small.gltf --graph graphs/walk.json --site site --names names.json --clip Run=Bend");
    expect_body(&server, "/served/info",
                "{\"graph\": \"walk.json\", \"character\": \"small.gltf\", \"names\": "
                "{\"clips\": {\"Run\": \"Bend\", \"Walk\": \"Bend\"}, \"joints\": {\"Hips\": \"root\"}}}\n");
    end(&server);
}

static void mistakes_of_a_graph_are_printed_and_it_is_served(void **state) {
    (void)state;
    static const struct {
        const char *graph, *message;
    } rows[] = {{"{\"op\": \"clip\", \"clip\": \"Bent\"}", "limber: graphs/walk.json: line 1, column 24: clip: "},
                {"{\"op\":", "limber: graphs/walk.json: line 1, column 7: "},
                {"{\"op\": \"clip\", \"clip\": \"Bend\", \"rate\": 100,"
                 " \"define\": {\"a\": {\"op\": \"rest\"}}}",
                 "warning: "}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        write_file("graphs/walk.json", rows[i].graph);
        server server = start_with("small.gltf --graph graphs/walk.json --site site");
        expect_body(&server, "/served/graph", rows[i].graph);
        char *messages = end_by(&server, SIGTERM);
        if (strstr(messages, rows[i].message) == NULL) {
            fail_msg("'%s' is not in\n%s", rows[i].message, messages);
        }
        free(messages);
    }
}

// ---- Starting and ending.

static void signals_end_it_well(void **state) {
    (void)state;
    server server = start_walk();
    const int client = connect_to("127.0.0.1", server.port); // an open connection does not keep it
    assert_true(client >= 0);
    send_all(client, "GET /", 5);
    char *messages = end_by(&server, SIGINT);
    assert_string_equal(messages, "");
    free(messages);
    close(client);
    assert_int_equal(connect_to("127.0.0.1", server.port), -1);
}

static void a_port_may_be_given(void **state) {
    (void)state;
    server first = start_walk();
    const unsigned port = first.port;
    command_output output =
        command_run("\"%s\" serve small.gltf --graph graphs/walk.json --site site --port %u", LIMBER_CLI, port);
    char expected[80], arguments[128];
    snprintf(expected, sizeof expected, "limber: 127.0.0.1:%u: Address already in use\n", port);
    assert_int_equal(output.status, 1);
    assert_string_equal(output.out, "");
    assert_string_equal(output.err, expected);
    command_output_release(&output);
    expect_body(&first, "/editor.html", "<p>editor"); // whose connection now keeps the port for a while
    end(&first);
    snprintf(arguments, sizeof arguments, "small.gltf --graph graphs/walk.json --site site --port %u", port);
    server second = start_with(arguments);
    assert_int_equal(second.port, port);
    end(&second);
}

static void what_cannot_be_served_is_named(void **state) {
    (void)state;
    static const struct {
        int status;
        const char *arguments, *message;
    } rows[] = {
        {2, "--graph graphs/walk.json", "limber: serve: no file given"},
        {2, "small.gltf --site site", "limber: serve: no --graph given"},
        {2, "small.gltf --graph a --port 65536", "--port must be a whole number from 0 to 65535, not '65536'"},
        {2, "small.gltf --graph a --port -1", "--port must be a whole number from 0 to 65535, not '-1'"},
        {1, "missing.glb --graph graphs/walk.json --site site", "limber: missing.glb: "},
        {1, "small.gltf --graph graphs/missing.json --site site", "limber: graphs/missing.json: there is no such file"},
        {1, "small.gltf --graph graphs --site site", "limber: graphs: it is a folder"},
        {1, "small.gltf --graph pipe --site site", "limber: pipe: it is a pipe, not a file"},
        {1, "small.gltf --graph graphs/walk.json --site missing",
         "limber: missing is no editor: editor.html: No such file or directory"},
        {1, "small.gltf --graph graphs/walk.json --site graphs",
         "limber: graphs is no editor: editor.html: No such file or directory"},
        {1, "small.gltf --graph graphs/walk.json --site linked",
         "limber: linked is no editor: editor.html: it is a link, or below one"},
        {1, "small.gltf --graph graphs/walk.json",
         "limber: no editor is installed with this command; give the folder of a built one: --site FOLDER"},
        {1, "small.gltf --graph graphs/walk.json --site site --names missing.json", "limber: missing.json: "},
        {1, "small.gltf --graph graphs/walk.json --site site >/dev/full",
         "limber: standard output: No space left on device"},
    };
    write_file("graphs/walk.json", GRAPH);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(mkdir("linked", 0755), 0);
    assert_int_equal(symlink("../site/editor.html", "linked/editor.html"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        command_output output = command_run("( timeout 20 \"%s\" serve %s )", LIMBER_CLI, rows[i].arguments);
        if (output.status != rows[i].status || strstr(output.err, rows[i].message) == NULL || output.out[0] != '\0') {
            fail_msg("limber serve %s: status %d\n%s%s", rows[i].arguments, output.status, output.err, output.out);
        }
        command_output_release(&output);
    }
    assert_int_equal(remove("pipe"), 0);
}

// Without --site, the editor is the one that is installed with the command, wherever that is.
static void an_installed_editor_is_found(void **state) {
    (void)state;
    command_output output = command_run(
        "mkdir -p prefix/bin prefix/bin/" LIMBER_EDITOR_FOLDER
        " && cp \"%s\" prefix/bin/limber && cp -r site/. prefix/bin/" LIMBER_EDITOR_FOLDER " && mv prefix moved",
        LIMBER_CLI);
    assert_int_equal(output.status, 0);
    command_output_release(&output);
    server server = start("PATH=$PWD/moved/bin:$PATH; exec limber serve small.gltf --graph graphs/walk.json");
    expect_body(&server, "/data/a.js", "site/data/a.js");
    end(&server);
}

static void help_is_printed(void **state) {
    (void)state;
    command_output output = command_run("\"%s\" serve --help", LIMBER_CLI);
    assert_int_equal(output.status, 0);
    assert_non_null(strstr(output.out, "usage: limber serve FILE... --graph FILE "));
    assert_string_equal(output.err, "");
    command_output_release(&output);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_address_has_another_token_each_time),
        cmocka_unit_test(only_the_loopback_answers),
        cmocka_unit_test(files_have_their_types),
        cmocka_unit_test(nothing_is_found_outside),
        cmocka_unit_test(a_request_needs_the_token),
        cmocka_unit_test(a_request_names_this_server),
        cmocka_unit_test(other_methods_are_refused),
        cmocka_unit_test(a_graph_that_is_known_is_not_sent_again),
        cmocka_unit_test(a_graph_is_saved_as_a_whole),
        cmocka_unit_test(a_graph_that_others_changed_is_kept),
        cmocka_unit_test(a_page_must_say_what_it_has_read),
        cmocka_unit_test(sixteen_mebibytes_are_the_most),
        cmocka_unit_test(what_a_link_leads_to_is_saved),
        cmocka_unit_test(a_graph_that_is_gone_is_not_created),
        cmocka_unit_test(a_graph_that_cannot_be_written_stays),
        cmocka_unit_test(positions_are_beside_the_graph),
        cmocka_unit_test(positions_of_a_file_with_another_ending),
        cmocka_unit_test(files_that_graphs_include_are_served),
        cmocka_unit_test(the_character_is_its_pack),
        cmocka_unit_test(names_of_files_are_served),
        cmocka_unit_test(names_of_the_graph_are_served),
        cmocka_unit_test(mistakes_of_a_graph_are_printed_and_it_is_served),
        cmocka_unit_test(signals_end_it_well),
        cmocka_unit_test(a_port_may_be_given),
        cmocka_unit_test(what_cannot_be_served_is_named),
        cmocka_unit_test(an_installed_editor_is_found),
        cmocka_unit_test(help_is_printed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
