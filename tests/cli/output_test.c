// Programs print hostile names from files, scripts and arguments as printable text. These tests need no device;
// viewer_test has those of the viewer that do.
#include "command.h"
#include "hostile.h"
#include "suite.h"

#include <stdio.h>

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

static const char graph[] =
    "{\"op\":\"machine\",\"name\":\"body" HOSTILE_JSON "\",\"states\":[\n"
    "{\"name\":\"idle" HOSTILE_JSON "\",\"pose\":{\"op\":\"clip\",\"clip\":\"Bend" HOSTILE_JSON "\","
    "\"play\":{\"looped\":\"AGAIN" HOSTILE_JSON "\"}},\n"
    " \"transitions\":[{\"to\":\"go" HOSTILE_JSON "\",\"after\":0.1,"
    "\"when\":{\"<\":[{\"param\":\"speed" HOSTILE_JSON "\"},1]}}]},\n"
    "{\"name\":\"go" HOSTILE_JSON "\",\"entry\":\"WENT" HOSTILE_JSON
    "\",\"pose\":{\"op\":\"clip\",\"clip\":\"Bend" HOSTILE_JSON "\"},\"transitions\":[{\"to\":\"idle" HOSTILE_JSON
    "\",\"event\":\"GO" HOSTILE_JSON "\"}]},\n"
    "{\"name\":\"apart" HOSTILE_JSON "\",\"pose\":{\"op\":\"rest\"}}]}\n";

static int enter(void **state) {
    (void)state;
    if (!command_enter_folder() || !hostile_write_gltf("hostile.gltf", false) ||
        !hostile_write_gltf("bytes.gltf", true)) {
        return 1;
    }
    write_text("graph.json", graph);
    write_text("machine.txt", "pwned\xc2\x9b\xe2\x80\xae = nothing { GO idle }\n");
    write_text("quote.txt", "\"idle" HOSTILE_BYTES "\" { GO idle }\n");
    write_text("unknown.txt", "idle { GO\xc2\x9b\xe2\x80\xae\x9b nowhere\xe2\x80\xae }\n");
    write_text("event.script", "0.1 send pwned\x1b]0;\a\xc2\x9b\xe2\x80\xae\x9b\n");
    write_text("set.script", "0.1 set pwned\x1b]0;\a\xc2\x9b\xe2\x80\xae\x9b 1\n");
    write_text("wrong.script", "0.1 " HOSTILE_BYTES "\n");
    write_text("motion" HOSTILE_BYTES ".bvh", "HIERARCHY\nROOT hips" HOSTILE_BYTES "\n{ OFFSET 0 0 0\nCHANNELS \x1b\n");
    write_text("hips.bvh",
               "HIERARCHY\nROOT hips\x1b]0;pwned\a\x9b\xc2\x9b\xe2\x80\xae\n{\n  OFFSET 0 0 0\n  CHANNELS 6 Xposition "
               "Yposition Zposition Zrotation Yrotation Xrotation\n  End Site\n  {\n    OFFSET 0 1 0\n  }\n}\nMOTION\n"
               "Frames: 2\nFrame Time: 0.1\n0 0 0 0 0 0\n0 0 0 1 0 0\n");
    return 0;
}

static int leave(void **state) {
    (void)state;
    command_leave_folder();
    return 0;
}

// Runs a program without a device. Both of its streams must be printable, and one must contain this part of a name.
static void check(const char *program, const char *arguments, const char *part) {
    command_output output = command_run("VK_DRIVER_FILES=/dev/null \"%s\" %s", program, arguments);
    char what[600];
    snprintf(what, sizeof what, "%s %.400s", strrchr(program, '/') + 1, arguments);
    hostile_expect_none(what, output.out);
    hostile_expect_none(what, output.err);
    if (strstr(output.out, part) == NULL && strstr(output.err, part) == NULL) {
        fail_msg("%s: status %d without '%s':\n%s%s", hostile_show(what), output.status, part, output.out, output.err);
    }
    command_output_release(&output);
}

static void commands_print_names(void **state) {
    (void)state;
    static const struct {
        const char *arguments, *part;
    } rows[] = {
        {"info hostile.gltf", "  root\\u{1b}]0;pwned\\u{7}\\u{9b}\\u{202e}\\u{a}\\u{200b}\n"},
        {"info hostile.gltf", "Bend\\u{1b}"},
        {"info hostile.gltf", "body\\u{1b}"},
        {"info --json hostile.gltf", "\"Bend\\u001b]0;pwned\\u0007\\u009b\\u202e\\u000a\\u200b\""},
        {"sample hostile.gltf --clip 0 --time 0", "clip Bend\\u{1b}"},
        {"sample hostile.gltf --clip 0 --time 0 --json", "Bend\\u001b"},
        {"sample hostile.gltf --clip zzz --time 0", "pwned"},
        {"eval hostile.gltf --graph '{\"op\":\"clip\",\"clip\":1}' --time 0", "root\\u{1b}"},
        {"eval hostile.gltf --graph graph.json --time 0 --print", "parameter speed\\u{1b}"},
        {"eval hostile.gltf --graph graph.json --time 0 --print --json", "speed\\u001b"},
        {"graph hostile.gltf --graph graph.json", "machine body\\u{1b}"},
        {"graph hostile.gltf --graph graph.json", "warning: "},
        {"graph hostile.gltf --graph graph.json --dot", "label=\"body\\\\u{1b}"},
        {"graph hostile.gltf --machine machine.txt", "pwned"},
        {"graph hostile.gltf --machine quote.txt", "quote"},
        {"graph hostile.gltf --machine unknown.txt", "is no UTF-8"},
        {"play hostile.gltf --graph graph.json --frames 30", "idle\\u{1b}"},
        {"play hostile.gltf --graph graph.json --frames 30", "!WENT\\u{1b}"},
        {"play hostile.gltf --graph graph.json --frames 30 --json", "WENT\\u001b"},
        {"compare hostile.gltf --frames 1", "limber: "},
        {"profile hostile.gltf --no-device --frames 1 --characters 2", "rest pose"},
        {"profile hostile.gltf --no-device --frames 1 --characters 2 --graph graph.json", "rest pose"},
        {"devices", "device"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check(LIMBER_CLI, rows[i].arguments, rows[i].part);
    }
}

static void commands_refuse_what_files_say(void **state) {
    (void)state;
    static const struct {
        const char *arguments, *part;
    } rows[] = {
        {"info bytes.gltf", "bytes.gltf: "},
        {"info 'motion" HOSTILE_BYTES ".bvh'", "motion"},
        {"info hips.bvh", "hips"},
        {"eval hostile.gltf --time 0 --graph '{\"op\":\"pwned" HOSTILE_JSON "\"}'", "there is no such operation"},
        {"eval hostile.gltf --time 0 --graph '{\"op\":\"pwned\x9b\"}'", "--graph: line 1"},
        {"eval hostile.gltf --time 0 --graph '{\"pwned" HOSTILE_JSON "\":1,\"op\":\"rest\"}'", "pwned"},
        {"eval hostile.gltf --time 0 --graph '{\"op\":\"clip\",\"clip\":\"pwned" HOSTILE_JSON "\"}'",
         "no clip of this name"},
        {"eval hostile.gltf --time 0 --graph '{" HOSTILE_BYTES "}'", "--graph: line 1"},
        {"play hostile.gltf --graph graph.json --script event.script", "pwned"},
        {"play hostile.gltf --graph graph.json --script set.script", "pwned"},
        {"play hostile.gltf --graph graph.json --script wrong.script", "wrong.script: "},
        {"capture hostile.gltf --graph graph.json --script event.script --output a.capture", "pwned"},
        {"replay hostile.gltf", "hostile.gltf: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check(LIMBER_CLI, rows[i].arguments, rows[i].part);
    }
}

#define NAME "'name" HOSTILE_BYTES "'"

static void commands_show_their_arguments(void **state) {
    (void)state;
    static const char *const arguments[] = {
        NAME,
        "devices " NAME,
        "info --" NAME,
        "info " NAME ".gltf",
        "sample " NAME " --clip 0 --time 0",
        "sample hostile.gltf --clip " NAME " --time 0",
        "sample hostile.gltf --clip 0 --time " NAME,
        "sample hostile.gltf --clip 0 --time 0 --backend " NAME,
        "eval hostile.gltf --time 0 --graph " NAME,
        "eval hostile.gltf --time 0 --graph '{}' --pose " NAME,
        "eval hostile.gltf --time 0 --graph '{}' --pose " NAME "=Bend@0",
        "graph hostile.gltf --machine " NAME,
        "play hostile.gltf --graph graph.json --script " NAME,
        "play hostile.gltf --graph graph.json --frames " NAME,
        "capture hostile.gltf --graph graph.json --output nowhere/" NAME,
        "capture hostile.gltf --graph graph.json --output " NAME,
        "replay " NAME, // of the file above
        "replay " NAME NAME,
        "compare hostile.gltf --graph " NAME,
        "compare " NAME,
        "profile " NAME " --no-device",
        "profile hostile.gltf --no-device --trace nowhere/" NAME,
    };
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        const bool replays = strcmp(arguments[i], "replay " NAME) == 0;
        check(LIMBER_CLI, arguments[i], replays ? "same: " : "]0;pwned");
    }
}

static void other_programs_show_theirs(void **state) {
    (void)state;
#ifdef LIMBER_BENCH
    static const char *const bench[] = {"--" NAME, "--workload " NAME, "--device " NAME,
                                        "--device none --trace nowhere/" NAME};
    for (size_t i = 0; i < sizeof bench / sizeof bench[0]; i++) {
        check(LIMBER_BENCH, bench[i], "]0;pwned");
    }
#endif
#ifdef LIMBER_VIEWER
    static const char *const viewer[] = {"--" NAME, "--demo " NAME, "--size " NAME, "--frames " NAME};
    for (size_t i = 0; i < sizeof viewer / sizeof viewer[0]; i++) {
        check(LIMBER_VIEWER, viewer[i], "]0;pwned");
    }
    static const char *const without_device[] = {"--headless " NAME, "--headless hostile.gltf",
                                                 "--headless --device " NAME};
    for (size_t i = 0; i < sizeof without_device / sizeof without_device[0]; i++) {
        check(LIMBER_VIEWER, without_device[i], "limber-viewer: ");
    }
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_print_names),
        cmocka_unit_test(commands_refuse_what_files_say),
        cmocka_unit_test(commands_show_their_arguments),
        cmocka_unit_test(other_programs_show_theirs),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
