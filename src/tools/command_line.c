// Reads arguments in order, by the table of options in `usage`. An option stores its value in the variable that its row
// points to. Everything that is no option is moved to the front of argv. The first mistake is printed, with how to get
// help, and becomes an exit status.
#include "command_line.h"

#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Prints a row of the help. Further lines of its text are below the first.
static void print_option(const char *name, const char *value, const char *help) {
    char left[64];
    snprintf(left, sizeof left, "%s%s%s", name, value == NULL ? "" : " ", value == NULL ? "" : value);
    while (help != NULL) {
        const size_t size = strcspn(help, "\n");
        terminal_print("  %-22s %.*s\n", left, (int)size, help);
        left[0] = '\0';
        help = help[size] == '\n' ? help + size + 1 : NULL;
    }
}

static void print_help(const usage *usage) {
    terminal_print("usage: %s ", usage->command);
    terminal_print_lines(stdout, usage->synopsis);
    terminal_print("\n\n");
    terminal_print_lines(stdout, usage->text);
    terminal_print("\noptions:\n");
    for (const option *option = usage->options; option->name != NULL; option++) {
        print_option(option->name, option->value, option->help);
    }
    print_option("--help", NULL, "show this and end");
}

uint32_t option_split_files(char *text, char **files) {
    char *file = strchr(text, '=');
    uint32_t count = 0;
    if (file == NULL || file == text || file[1] == '\0') {
        return 0;
    }
    while (file != NULL) {
        *file++ = '\0';
        files[count++] = file;
        file = strchr(file, ',');
    }
    return count;
}

int usage_error(const char *command, const char *format, ...) {
    const size_t program = strcspn(command, " ");
    terminal_error("%.*s%s%s: ", (int)program, command, command[program] == '\0' ? "" : ": ",
                   command[program] == '\0' ? "" : command + program + 1);
    va_list arguments;
    va_start(arguments, format);
    terminal_print_list(stderr, format, arguments);
    va_end(arguments);
    terminal_error("\nTry '%s --help'.\n", command);
    return 2;
}

// Accepts only digits, because strtoull also accepts signs and blanks.
const char *option_read_distance(const char *text, void *target) {
    option_distance *distance = target;
    distance->is_given = option_read_float(text, &distance->value) && distance->value >= 0.0f;
    return distance->is_given ? NULL : "a number, 0 or more";
}

bool option_read_whole(const char *text, uint64_t most, uint64_t *number) {
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0') {
        return false;
    }
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    *number = value;
    return errno == 0 && value <= most;
}

bool option_read_float(const char *text, float *value) {
    if (text[0] == '\0' || text[strspn(text, "+-.0123456789eE")] != '\0') {
        return false;
    }
    char *end = NULL;
    *value = strtof(text, &end);
    return *end == '\0' && isfinite(*value);
}

// Stores a count and returns NULL, or returns what it must be.
static const char *read_limited(const char *text, const option_limited *limited) {
    static char must_be[64];
    uint64_t number = 0;
    if (!option_read_whole(text, limited->most, &number) || number == 0) {
        snprintf(must_be, sizeof must_be, "a whole number from 1 to %u", (unsigned)limited->most);
        return must_be;
    }
    *limited->value = (uint32_t)number;
    return NULL;
}

#define NO_MEMORY "given fewer times: there is no memory"

// Returns room for as many values as there may be, or NULL.
static void *grow(void *values, int most, size_t size) {
    return values != NULL ? values : calloc((size_t)most + 1, size);
}

// Stores the value and returns NULL, or returns what a value of this kind must be. At most `most` values follow.
static const char *read_value(const option *option, const char *text, int most) {
    switch (option->kind) {
    case OPTION_FLAG:
        return "given without a value";
    case OPTION_TEXT:
        *(const char **)option->target = text;
        return NULL;
    case OPTION_COUNT: {
        const option_limited limited = {option->target, UINT32_MAX - 1};
        return read_limited(text, &limited) == NULL ? NULL : "a whole number, 1 or more";
    }
    case OPTION_LIMITED:
        return read_limited(text, option->target);
    case OPTION_NUMBER:
        return option_read_whole(text, UINT64_MAX, option->target) ? NULL : "a whole number, 0 or more";
    case OPTION_SECONDS: {
        option_seconds *seconds = option->target;
        seconds->values = grow(seconds->values, most, sizeof *seconds->values);
        if (seconds->values == NULL) {
            return NO_MEMORY;
        }
        if (!option_read_float(text, &seconds->values[seconds->count])) {
            return "a finite number of seconds";
        }
        seconds->count++;
        return NULL;
    }
    case OPTION_TEXTS: {
        option_texts *texts = option->target;
        texts->values = grow(texts->values, most, sizeof *texts->values);
        if (texts->values == NULL) {
            return NO_MEMORY;
        }
        texts->values[texts->count++] = text;
        return NULL;
    }
    case OPTION_OTHER: {
        const option_other *other = option->target;
        return other->read(text, other->target);
    }
    }
    return "of a known kind";
}

// Finds the option that `argument` names, alone or as name=value. `value` then points to the text after the equals
// sign.
static const option *find_option(const usage *usage, const char *argument, const char **value) {
    const size_t length = strcspn(argument, "=");
    *value = argument[length] == '=' ? argument + length + 1 : NULL;
    for (const option *option = usage->options; option->name != NULL; option++) {
        if (strlen(option->name) == length && strncmp(option->name, argument, length) == 0) {
            return option;
        }
    }
    return NULL;
}

// Reads the option at argv[*index] and moves *index to its last argument. Returns #COMMAND_LINE_GOOD, or the exit
// status.
static int read_option(const usage *usage, int argc, char **argv, int *index) {
    const char *value = NULL;
    const option *option = find_option(usage, argv[*index], &value);
    if (option == NULL) {
        return usage_error(usage->command, "unknown option '%s'", argv[*index]);
    }
    if (option->kind == OPTION_FLAG && value == NULL) {
        *(bool *)option->target = true;
        return COMMAND_LINE_GOOD;
    }
    if (value == NULL) {
        if (*index + 1 >= argc) {
            return usage_error(usage->command, "%s needs a value", option->name);
        }
        value = argv[++*index];
    }
    const char *must_be = read_value(option, value, argc);
    return must_be == NULL ? COMMAND_LINE_GOOD
                           : usage_error(usage->command, "%s must be %s, not '%s'", option->name, must_be, value);
}

// Returns whether a required option was given. Its target points to a pointer, or to a struct that begins with one.
static bool is_given(const option *option) {
    return *(void *const *)option->target != NULL;
}

static int check(const usage *usage, uint32_t files) {
    if (files == 0 && (usage->files == OPTION_ONE_FILE || usage->files == OPTION_SOME_FILES)) {
        return usage_error(usage->command, "no file given");
    }
    if (files > 1 && usage->files == OPTION_ONE_FILE) {
        return usage_error(usage->command, "more than one file given");
    }
    for (uint32_t i = 0; i < usage->required_count; i++) {
        if (!is_given(&usage->options[i])) {
            return usage_error(usage->command, "no %s given", usage->options[i].name);
        }
    }
    return COMMAND_LINE_GOOD;
}

static bool asks_for_help(const char *argument) {
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

int command_line_read(const usage *usage, int argc, char **argv, uint32_t *file_count) {
    bool only_files = false;
    uint32_t found = 0;
    for (int i = 0; i < argc; i++) {
        if (!only_files && strcmp(argv[i], "--") == 0) {
            only_files = true;
        } else if (!only_files && asks_for_help(argv[i])) {
            print_help(usage);
            return 0;
        } else if (!only_files && argv[i][0] == '-') {
            const int status = read_option(usage, argc, argv, &i);
            if (status != COMMAND_LINE_GOOD) {
                return status;
            }
        } else if (usage->files == OPTION_NO_FILES) {
            return usage_error(usage->command, "unexpected argument '%s'", argv[i]);
        } else {
            argv[found++] = argv[i];
        }
    }
    if (file_count != NULL) {
        *file_count = found;
    }
    return check(usage, found);
}
