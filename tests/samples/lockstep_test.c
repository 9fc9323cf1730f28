// The sample samples/lockstep: a server and clients in one process, with loss, delay, rollback, and players who join
// and leave. Its hash is the same on every machine and for every network; a client that goes wrong is found, and what
// does not belong to the game is refused by name.
#include "suite.h"

#include "../../samples/lockstep/run.h"
#include "file.h"
#include "mannequin.h"

#include <limber/graph_json.h>
#include <stdio.h>

#define HASH UINT64_C(0x6a8daec766eaade5)      // of 600 frames of 16 characters
#define LONG_HASH UINT64_C(0x9c3eb6bc2cbfa690) // of 3,600 frames of 64 characters

static lmb_graph *graph, *other;

static lmb_graph *create_graph(const char *text, size_t size) {
    mannequin *body;
    const lmb_clip *clips[MANNEQUIN_CLIP_COUNT];
    lmb_graph_json *json = NULL;
    lmb_graph *created = NULL;
    lmb_error error = {0};
    assert_int_equal(mannequin_create(NULL, &body, NULL), LMB_OK);
    for (uint32_t i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
        clips[i] = mannequin_clip(body, (mannequin_clip_id)i);
    }
    const lmb_graph_source source = {
        .text = text, .size = size, .rig = mannequin_rig(body), .clips = clips, .clip_count = MANNEQUIN_CLIP_COUNT};
    if (lmb_graph_json_read(&source, NULL, &json, NULL, &error) != LMB_OK ||
        lmb_graph_create(lmb_graph_json_def(json), NULL, &created, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    lmb_graph_json_destroy(json);
    mannequin_destroy(body);
    return created;
}

// The graph of the game, and one that differs from it in one number.
static int set_up(void **state) {
    (void)state;
    char *text;
    size_t size;
    lmb_error error = {0};
    if (file_read(LIMBER_SAMPLES "/lockstep/game.json", FILE_LARGEST_TEXT, &text, &size, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    graph = create_graph(text, size);
    for (size_t i = 0; i + 9 < size; i++) {
        if (memcmp(text + i, "0.94,", 5) == 0) {
            text[i + 3] = '5';
        }
    }
    other = create_graph(text, size);
    free(text);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    lmb_graph_destroy(graph);
    lmb_graph_destroy(other);
    return 0;
}

static run_def small_game(void) {
    run_def def = default_run_def();
    def.script.squad = 4;
    return def;
}

static run_result played(const run_def *def, frame_input *log) {
    run_result result;
    lmb_error error = {0};
    if (run_game(graph, def, &result, log, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return result;
}

static void check_hash(uint64_t hash, uint64_t expected) {
    if (hash != expected) {
        fail_msg("0x%016llx instead of 0x%016llx, with the fingerprint 0x%016llx", (unsigned long long)hash,
                 (unsigned long long)expected, (unsigned long long)lmb_graph_fingerprint(graph));
    }
}

static void every_side_has_the_bits_of_the_server(void **state) {
    (void)state;
    const run_def def = small_game();
    frame_input *log = calloc(def.script.frame_count, sizeof *log);
    assert_non_null(log);
    const run_result result = played(&def, log);
    assert_string_equal(result.report, "");
    assert_int_equal(result.clients.differences, 0);
    check_hash(result.hash, HASH);
    // The network was bad enough, and five clients came: player 2 came twice.
    assert_int_equal(result.frames, 600);
    assert_int_equal(result.clients.snapshots, 5);
    assert_int_equal(result.clients.deepest, ROLLBACK);
    assert_true(result.clients.rollbacks > 300 && result.clients.again > 1500);
    // All but what was decided before a client came: 600 each for two, 480 and 240 + 240 with the time around them.
    assert_true(result.clients.confirmed > 2200);
    // The log alone gives the same, and another log does not.
    uint64_t hash = 0;
    assert_int_equal(run_log(graph, &def.script, log, &hash, NULL), LMB_OK);
    check_hash(hash, HASH);
    log[500].players[0].speed ^= 0x80;
    assert_int_equal(run_log(graph, &def.script, log, &hash, NULL), LMB_OK);
    assert_true(hash != HASH);
    free(log);
}

static void the_network_changes_no_bit(void **state) {
    (void)state;
    run_def def = small_game();
    def.wire = (wire_def){.seed = 7, .loss = 25, .min_delay = 2, .max_delay = 7};
    run_result result = played(&def, NULL);
    assert_int_equal(result.clients.differences, 0);
    check_hash(result.hash, HASH);
    def.wire = (wire_def){0};
    result = played(&def, NULL);
    assert_int_equal(result.clients.differences, 0);
    check_hash(result.hash, HASH);
}

static void a_client_that_goes_wrong_is_found_and_mended(void **state) {
    (void)state;
    run_def def = small_game();
    def.damage = 300;
    const run_result result = played(&def, NULL);
    check_hash(result.hash, HASH);
    assert_int_equal(result.clients.differences, 1);
    assert_int_equal(result.clients.snapshots, 6);
    if (strstr(result.report, "player 0 before frame 30") != result.report ||
        strstr(result.report, "character 11 of 12: character motion") == NULL) {
        fail_msg("%s", result.report);
    }
}

static void expect_refusal(world *world, const void *bytes, size_t size, const char *message) {
    uint32_t frame = 0;
    lmb_error error = {0};
    assert_int_equal(world_restore(world, bytes, size, true, &frame, &error), LMB_ERROR_FORMAT);
    if (strstr(error.message, message) == NULL) {
        fail_msg("%s", error.message);
    }
}

static void strange_snapshots_are_refused(void **state) {
    (void)state;
    const run_def def = small_game();
    world *ours, *theirs;
    lmb_error error = {0};
    size_t size = 0;
    uint32_t frame = 0;
    assert_int_equal(world_create(graph, &def.script, 0, &ours, &error), LMB_OK);
    assert_int_equal(world_create(other, &def.script, 1, &theirs, &error), LMB_OK);
    uint32_t *bytes = malloc(world_room(ours));
    assert_non_null(bytes);
    frame_input input = {.present = 3};
    assert_int_equal(world_run(theirs, 0, &input, &error), LMB_OK);
    assert_int_equal(world_save(theirs, 1, bytes, &size, &error), LMB_OK);
    assert_int_equal(lmb_snapshot_seal(bytes, size, &error), LMB_OK);
    expect_refusal(ours, bytes, size, "another graph");

    assert_int_equal(world_run(ours, 0, &input, &error), LMB_OK);
    assert_int_equal(world_save(ours, 1, bytes, &size, &error), LMB_OK);
    expect_refusal(ours, bytes, size, "sealed");
    assert_int_equal(lmb_snapshot_seal(bytes, size, &error), LMB_OK);
    expect_refusal(ours, bytes, size - 4, "are not those of 8 characters");
    bytes[40] ^= 1;
    expect_refusal(ours, bytes, size, "damaged");
    bytes[40] ^= 1;
    assert_int_equal(world_restore(ours, bytes, size, true, &frame, &error), LMB_OK);
    assert_int_equal(frame, 1);
    assert_int_equal(world_character_count(ours), 8);
    free(bytes);
    world_destroy(ours);
    world_destroy(theirs);
}

// A client with another graph, or another script.
static void strange_clients_are_refused(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        script script = small_game().script;
        server *server;
        client *client;
        lmb_error error = {0};
        wire *to_server = wire_create(&(wire_def){0}), *to_client = wire_create(&(wire_def){0});
        assert_int_equal(server_create(graph, &script, &server, &error), LMB_OK);
        script.squad += i == 1;
        assert_int_equal(client_create(i == 0 ? other : graph, &script, 0, &client, &error), LMB_OK);
        packet received;
        lmb_result result = LMB_OK;
        wire *const wires[MAX_PLAYERS] = {to_client, to_server, to_server, to_server};
        for (uint32_t tick = 0; result == LMB_OK && tick < 4; tick++) {
            assert_int_equal(client_tick(client, tick, to_server, &error), LMB_OK);
            while (wire_receive(to_server, tick, &received)) {
                server_receive(server, &received);
            }
            assert_int_equal(server_tick(server, tick, wires, &error), LMB_OK);
            while (result == LMB_OK && wire_receive(to_client, tick, &received)) {
                result = client_receive(client, &received, &error);
            }
        }
        assert_int_equal(result, i < 2 ? LMB_ERROR_FORMAT : LMB_OK);
        assert_true(i == 2 || strstr(error.message, "refused: the client has another graph") != NULL);
        client_destroy(client);
        server_destroy(server);
        wire_destroy(to_server);
        wire_destroy(to_client);
    }
}

// Packets of strangers change nothing and read nothing beyond their end.
static void random_packets_do_no_harm(void **state) {
    (void)state;
    const run_def def = small_game();
    server *server;
    client *client;
    lmb_error error = {0};
    assert_int_equal(server_create(graph, &def.script, &server, &error), LMB_OK);
    assert_int_equal(client_create(graph, &def.script, 0, &client, &error), LMB_OK);
    uint32_t random = 1;
    for (uint32_t i = 0; i < 20000; i++) {
        packet *p = calloc(1, sizeof *p);
        assert_non_null(p);
        random = random * 1664525u + 1013904223u;
        const uint32_t words = (random >> 16) % 20;
        put_32(p, i % 7);
        for (uint32_t k = 0; k < words; k++) {
            random = random * 1664525u + 1013904223u;
            put_32(p, (random >> 8) % 3 == 0 ? random : (random >> 16) % 5);
        }
        p->size -= (random >> 20) % 4;
        server_receive(server, p);
        (void)client_receive(client, p, &error);
        free(p);
    }
    assert_int_equal(server_frame(server), 0);
    assert_int_equal(client_frame(client), 0);
    client_destroy(client);
    server_destroy(server);
}

static void a_long_game_of_64_characters(void **state) {
    (void)state;
    suite_full_only();
    run_def def = default_run_def();
    def.script.frame_count = 3600;
    const run_result result = played(&def, NULL);
    assert_int_equal(result.clients.differences, 0);
    check_hash(result.hash, LONG_HASH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_side_has_the_bits_of_the_server),
        cmocka_unit_test(the_network_changes_no_bit),
        cmocka_unit_test(a_client_that_goes_wrong_is_found_and_mended),
        cmocka_unit_test(strange_snapshots_are_refused),
        cmocka_unit_test(strange_clients_are_refused),
        cmocka_unit_test(random_packets_do_no_harm),
        cmocka_unit_test(a_long_game_of_64_characters),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
