// Parses a disassembly.
#include "rdna_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 64, MOST_TEXT = 256, MOST_LABELS = 8192, MOST_REPEATS = 4096 };

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

// Reads "v7" or "v[4:5]", of which the first register is stored; or "s" with the same forms.
static bool read_register(const char *text, operand *operand) {
    const char *digits = text + 1 + (text[1] == '[');
    char *end;
    if ((text[0] != 'v' && text[0] != 's') || digits[0] < '0' || digits[0] > '9') {
        return false;
    }
    operand->kind = text[0] == 'v' ? OPERAND_VGPR : OPERAND_SGPR;
    operand->index = (uint32_t)strtoul(digits, &end, 10);
    return operand->index < (text[0] == 'v' ? RDNA_VGPRS : RDNA_VCC) && (*end == '\0' || *end == ':');
}

static bool read_named(const char *text, operand *operand) {
    static const struct {
        const char *name;
        operand_kind kind;
        uint32_t index;
    } names[] = {{"vcc", OPERAND_SGPR, RDNA_VCC},
                 {"vcc_lo", OPERAND_SGPR, RDNA_VCC},
                 {"vcc_hi", OPERAND_SGPR, RDNA_VCC + 1},
                 {"exec", OPERAND_SGPR, RDNA_EXEC},
                 {"exec_lo", OPERAND_SGPR, RDNA_EXEC},
                 {"exec_hi", OPERAND_SGPR, RDNA_EXEC + 1},
                 {"m0", OPERAND_SGPR, RDNA_M0},
                 {"null", OPERAND_SGPR, RDNA_NULL},
                 {"scc", OPERAND_SCC, 0},
                 {"src_scc", OPERAND_SCC, 0},
                 {"off", OPERAND_OFF, 0}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i].name) == 0) {
            operand->kind = names[i].kind;
            operand->index = names[i].index;
            return true;
        }
    }
    return false;
}

// Reads a constant. Hexadecimal numbers are the bits of a word; decimal numbers with a point are floats.
static bool read_constant(const char *text, operand *operand) {
    char *end;
    operand->kind = OPERAND_CONSTANT;
    if (strchr(text, '.') != NULL) {
        const float value = strtof(text, &end);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        operand->value = bits;
    } else {
        operand->value = (uint64_t)strtoll(text, &end, 0);
    }
    return end != text && *end == '\0';
}

static bool read_operand(char *text, operand *operand) {
    *operand = (struct operand){.mask = UINT32_MAX};
    if (read_constant(text, operand)) {
        return true;
    }
    if (*text == '-') {
        operand->negated = true;
        text++;
    }
    if (*text == '|') {
        operand->absolute = true;
        text++;
        text[strcspn(text, "|")] = '\0';
    }
    return read_register(text, operand) || read_named(text, operand);
}

// Reads the value of a modifier such as "src0_sel:WORD_1": the part of a word that is read or written.
static bool read_part(const char *value, operand *operand) {
    const bool is_byte = begins(value, "BYTE_"), is_word = begins(value, "WORD_");
    if (is_byte || is_word) {
        operand->shift = (uint32_t)(value[5] - '0') * (is_byte ? 8 : 16);
        operand->mask = is_byte ? 0xff : 0xffff;
    }
    return is_byte || is_word || strcmp(value, "DWORD") == 0;
}

static bool read_parts(const char *text, instruction *in) {
    static const char *const names[] = {"dst_sel:", "src0_sel:", "src1_sel:"};
    for (uint32_t i = 0; i < 3; i++) {
        if (begins(text, names[i])) {
            return in->lane != NULL && read_part(text + strlen(names[i]), &in->operands[i]);
        }
    }
    in->keeps_rest = strcmp(text, "dst_unused:UNUSED_PRESERVE") == 0;
    return in->keeps_rest || strcmp(text, "dst_unused:UNUSED_PAD") == 0;
}

// Reads a modifier that takes the first source from another lane, whose number differs in some bits.
static bool read_across(const char *text, instruction *in) {
    static const struct {
        const char *text;
        uint32_t across;
    } forms[] = {{"quad_perm:[1;0;3;2]", 1}, {"quad_perm:[2;3;0;1]", 2}, {"row_half_mirror", 7}, {"row_mirror", 15}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(text, forms[i].text) == 0) {
            in->across = forms[i].across;
            return in->lane != NULL;
        }
    }
    in->across_all = in->across_all || strcmp(text, "fi:1") == 0;
    return strcmp(text, "fi:1") == 0 || strcmp(text, "row_mask:0xf") == 0 || strcmp(text, "bank_mask:0xf") == 0;
}

// Reads a modifier after the operands; returns false if it is unknown.
static bool read_modifier(const char *text, instruction *in) {
    const char *value = strchr(text, ':');
    const int32_t number = value != NULL ? (int32_t)strtol(value + 1, NULL, 0) : 0;
    if (begins(text, "offset:") || begins(text, "offset0:")) {
        in->offsets[0] = number;
    } else if (begins(text, "offset1:")) {
        in->offsets[1] = number;
    } else if (begins(text, "mul:")) {
        in->factor = (float)number;
    } else if (begins(text, "div:")) {
        in->factor = 1.0f / (float)number;
    } else {
        // Cache modifiers are ignored; the others select lanes, or parts of words.
        return strcmp(text, "glc") == 0 || strcmp(text, "dlc") == 0 || strcmp(text, "slc") == 0 ||
               read_across(text, in) || read_parts(text, in);
    }
    return true;
}

// Replaces the commas of a list in brackets, which belong to a modifier.
static void hide_list(char *text) {
    for (char *at = strstr(text, "_perm:["); at != NULL && *at != '\0' && *at != ']'; at++) {
        *at = *at == ',' ? ';' : *at;
    }
}

// Reads operands, which are separated by commas, and the modifiers after them.
static bool read_operands(char *text, instruction *in) {
    char *piece = text;
    hide_list(text);
    while (piece != NULL && *piece != '\0') {
        char *next = strchr(piece, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        char *rest = piece;
        const char *blanks = " \t";
        for (bool first = true; *(rest += strspn(rest, blanks)) != '\0'; first = false) {
            char *token = rest;
            rest += strcspn(rest, blanks);
            if (*rest != '\0') {
                *rest++ = '\0';
            }
            if (first ? in->operand_count == RDNA_MOST_OPERANDS ||
                            !read_operand(token, &in->operands[in->operand_count++])
                      : !read_modifier(token, in)) {
                return false;
            }
        }
        piece = next;
    }
    return in->across == 0 || in->across_all;
}

// Removes the encoding from the name.
static void cut_encoding(char *name) {
    char *last = strrchr(name, '_');
    if (last != NULL && (strcmp(last, "_e32") == 0 || strcmp(last, "_e64") == 0 || strcmp(last, "_sdwa") == 0 ||
                         strcmp(last, "_dpp") == 0)) {
        *last = '\0';
    }
}

static bool read_instruction(const char *line, size_t length, instruction *in) {
    char text[MOST_TEXT], name[MOST_NAME];
    const char *comment = memchr(line, ';', length);
    length = comment != NULL ? (size_t)(comment - line) : length;
    if (length >= sizeof text) {
        return false;
    }
    memcpy(text, line, length);
    text[length] = '\0';
    const size_t end = strcspn(text, " \t");
    if (end >= sizeof name) {
        return false;
    }
    memcpy(name, text, end);
    name[end] = '\0';
    cut_encoding(name);
    // Signed comparisons with a constant of 16 bits would have to extend its sign.
    const bool extends = begins(name, "s_cmpk") && strstr(name, "_i32") != NULL;
    if (extends || !rdna_find_step(name, in)) {
        return false;
    }
    if (begins(name, "s_cbranch") || strcmp(name, "s_branch") == 0) {
        const char *label = strstr(text + end, "BB");
        in->target = label != NULL ? (uint32_t)strtoul(label + 2, NULL, 10) : MOST_LABELS;
        rdna_find_uses(name, in);
        return in->target < MOST_LABELS;
    }
    // The operands of s_waitcnt have a different form and are not needed.
    if (!begins(name, "s_waitcnt") && !read_operands(text + end, in)) {
        return false;
    }
    if (strcmp(name, "v_fmac_f32") == 0) { // adds to its destination
        in->operands[in->operand_count++] = in->operands[0];
    }
    if (strcmp(name, "s_addk_i32") == 0 || strcmp(name, "s_mulk_i32") == 0) { // likewise
        in->operands[in->operand_count++] = in->operands[1];
        in->operands[1] = in->operands[0];
    }
    if (strstr(name, "st64") != NULL) { // offsets in units of 64 values
        in->offsets[0] *= 64;
        in->offsets[1] *= 64;
    }
    rdna_find_uses(name, in);
    return true;
}

static lmb_result refuse(lmb_error *error, const char *line, size_t length, uint32_t number) {
    *error = (lmb_error){.result = LMB_ERROR_UNSUPPORTED};
    snprintf(error->message, sizeof error->message, "line %u of the disassembly is not known: %.*s", (unsigned)number,
             (int)(length < 100 ? length : 100), line);
    return error->result;
}

// Reads "(then repeated 1 times)", which repeats the previous instruction.
static bool read_repeats(const char *line, rdna_kernel *kernel, uint32_t *repeats_left) {
    unsigned times;
    if (kernel->count == 0 || sscanf(line, "(then repeated %u times)", &times) != 1 || times > *repeats_left) {
        return false;
    }
    *repeats_left -= times;
    for (; times > 0; times--, kernel->count++) {
        kernel->instructions[kernel->count] = kernel->instructions[kernel->count - 1];
    }
    return true;
}

// Reads all lines. Labels are replaced by instructions after all are known.
static lmb_result read_lines(const char *assembly, rdna_kernel *kernel, uint32_t *labels, lmb_error *error) {
    uint32_t number = 1, repeats_left = MOST_REPEATS;
    for (const char *line = assembly; *line != '\0'; number++) {
        const size_t whole = strcspn(line, "\n"), blanks = strspn(line, " \t");
        if (begins(line, "BB")) {
            const unsigned long label = strtoul(line + 2, NULL, 10);
            if (label >= MOST_LABELS) {
                return refuse(error, line, whole, number);
            }
            labels[label] = kernel->count;
        } else if (line[blanks] == '(') {
            if (!read_repeats(line + blanks, kernel, &repeats_left)) {
                return refuse(error, line + blanks, whole - blanks, number);
            }
        } else if (blanks > 0 && blanks < whole) {
            instruction *in = &kernel->instructions[kernel->count++];
            in->line = number;
            if (!read_instruction(line + blanks, whole - blanks, in)) {
                return refuse(error, line + blanks, whole - blanks, number);
            }
        }
        line += whole + (line[whole] == '\n');
    }
    return LMB_OK;
}

static uint32_t count_lines(const char *text) {
    uint32_t count = 1;
    for (; *text != '\0'; text++) {
        count += *text == '\n';
    }
    return count;
}

lmb_result rdna_read(const char *assembly, rdna_kernel **kernel, lmb_error *error) {
    uint32_t *labels = calloc(MOST_LABELS, sizeof *labels);
    rdna_kernel *read = calloc(1, sizeof *read);
    if (read != NULL) {
        read->instructions = calloc(count_lines(assembly) + MOST_REPEATS, sizeof *read->instructions);
    }
    lmb_result result = LMB_ERROR_MEMORY;
    *error = (lmb_error){.result = LMB_ERROR_MEMORY, .message = "no memory"};
    if (labels != NULL && read != NULL && read->instructions != NULL) {
        result = read_lines(assembly, read, labels, error);
        for (uint32_t i = 0; i < read->count && result == LMB_OK; i++) {
            read->instructions[i].target = labels[read->instructions[i].target];
        }
    }
    free(labels);
    if (result != LMB_OK) {
        rdna_destroy(read);
        read = NULL;
    }
    *kernel = read;
    return result;
}

void rdna_destroy(rdna_kernel *kernel) {
    if (kernel != NULL) {
        free(kernel->instructions);
        free(kernel);
    }
}
