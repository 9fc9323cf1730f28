// Output for a terminal: which characters are escaped, formats, and that programs print through no other functions.
#include "suite.h"

#include "tools/json.h"
#include "tools/terminal.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>

// Returns the text written to a stream, null-terminated.
static const char *read_stream(FILE *stream) {
    static char text[8192];
    const long size = ftell(stream);
    rewind(stream);
    assert_in_range(size, 0, sizeof text - 1);
    assert_int_equal(fread(text, 1, (size_t)size, stream), size);
    text[size] = '\0';
    fclose(stream);
    return text;
}

static const char *print(const char *format, ...) TERMINAL_FORMAT(1, 2);
static const char *print(const char *format, ...) {
    FILE *stream = tmpfile();
    assert_non_null(stream);
    va_list arguments;
    va_start(arguments, format);
    terminal_print_list(stream, format, arguments);
    va_end(arguments);
    return read_stream(stream);
}

// ---- Characters.

static void printable_text_stays(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "Walk 1",
        "C:\\clips\\run",
        "\\x1b \\u{1b}",
        "100 %s %n",
        "J\xc3\xa4ger \xc2\xa0",
        "\xe8\xb5\xb0\xe3\x82\x8b",
        "\xf0\x9f\x98\x80 \xe2\x9d\xa4\xef\xb8\x8f",
        "\xef\xbf\xbd",
        "\xee\x80\x80",
        "\xf0\x90\x80\x80",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_string_equal(print("%s", texts[i]), texts[i]);
    }
}

static void each_class_is_escaped(void **state) {
    (void)state;
    static const struct {
        const char *text, *shown;
    } rows[] = {
        {"\x1b]0;pwned\a", "\\u{1b}]0;pwned\\u{7}"},
        {"a\nb\tc\rd\be\x7f", "a\\u{a}b\\u{9}c\\u{d}d\\u{8}e\\u{7f}"},
        {"\xc2\x80\xc2\x9b\xc2\x9f", "\\u{80}\\u{9b}\\u{9f}"},
        {"\xc2\xad", "\\u{ad}"},
        {"\xd8\x9c", "\\u{61c}"},
        {"\xe2\x80\x8b\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f", "\\u{200b}\\u{200d}\\u{200e}\\u{200f}"},
        {"\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae", "\\u{2028}\\u{2029}\\u{202a}\\u{202e}"},
        {"\xe2\x81\xa0\xe2\x81\xa4\xe2\x81\xa6\xe2\x81\xa9", "\\u{2060}\\u{2064}\\u{2066}\\u{2069}"},
        {"\xef\xbb\xbf\xef\xbf\xb9\xef\xbf\xbb", "\\u{feff}\\u{fff9}\\u{fffb}"},
        {"\xf3\xa0\x80\x81\xf3\xa0\x81\xbf", "\\u{e0001}\\u{e007f}"},
        {"\xef\xb7\x90\xef\xbf\xbe\xef\xbf\xbf\xf4\x8f\xbf\xbf", "\\u{fdd0}\\u{fffe}\\u{ffff}\\u{10ffff}"},
        {"\x80\x9b\xbf\xc3\x28", "\\x80\\x9b\\xbf\\xc3("},                       // single bytes
        {"\xc0\x80\xc1\xbf\xe0\x9f\xbf", "\\xc0\\x80\\xc1\\xbf\\xe0\\x9f\\xbf"}, // overlong
        {"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"},
        {"\xed\xa0\x80\xed\xbf\xbf", "\\xed\\xa0\\x80\\xed\\xbf\\xbf"},          // surrogates
        {"\xf4\x90\x80\x80\xf5\xf8\xff", "\\xf4\\x90\\x80\\x80\\xf5\\xf8\\xff"}, // above U+10FFFF
        {"a\xe2\x82", "a\\xe2\\x82"},                                            // truncated
        {"\xf0\x9f\x98", "\\xf0\\x9f\\x98"},
        {"\xe2\x82\xe2\x82\xac", "\\xe2\\x82\xe2\x82\xac"}, // truncated before a complete one
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(print("%s", rows[i].text), rows[i].shown);
    }
}

static size_t encode(uint32_t code_point, char *text) {
    const size_t length = code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i > 1; i--) {
        text[i - 1] = (char)(0x80 | (code_point & 0x3f));
        code_point >>= 6;
    }
    text[0] = (char)(leads[length] | code_point);
    return length;
}

// Every code point gives itself or its escape, and reading stops at its end.
static void every_code_point_is_read(void **state) {
    (void)state;
    uint32_t escaped = 0;
    for (uint32_t code_point = 0; code_point <= 0x10ffff; code_point++) {
        char text[4], shown[16];
        const size_t length = encode(code_point, text);
        const terminal_character character = terminal_read(text, length);
        if (code_point >= 0xd800 && code_point <= 0xdfff) {
            assert_int_equal(character.code_point, TERMINAL_NO_CHARACTER);
            continue;
        }
        assert_int_equal(character.code_point, code_point);
        assert_int_equal(character.size, length);
        if (terminal_is_printable(code_point)) {
            assert_int_equal(character.length, length);
            assert_memory_equal(character.shown, text, length);
        } else {
            escaped++;
            snprintf(shown, sizeof shown, "\\u{%" PRIx32 "}", code_point);
            assert_int_equal(character.length, strlen(shown));
            assert_memory_equal(character.shown, shown, character.length);
        }
        for (size_t size = 1; size < length; size++) {
            assert_int_equal(terminal_read(text, size).code_point, TERMINAL_NO_CHARACTER);
            assert_int_equal(terminal_read(text, size).size, 1);
        }
    }
    assert_in_range(escaped, 4200, 4400); // nearly all are the 4,096 tags and selectors
    assert_false(terminal_is_printable(TERMINAL_NO_CHARACTER));
}

// Any two bytes as a whole text: the output is ASCII or one character of two bytes.
static void any_bytes_come_out_printable(void **state) {
    (void)state;
    for (unsigned pair = 0; pair < 0x10000; pair++) {
        const char text[2] = {(char)(pair >> 8), (char)pair};
        const terminal_character character = terminal_read(text, 2);
        assert_in_range(character.size, 1, 2);
        if (character.size == 2) {
            assert_in_range(character.code_point, 0x80, 0x7ff);
        }
        for (size_t i = 0; character.length != character.size && i < character.length; i++) {
            assert_in_range((unsigned char)character.shown[i], 0x20, 0x7e);
        }
    }
}

// ---- Formats.

static void formats_are_those_of_printf(void **state) {
    (void)state;
    char expected[2000];
#define SAME(...) (snprintf(expected, sizeof expected, __VA_ARGS__), assert_string_equal(print(__VA_ARGS__), expected))
    SAME("%d %i %5d|%-5d|%05d %+d % d", -1, 2, 3, 4, 5, 6, 7);
    SAME("%u %x %X %o %#x %08x", 1u, 0xabcu, 0xabcu, 8u, 255u, 0xbeefu);
    SAME("%ld %lu %lld %llu", -1L, ~0UL, -1LL, ~0ULL);
    SAME("%jd %zu %td", INTMAX_MIN, SIZE_MAX, (ptrdiff_t)-3);
    SAME("%" PRId64 " %" PRIu64 " 0x%016" PRIx64, INT64_MIN, UINT64_MAX, UINT64_C(0xabc));
    SAME("%g %f %.3f %10.4f|%-10.1e|%G %a", 0.1, 1.5, 2.25, -3.125, 1e10, 1e-20, 1.0);
    SAME("%.2f", 1e300);
    SAME("%s|%10s|%-10s|%.2s|%.0s|%10.2s|%-*s|%.*s", "a", "bc", "de", "fgh", "i", "jkl", 6, "mn", 2, "opq");
    SAME("%c%5c|%-3c|%%", 'a', 'b', 'c');
    SAME("no directives\n\ttwo lines\n");
#undef SAME
    const char *volatile nothing = NULL; // volatile, because compilers would reject it otherwise
    assert_string_equal(print("%s", nothing), "(null)");
}

static void formats_keep_their_line_breaks_alone(void **state) {
    (void)state;
    assert_string_equal(print("a %s\n\t%s\n", "b\n", "\x1b"), "a b\\u{a}\n\t\\u{1b}\n");
    assert_string_equal(print("%c%c", '\n', 0x9b), "\\u{a}\\x9b");
}

static void widths_count_characters(void **state) {
    (void)state;
    assert_string_equal(print("%-4s|%4s|", "\xc3\xa4", "\xe8\xb5\xb0"), "\xc3\xa4   |   \xe8\xb5\xb0|");
    assert_string_equal(print("%-8s|%7s|%3s|", "\x1b", "\x9b", "\x9b"), "\\u{1b}  |   \\x9b|\\x9b|");
}

// A precision may end within a character, and nothing after it is read.
static void precisions_end_text(void **state) {
    (void)state;
    static const char unterminated[3] = {'a', (char)0xe2, (char)0x82};
    assert_string_equal(print("%.*s", 3, unterminated), "a\\xe2\\x82");
    assert_string_equal(print("%.1s", "\xc3\xa4"), "\\xc3");
    assert_string_equal(print("%.*s", -1, "abc"), "abc");
}

static void long_text_is_whole(void **state) {
    (void)state;
    static char text[1200], expected[8192];
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        text[i] = i % 7 == 0 ? '\x1b' : (char)('a' + i % 26);
    }
    char *at = expected;
    for (const char *from = text; *from != '\0'; from++) {
        at += snprintf(at, 8, *from == '\x1b' ? "\\u{1b}" : "%c", *from);
    }
    assert_string_equal(print("%s", text), expected);
    assert_int_equal(strlen(print("%3000s", "")), 3000);
}

static void lines_keep_their_breaks(void **state) {
    (void)state;
    FILE *stream = tmpfile();
    assert_non_null(stream);
    terminal_print_lines(stream, "\na\x1b%s\n\nb\t\n\xc3");
    assert_string_equal(read_stream(stream), "\na\\u{1b}%s\n\nb\\u{9}\n\\xc3");
}

// ---- JSON.

static void json_escapes_the_same(void **state) {
    (void)state;
    FILE *stream = tmpfile();
    assert_non_null(stream);
    json json = {.stream = stream};
    json_text(
        &json, NULL,
        "\"\\\x1b\n\x7f\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81\xf4\x8f\xbf\xbf\x9b\xed\xa0\x80\xc3\xa4\xf0\x9f\x98\x80");
    assert_string_equal(read_stream(stream), "\"\\\"\\\\\\u001b\\u000a\\u007f\\u009b\\u202e\\udb40\\udc01\\udbff\\udfff"
                                             "\\ufffd\\ufffd\\ufffd\\ufffd\xc3\xa4\xf0\x9f\x98\x80\"");
}

// ---- Programs.

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

// These sources write files or JSON, or implement the functions of terminal.h.
static bool may_write(const char *name) {
    static const char *const names[] = {"terminal.c",     "json.c",        "trace.c", "motion_graph.c",
                                        "motion_match.c", "motion_walk.c", "stb.c",   "volk.c"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

// Fails if a source calls a function that writes text unescaped.
static void check_source(const char *path) {
    static const char *const calls[] = {"printf(", "fprintf(", "vprintf(", "vfprintf(", "puts(",
                                        "fputs(",  "putchar(", "putc(",    "fputc(",    "perror("};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char line[1000];
    for (unsigned number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
            const char *found = strstr(line, calls[i]);
            if (found != NULL && (found == line || strchr(" \t(!", found[-1]) != NULL)) {
                fail_msg("%s:%u: %s instead of what terminal.h has", path, number, calls[i]);
            }
        }
    }
    fclose(file);
}

static void programs_print_through_nothing_else(void **state) {
    (void)state;
    static const char *const folders[] = {"src/cli", "src/tools", "samples/viewer", "bench"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", LIMBER_SOURCES, folders[i]);
        DIR *folder = opendir(path);
        assert_non_null(folder);
        uint32_t count = 0;
        for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
            const char *name = entry->d_name;
            if ((ends_with(name, ".c") || ends_with(name, ".cpp") || ends_with(name, ".h")) && !may_write(name)) {
                snprintf(path, sizeof path, "%s/%s/%s", LIMBER_SOURCES, folders[i], name);
                check_source(path);
                count++;
            }
        }
        closedir(folder);
        assert_in_range(count, 10, 1000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printable_text_stays),        cmocka_unit_test(each_class_is_escaped),
        cmocka_unit_test(every_code_point_is_read),    cmocka_unit_test(any_bytes_come_out_printable),
        cmocka_unit_test(formats_are_those_of_printf), cmocka_unit_test(formats_keep_their_line_breaks_alone),
        cmocka_unit_test(widths_count_characters),     cmocka_unit_test(precisions_end_text),
        cmocka_unit_test(long_text_is_whole),          cmocka_unit_test(lines_keep_their_breaks),
        cmocka_unit_test(json_escapes_the_same),       cmocka_unit_test(programs_print_through_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
