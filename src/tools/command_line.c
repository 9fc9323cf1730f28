#include "command_line.h"

#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_help(const usage *usage) {
    terminal_print("usage: limber %s ", usage->command);
    terminal_print_lines(stdout, usage->synopsis);
    terminal_print("\n\n");
    terminal_print_lines(stdout, usage->text);
    terminal_print("\noptions:\n");
    for (size_t i = 0; i < usage->option_count; i++) {
        const option *option = &usage->options[i];
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", option->name, option->value == NULL ? "" : " ",
                 option->value == NULL ? "" : option->value);
        terminal_print("  %-22s ", left);
        terminal_print_lines(stdout, option->help);
        terminal_print("\n");
    }
    terminal_print("  %-22s %s\n", "--help", "show this and end");
}

int usage_error(const char *command, const char *format, ...) {
    terminal_error("limber: %s: ", command);
    va_list arguments;
    va_start(arguments, format);
    terminal_print_list(stderr, format, arguments);
    va_end(arguments);
    terminal_error("\nTry 'limber %s --help'.\n", command);
    return 2;
}

// Accepts only digits, because strtoull also accepts signs and blanks.
static bool read_number(const char *text, uint64_t limit, uint64_t *number) {
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0') {
        return false;
    }
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    *number = value;
    return errno == 0 && value <= limit;
}

bool option_read_float(const char *text, float *value) {
    if (text[0] == '\0' || text[strspn(text, "+-.0123456789eE")] != '\0') {
        return false;
    }
    char *end = NULL;
    *value = strtof(text, &end);
    return *end == '\0' && isfinite(*value);
}

// Stores the value and returns NULL, or returns what a value of this kind must be.
static const char *read_value(const option *option, const char *text) {
    uint64_t number = 0;
    switch (option->kind) {
    case OPTION_FLAG:
        return "given without a value";
    case OPTION_TEXT:
        *(const char **)option->target = text;
        return NULL;
    case OPTION_COUNT:
        if (!read_number(text, UINT32_MAX - 1, &number) || number == 0) {
            return "a whole number, 1 or more";
        }
        *(uint32_t *)option->target = (uint32_t)number;
        return NULL;
    case OPTION_NUMBER:
        if (!read_number(text, UINT64_MAX, &number)) {
            return "a whole number, 0 or more";
        }
        *(uint64_t *)option->target = number;
        return NULL;
    case OPTION_SECONDS: {
        option_seconds *seconds = option->target;
        if (!option_read_float(text, &seconds->values[seconds->count])) {
            return "a finite number of seconds";
        }
        seconds->count++;
        return NULL;
    }
    case OPTION_TEXTS: {
        option_texts *texts = option->target;
        texts->values[texts->count++] = text;
        return NULL;
    }
    }
    return "of a known kind";
}

// Finds the option that `argument` names, alone or as name=value. `value` then points to the text after the equals
// sign.
static const option *find_option(const usage *usage, const char *argument, const char **value) {
    size_t length = strcspn(argument, "=");
    *value = argument[length] == '=' ? argument + length + 1 : NULL;
    for (size_t i = 0; i < usage->option_count; i++) {
        const char *name = usage->options[i].name;
        if (strlen(name) == length && strncmp(name, argument, length) == 0) {
            return &usage->options[i];
        }
    }
    return NULL;
}

// Reads the option at argv[*index] and moves *index to its last argument. Returns 0, or the exit status.
static int read_option(const usage *usage, int argc, char **argv, int *index) {
    const char *value = NULL;
    const option *option = find_option(usage, argv[*index], &value);
    if (option == NULL) {
        return usage_error(usage->command, "unknown option '%s'", argv[*index]);
    }
    if (option->kind == OPTION_FLAG && value == NULL) {
        *(bool *)option->target = true;
        return 0;
    }
    if (value == NULL) {
        if (*index + 1 >= argc) {
            return usage_error(usage->command, "%s needs a value", option->name);
        }
        value = argv[++*index];
    }
    const char *must_be = read_value(option, value);
    if (must_be != NULL) {
        return usage_error(usage->command, "%s must be %s, not '%s'", option->name, must_be, value);
    }
    return 0;
}

bool command_line_read(const usage *usage, int argc, char **argv, uint32_t *file_count, int *status) {
    *status = 2;
    bool only_files = false;
    uint32_t found = 0;
    for (int i = 0; i < argc; i++) {
        if (!only_files && strcmp(argv[i], "--") == 0) {
            only_files = true;
        } else if (!only_files && strcmp(argv[i], "--help") == 0) {
            print_help(usage);
            *status = 0;
            return false;
        } else if (!only_files && argv[i][0] == '-') {
            if (read_option(usage, argc, argv, &i) != 0) {
                return false;
            }
        } else if (!usage->takes_files) {
            usage_error(usage->command, "unexpected argument '%s'", argv[i]);
            return false;
        } else {
            argv[found++] = argv[i];
        }
    }
    if (usage->takes_files) {
        if (found == 0) {
            usage_error(usage->command, "no file given");
            return false;
        }
        *file_count = found;
    }
    return true;
}
