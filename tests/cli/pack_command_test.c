// `limber pack` and what reads its files: a program that links the core library alone gives the same bits as the
// original objects, and the other commands print the same.
#include "command.h"
#include "pack_run.h"
#include "suite.h"

#include "mannequin.h"

#include <limber/import.h>
#include <limber/machine.h>
#include <limber/pack.h>
#include <stdio.h>

static mannequin *built;
static const lmb_clip *mannequin_clips[MANNEQUIN_CLIP_COUNT];

static int set_up(void **state) {
    (void)state;
    if (!command_enter_folder() || mannequin_create(NULL, &built, NULL) != LMB_OK) {
        return -1;
    }
    for (uint32_t i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
        mannequin_clips[i] = mannequin_clip(built, (mannequin_clip_id)i);
    }
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    mannequin_destroy(built);
    command_leave_folder();
    return 0;
}

// Runs the command, which must succeed without a word on stderr. The caller releases the output.
static command_output run_well(const char *arguments) {
    command_output output = command_run("\"%s\" %s", LIMBER_CLI, arguments);
    if (output.status != 0 || output.err[0] != '\0') {
        fail_msg("limber %s: status %d\n%s", arguments, output.status, output.err);
    }
    return output;
}

static void expect_well(const char *arguments, const char *part) {
    command_output output = run_well(arguments);
    if (strstr(output.out, part) == NULL) {
        fail_msg("limber %s: '%s' is not in\n%s", arguments, part, output.out);
    }
    command_output_release(&output);
}

static void expect_badly(int status, const char *arguments, const char *part) {
    command_output output = command_run("\"%s\" %s", LIMBER_CLI, arguments);
    if (output.status != status || strstr(output.err, part) == NULL) {
        fail_msg("limber %s: status %d, '%s' is not in\n%s", arguments, output.status, part, output.err);
    }
    command_output_release(&output);
}

// The results of a run: what pack_run() has written.
typedef struct results {
    uint8_t *bytes;
    size_t size;
} results;

static results read_results(const char *path) {
    results read = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    read.size = (size_t)ftell(file);
    rewind(file);
    read.bytes = malloc(read.size);
    assert_non_null(read.bytes);
    assert_int_equal(fread(read.bytes, 1, read.size, file), read.size);
    fclose(file);
    return read;
}

static size_t part_bytes(const char *path, lmb_pack_part part) {
    results file = read_results(path);
    lmb_pack *pack = NULL;
    assert_int_equal(lmb_pack_open(file.bytes, file.size, NULL, &pack, NULL), LMB_OK);
    const size_t bytes = lmb_pack_part_bytes(pack, part);
    lmb_pack_close(pack);
    free(file.bytes);
    return bytes;
}

// The mannequin's pack has its meshes, and they are those of the medium skin.
static void expect_meshes_of_the_mannequin(const char *path) {
    results file = read_results(path);
    lmb_pack *pack = NULL;
    mannequin_skin *skin = NULL;
    assert_int_equal(lmb_pack_open(file.bytes, file.size, NULL, &pack, NULL), LMB_OK);
    assert_int_equal(mannequin_skin_create(MANNEQUIN_VERTICES_MEDIUM, NULL, &skin, NULL), LMB_OK);
    assert_int_equal(lmb_pack_get_def(pack)->mesh_count, mannequin_skin_mesh_count(skin));
    for (uint32_t i = 0; i < lmb_pack_get_def(pack)->mesh_count; i++) {
        const lmb_mesh *found = &lmb_pack_get_def(pack)->meshes[i], *expected = mannequin_skin_mesh(skin, i);
        assert_int_equal(found->vertex_count, expected->vertex_count);
        assert_int_equal(found->index_count, expected->index_count);
        assert_memory_equal(found->vertices, expected->vertices, expected->vertex_count * sizeof *expected->vertices);
        assert_memory_equal(found->indices, expected->indices, expected->index_count * sizeof *expected->indices);
        assert_memory_equal(found->base_color, expected->base_color, sizeof expected->base_color);
    }
    mannequin_skin_destroy(skin);
    lmb_pack_close(pack);
    free(file.bytes);
}

// Runs the graph of a pack in the other program, and the original here.
static void expect_same_run(const char *pack, const char *name, const lmb_graph_def *original) {
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    command_output output = command_run("\"%s\" %s %s there.bin", LIMBER_PACK_RUNNER, pack, name);
    if (output.status != 0) {
        fail_msg("%s", output.err);
    }
    command_output_release(&output);
    if (lmb_graph_create(original, NULL, &graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    FILE *file = fopen("here.bin", "wb");
    assert_non_null(file);
    assert_true(pack_run(graph, file));
    assert_int_equal(fclose(file), 0);
    lmb_graph_destroy(graph);
    results here = read_results("here.bin"), there = read_results("there.bin");
    assert_int_equal(here.size, there.size);
    assert_true(here.size > 100000);
    assert_memory_equal(here.bytes, there.bytes, here.size);
    free(here.bytes);
    free(there.bytes);
}

static lmb_graph_json *read_graph(const char *path, bool is_machine, const lmb_rig *rig, const lmb_clip *const *clips,
                                  uint32_t clip_count) {
    char *text = command_read_file(path);
    lmb_graph_json *json = NULL;
    lmb_error error = {0};
    assert_non_null(text);
    const lmb_graph_source source = {
        .text = text, .size = strlen(text), .name = path, .rig = rig, .clips = clips, .clip_count = clip_count};
    const lmb_result result = is_machine ? lmb_machine_read(&source, NULL, NULL, &json, NULL, &error)
                                         : lmb_graph_json_read(&source, NULL, &json, NULL, &error);
    if (result != LMB_OK) {
        fail_msg("%s", error.message);
    }
    free(text);
    return json;
}

#define DEMOS "aim", "body-turn", "directional", "walk-run", "wander", "wave"

static void the_mannequin_runs_without_an_importer(void **state) {
    (void)state;
    static const char *const names[] = {DEMOS};
    char arguments[4096] = "pack mannequin --output mannequin.lmb --machine jump=" LIMBER_SAMPLES "/demos/jump.machine";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t used = strlen(arguments);
        snprintf(arguments + used, sizeof arguments - used, " --graph " LIMBER_SAMPLES "/demos/%s.json", names[i]);
    }
    expect_well(arguments, "mannequin.lmb: ");
    expect_meshes_of_the_mannequin("mannequin.lmb");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        snprintf(path, sizeof path, LIMBER_SAMPLES "/demos/%s.json", names[i]);
        lmb_graph_json *json = read_graph(path, false, mannequin_rig(built), mannequin_clips, MANNEQUIN_CLIP_COUNT);
        expect_same_run("mannequin.lmb", names[i], lmb_graph_json_def(json));
        lmb_graph_json_destroy(json);
    }
    lmb_graph_json *json = read_graph(LIMBER_SAMPLES "/demos/jump.machine", true, mannequin_rig(built), mannequin_clips,
                                      MANNEQUIN_CLIP_COUNT);
    expect_same_run("mannequin.lmb", "jump", lmb_graph_json_def(json));
    lmb_graph_json_destroy(json);
}

// The same bits as with clips that lmb_clip_compress() makes here, and clips of less than a third.
static void compressed_clips_run_as_compressed_here(void **state) {
    (void)state;
    lmb_clip *compressed[MANNEQUIN_CLIP_COUNT];
    const lmb_clip_compression settings = {.error = 0.001f, .shell_distance = 0.05f};
    lmb_graph_json *json = read_graph(LIMBER_SAMPLES "/demos/walk-run.json", false, mannequin_rig(built),
                                      mannequin_clips, MANNEQUIN_CLIP_COUNT);
    lmb_graph_def def = *lmb_graph_json_def(json);
    assert_int_equal(def.clip_count, MANNEQUIN_CLIP_COUNT);
    for (uint32_t i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
        assert_int_equal(
            lmb_clip_compress(mannequin_rig(built), def.clips[i], &settings, NULL, &compressed[i], NULL, NULL), LMB_OK);
    }
    def.clips = (const lmb_clip *const *)compressed;
    expect_well("pack mannequin --graph " LIMBER_SAMPLES "/demos/walk-run.json --output plain.lmb", "plain.lmb: ");
    expect_well("pack mannequin --graph walk=" LIMBER_SAMPLES "/demos/walk-run.json --error 0.001 --shell 0.05 "
                "--output small.lmb",
                "deviate by at most 0.000");
    expect_same_run("small.lmb", "walk", &def);
    assert_true(part_bytes("small.lmb", LMB_PACK_CLIPS) * 3 < part_bytes("plain.lmb", LMB_PACK_CLIPS));
    assert_int_equal(part_bytes("small.lmb", LMB_PACK_MESHES), part_bytes("plain.lmb", LMB_PACK_MESHES));
    // The hand and all below it are more exact; a later option makes them less exact.
    expect_well("pack mannequin --error 0.001 --shell 0.05 --joint-error left_hand=0.00001,0.02 --output hand.lmb", "");
    expect_well("pack mannequin --error 0.001 --shell 0.05 --joint-error left_hand=0.00001,0.02 "
                "--joint-error left_hand=0.1 --output again.lmb",
                "");
    assert_true(part_bytes("hand.lmb", LMB_PACK_CLIPS) > part_bytes("small.lmb", LMB_PACK_CLIPS));
    assert_true(part_bytes("again.lmb", LMB_PACK_CLIPS) < part_bytes("small.lmb", LMB_PACK_CLIPS));
    for (uint32_t i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
        lmb_clip_destroy(compressed[i]);
    }
    lmb_graph_json_destroy(json);
    expect_badly(1, "pack small.lmb --error 0.1 --output again.lmb", "clip '");
}

// Its graph extracts root motion, so the pack has clips that the file does not have.
static const char fox[] =
    "{\"op\":\"space1d\",\"character-motion\":true,\"at\":{\"param\":\"speed\",\"default\":1,\"min\":0,\"max\":2},"
    "\"inputs\":[{\"at\":0,\"pose\":{\"op\":\"clip\",\"clip\":\"Survey\",\"play\":true}},"
    "{\"at\":1,\"pose\":{\"op\":\"clip\",\"clip\":\"Walk\",\"play\":{\"group\":\"gait\"}}},"
    "{\"at\":2,\"pose\":{\"op\":\"clip\",\"clip\":\"Run\",\"play\":{\"group\":\"gait\",\"motion\":{\"reference\":"
    "\"absolute\"}}}}]}";

static void real_characters_run_without_an_importer(void **state) {
    (void)state;
    lmb_import *import = NULL;
    if (lmb_import_file(LIMBER_ASSETS "/Fox.glb", NULL, &import, NULL) == LMB_ERROR_FILE) {
        print_message("%s is not there\n", LIMBER_ASSETS "/Fox.glb");
        skip();
    }
    assert_non_null(import);
    FILE *file = fopen("fox.json", "wb");
    assert_non_null(file);
    fputs(fox, file);
    fclose(file);
    const lmb_import_content *fox_file = lmb_import_get_content(import);
    lmb_graph_json *json = read_graph("fox.json", false, fox_file->rig, fox_file->clips, fox_file->clip_count);
    assert_int_equal(lmb_graph_json_def(json)->clip_count, fox_file->clip_count + 1);
    command_output output =
        command_run("\"%s\" pack " LIMBER_ASSETS "/Fox.glb --graph fox.json --output fox.lmb", LIMBER_CLI);
    assert_int_equal(output.status, 0);
    assert_null(strstr(output.err, "does not travel")); // a reference is given
    command_output_release(&output);
    expect_same_run("fox.lmb", "fox", lmb_graph_json_def(json));
    expect_well("info fox.lmb", "images         1");
    lmb_graph_json_destroy(json);
    lmb_import_destroy(import);
}

// Compares arrays, either of which may be NULL.
static void expect_same_floats(const float *a, const float *b, size_t count) {
    assert_true((a == NULL) == (b == NULL));
    if (a != NULL) {
        assert_memory_equal(a, b, count * sizeof *a);
    }
}

static void expect_same_mesh(const lmb_mesh *a, const lmb_mesh *b) {
    assert_string_equal(a->name, b->name);
    assert_true(a->vertex_count == b->vertex_count && a->index_count == b->index_count && a->image == b->image);
    assert_memory_equal(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices);
    assert_memory_equal(a->indices, b->indices, a->index_count * sizeof *a->indices);
    expect_same_floats(a->tangents, b->tangents, (size_t)a->vertex_count * 4);
    expect_same_floats(a->colors, b->colors, (size_t)a->vertex_count * 4);
    assert_int_equal(a->target_count, b->target_count);
    for (uint32_t i = 0; i < a->target_count; i++) {
        const lmb_skin_target *x = &a->targets[i], *y = &b->targets[i];
        assert_string_equal(x->name, y->name);
        assert_true(x->channel == y->channel && x->delta_count == y->delta_count);
        assert_memory_equal(x->deltas, y->deltas, x->delta_count * sizeof *x->deltas);
    }
}

static void meshes_come_along(void **state) {
    (void)state;
    lmb_import *import = NULL;
    lmb_pack *pack = NULL;
    uint32_t deltas = 0; // of morph targets
    expect_well("pack " LIMBER_CORPUS "/import_fuzz/complete.glb --output complete.lmb", "complete.lmb: ");
    assert_int_equal(lmb_import_file(LIMBER_CORPUS "/import_fuzz/complete.glb", NULL, &import, NULL), LMB_OK);
    results read = read_results("complete.lmb");
    assert_int_equal(lmb_pack_open(read.bytes, read.size, NULL, &pack, NULL), LMB_OK);
    assert_int_equal(lmb_pack_get_def(pack)->mesh_count, lmb_import_get_content(import)->mesh_count);
    for (uint32_t i = 0; i < lmb_import_get_content(import)->mesh_count; i++) {
        const lmb_mesh *mesh = &lmb_import_get_content(import)->meshes[i];
        expect_same_mesh(&lmb_pack_get_def(pack)->meshes[i], mesh);
        for (uint32_t k = 0; k < mesh->target_count; k++) {
            deltas += mesh->targets[k].delta_count;
        }
    }
    assert_true(deltas > 0);
    expect_well("info complete.lmb", "morph target ");
    lmb_pack_close(pack);
    lmb_import_destroy(import);
    free(read.bytes);
}

static void expect_same_output(const char *first, const char *second) {
    command_output a = run_well(first), b = run_well(second);
    assert_string_equal(a.out, b.out);
    assert_true(strlen(a.out) > 100);
    command_output_release(&a);
    command_output_release(&b);
}

static void commands_read_packs(void **state) {
    (void)state;
    static const char blend[] = "'{\"op\":\"blend\",\"weight\":0.25,\"a\":{\"op\":\"clip\",\"clip\":\"walk\"},"
                                "\"b\":{\"op\":\"pose\",\"pose\":\"still\"}}'";
    char arguments[1024];
    snprintf(arguments, sizeof arguments,
             "pack mannequin --output all.lmb --graph " LIMBER_SAMPLES
             "/demos/wander.json --graph blend=%s --pose still=run@0.5",
             blend);
    expect_well(arguments, "graphs         2");
    expect_same_output("sample mannequin --clip walk --time 0.3", "sample all.lmb --clip walk --time 0.3");
    snprintf(arguments, sizeof arguments, "eval mannequin --graph %s --pose still=run@0.5 --time 0.3", blend);
    expect_same_output(arguments, "eval all.lmb --graph blend --time 0.3");
    expect_same_output("play mannequin --graph " LIMBER_SAMPLES "/demos/wander.json --frames 30 --characters 20",
                       "play all.lmb --graph wander --frames 30 --characters 20");
    expect_same_output("graph mannequin --graph " LIMBER_SAMPLES "/demos/wander.json", "graph all.lmb --graph wander");
    expect_well("play all.lmb --machine " LIMBER_SAMPLES "/demos/jump.machine --frames 2", "jump");
    expect_well("info all.lmb", "graphs: 2");
    expect_well("info all.lmb", "  clips         29");
    expect_well("info all.lmb --json", "\"graphs\"");
    // A pack of a pack has its graphs, to the byte.
    expect_well("pack all.lmb --output same.lmb", "graphs         2");
    results all = read_results("all.lmb"), same = read_results("same.lmb");
    assert_int_equal(all.size, same.size);
    assert_memory_equal(all.bytes, same.bytes, all.size);
    free(same.bytes);
    all.bytes[all.size / 2] ^= 4;
    FILE *file = fopen("damaged.lmb", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(all.bytes, 1, all.size, file), all.size);
    fclose(file);
    free(all.bytes);
    expect_badly(1, "info damaged.lmb", "limber: damaged.lmb: pack: it is damaged");
    expect_badly(1, "info all.lmb all.lmb", "limber: all.lmb: it is a pack, which lmb_pack_open() reads alone");
    expect_badly(1, "play all.lmb --graph wonder",
                 "no such file, and no graph 'wonder' among its 2; there are wander, blend");
    expect_badly(1, "play all.lmb --graph wander --machine " LIMBER_SAMPLES "/demos/jump.machine", "is no text");
    expect_badly(1, "eval all.lmb --graph blend --time 0 --pose still=run@0", "is no text");
    expect_well("capture all.lmb --graph wander --frames 3 --output frame.capture", "frame 2 of 1 characters");
    expect_well("replay frame.capture", "same: ");
}

static void run_to(const lmb_graph *graph, const char *path) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(pack_run(graph, file));
    assert_int_equal(fclose(file), 0);
}

// Two packs, one with a graph and one with its streamed clips: once these are in their slots, the graph gives the bits
// of a graph whose clips are all in one pack.
static void streamed_clips_get_a_pack_of_their_own(void **state) {
    (void)state;
    static const char *const files[3] = {"whole.lmb", "first.lmb", "later.lmb"};
    static const char *const options[2] = {"", " --error 0"};
    FILE *file = fopen("wave.json", "w");
    assert_non_null(file);
    fputs(
        "{\"op\":\"blend\",\"streamed-clips\":[\"wave\",\"run\"],\"a\":{\"op\":\"clip\",\"clip\":\"run\",\"play\":{}},"
        "\"b\":{\"op\":\"blend\",\"a\":{\"op\":\"clip\",\"clip\":\"wave\",\"time\":0},"
        "\"b\":{\"op\":\"clip\",\"clip\":\"idle\",\"time\":0}}}",
        file);
    assert_int_equal(fclose(file), 0);
    for (uint32_t i = 0; i < 2; i++) {
        char arguments[200];
        results read[3];
        lmb_pack *packs[3];
        lmb_graph *graphs[2];
        lmb_error error = {0};
        snprintf(arguments, sizeof arguments, "pack mannequin --graph wave.json --output whole.lmb%s", options[i]);
        expect_well(arguments, "whole.lmb: ");
        snprintf(arguments, sizeof arguments,
                 "pack mannequin --graph wave.json --output first.lmb --streamed later.lmb%s", options[i]);
        expect_well(arguments, "later.lmb: ");
        for (uint32_t k = 0; k < 3; k++) {
            read[k] = read_results(files[k]);
            assert_int_equal(lmb_pack_open(read[k].bytes, read[k].size, NULL, &packs[k], NULL), LMB_OK);
        }
        assert_int_equal(lmb_pack_get_def(packs[2])->clip_count, 2);
        assert_int_equal(lmb_pack_get_def(packs[1])->clip_count, lmb_pack_get_def(packs[0])->clip_count - 2);
        for (uint32_t k = 0; k < 2; k++) {
            assert_int_equal(lmb_graph_create(lmb_pack_find_graph(packs[k], "wave"), NULL, &graphs[k], NULL), LMB_OK);
            assert_int_equal(lmb_graph_get_info(graphs[k])->clip_slot_count, 2);
        }
        for (uint32_t k = 0; k < 2; k++) {
            const lmb_clip_slot_def slot = lmb_graph_clip_slot_at(graphs[1], k);
            const lmb_clip *clip = lmb_pack_find_clip(packs[2], slot.name);
            size_t size;
            lmb_clip_block(clip, &size);
            assert_int_equal(slot.bytes, size);
            assert_int_equal(slot.kinds, lmb_clip_kinds(clip));
            assert_true(lmb_graph_has_clip(graphs[0], slot.clip) && !lmb_graph_has_clip(graphs[1], slot.clip));
            if (lmb_graph_set_clip(graphs[1], slot.clip, clip, &error) != LMB_OK) {
                fail_msg("%s", error.message);
            }
        }
        run_to(graphs[0], "here.bin");
        run_to(graphs[1], "there.bin");
        results here = read_results("here.bin"), there = read_results("there.bin");
        assert_int_equal(here.size, there.size);
        assert_memory_equal(here.bytes, there.bytes, here.size);
        free(here.bytes);
        free(there.bytes);
        for (uint32_t k = 0; k < 3; k++) {
            if (k < 2) {
                lmb_graph_destroy(graphs[k]);
            }
            lmb_pack_close(packs[k]);
            free(read[k].bytes);
        }
    }
    // The first pack can be packed again, and run without its clips.
    expect_well("pack first.lmb --output again.lmb", "again.lmb: ");
    expect_well("play first.lmb --graph wave --frames 3", "");
    expect_badly(1, "pack first.lmb --output a.lmb --streamed b.lmb", "--streamed: no graph has");
}

static void wrong_usage_is_reported(void **state) {
    (void)state;
    expect_badly(2, "pack mannequin", "limber: pack: no --output given");
    expect_badly(2, "pack --output a.lmb", "limber: pack: no file given");
    expect_badly(2, "pack mannequin --output a.lmb --error -1", "--error must be a number, 0 or more, not '-1'");
    expect_badly(2, "pack mannequin --output a.lmb --error nan", "--error must be a number, 0 or more, not 'nan'");
    expect_badly(2, "pack mannequin --output a.lmb --shell x", "--shell must be a number, 0 or more, not 'x'");
    static const char *const tolerances[] = {"left_hand",      "left_hand=x",  "left_hand=-1",
                                             "left_hand=1,-1", "left_hand=1,", "left_hand="};
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "pack mannequin --output a.lmb --error 0 --joint-error %s",
                 tolerances[i]);
        expect_badly(1, arguments, "NAME=DISTANCE or NAME=DISTANCE,SHELL was expected");
    }
    expect_badly(1, "pack mannequin --output a.lmb --error 0 --joint-error left_hans=1",
                 "--joint-error left_hans=1: no joint 'left_hans' among its 29; the nearest are left_hand,");
    expect_badly(1, "pack mannequin --output a.lmb --graph '{\"op\":\"rest\"}'", "it has no name; give NAME=...");
    expect_badly(1, "pack mannequin --output a.lmb --graph =x.json", "it has no name; give NAME=...");
    expect_badly(1, "pack mannequin --output a.lmb --graph a='{\"op\":\"rest\"}' --graph a='{\"op\":\"rest\"}'",
                 "two graphs are called 'a'");
    expect_badly(1, "pack mannequin --output a.lmb --graph a='{\"op\":\"rust\"}'", "there is no such operation");
    expect_badly(1, "pack mannequin --output a.lmb --graph nowhere.json", "limber: nowhere.json: ");
    expect_badly(1, "pack mannequin --output nowhere/a.lmb", "limber: nowhere/a.lmb: ");
    expect_badly(1, "pack nowhere.glb --output a.lmb", "limber: nowhere.glb: ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mannequin_runs_without_an_importer),
        cmocka_unit_test(compressed_clips_run_as_compressed_here),
        cmocka_unit_test(real_characters_run_without_an_importer),
        cmocka_unit_test(meshes_come_along),
        cmocka_unit_test(commands_read_packs),
        cmocka_unit_test(streamed_clips_get_a_pack_of_their_own),
        cmocka_unit_test(wrong_usage_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
