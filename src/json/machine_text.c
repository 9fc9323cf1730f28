// Reads the compact text of a state machine as the JSON values of the same machine. A recursive-descent parser adds the
// values in their order; their text is the compact text itself, or a list of words that follows it.
#include "graph.h"

#include "text.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_STRING, TOKEN_NUMBER, TOKEN_SIGN } token_kind;

typedef struct token {
    token_kind kind;
    const char *text; // of a string: the part between its quotes
    size_t length;
    uint32_t line;
    uint32_t column;
} token;

// Values without `next`, which follows from the counts of all.
typedef struct list {
    lmb_json_value *values;
    uint32_t count;
} list;

typedef struct edge {
    uint32_t from; // LMB_NONE for "any"
    token to;
} edge;

// What a text may set: for the machine INITIAL to CURVE, for a transition FADE to TO_SELF, for a state END to RESTART.
// The control points of a Bezier follow the word `bezier`, two numbers, or `cubic-bezier`, four.
typedef enum option {
    INITIAL,
    NAME,
    FADE,
    CURVE,
    PRIORITY,
    KIND,
    TO_SELF,
    END,
    RATE,
    OFFSET,
    MOTION,
    ENTRY,
    EXIT,
    RESTART,
    OPTION_COUNT,
    FIRST_CONTROL = OPTION_COUNT,
    LAST_CONTROL = FIRST_CONTROL + 3,
    TOKEN_COUNT // of options, and what follows them
} option;

typedef struct parser {
    lmb_graph_reader *reader;
    const lmb_graph_source *source;
    const char *text; // a graph's text, the machine's, and the words
    const char *words;
    const char *at;
    const char *end; // of the machine's text
    uint32_t line;
    uint32_t column;
    token token;  // the next one
    list machine; // the machine's object; its states follow each other
    list any;     // the array of its transitions from any state
    list *into;   // one of the two
    token states[LMB_MAX_STATES];
    uint32_t state_count;
    edge edges[LMB_MAX_TRANSITIONS];
    uint32_t edge_count;
    uint32_t current; // state, or LMB_NONE
    bool in_any;
    const char *list_key;         // of the transitions of any: "from" or "except", or NULL
    token listed[LMB_MAX_STATES]; // the states in it
    uint32_t listed_count;
    bool has_end;               // a transition of the current state has END
    float duration;             // of the current state's clip
    token options[TOKEN_COUNT]; // of the machine, FADE and CURVE of transitions without one; else TOKEN_END
    bool is_over;               // after an error, the rest cannot be read
} parser;

// ---- Errors.

static void write_token(const token *token, char *text, size_t size) {
    size_t length = token->length < size - 1 ? token->length : size - 1;
    memcpy(text, token->text, length);
    text[length] = '\0';
    lmb_text_make_line(text);
}

static void report(parser *p, const token *at, const char *format, ...) LMB_PRINTF(3, 4);

static void report(parser *p, const token *at, const char *format, ...) {
    lmb_graph_problem problem = {.line = at->line, .column = at->column};
    if (p->current != LMB_NONE) {
        write_token(&p->states[p->current], problem.path, 60);
    } else if (p->in_any) {
        snprintf(problem.path, sizeof problem.path, "any");
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem.message, sizeof problem.message, format, arguments);
    va_end(arguments);
    lmb_text_make_line(problem.message);
    lmb_graph_add_problem(p->reader, &problem);
}

// Reports that the next token is not the expected one.
static void expected(parser *p, const char *what) {
    if (p->is_over) {
        return;
    }
    char found[40];
    write_token(&p->token, found, sizeof found);
    if (p->token.kind == TOKEN_END) {
        report(p, &p->token, "the text ends, where %s was expected", what);
    } else {
        report(p, &p->token, "\"%s\", where %s was expected", found, what);
    }
    p->is_over = true;
}

// ---- Tokens.

static void pass(parser *p, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        bool line_ends = p->at[i] == '\n';
        p->line += line_ends ? 1 : 0;
        p->column = line_ends ? 1 : p->column + 1;
    }
    p->at += bytes;
}

static void skip_space(parser *p) {
    bool in_comment = false;
    while (p->at < p->end && (in_comment || strchr(" \t\r\n#", *p->at) != NULL) && *p->at != '\0') {
        in_comment = *p->at != '\n' && (in_comment || *p->at == '#');
        pass(p, 1);
    }
}

// Returns the length of the word's character at `at`, or 0 if it cannot be part of a word.
static size_t word_character(const parser *p, const char *at) {
    unsigned char byte = (unsigned char)*at;
    if (byte >= 0x80) {
        return lmb_text_sequence(at, (size_t)(p->end - at));
    }
    bool arrow = byte == '-' && at + 1 < p->end && at[1] == '>';
    bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
    return letter || byte == '_' || byte == '.' || (byte == '-' && !arrow) ? 1 : 0;
}

// Accepts numbers as JSON has them, without a plus sign in the exponent. The text ends before a letter, see `words`.
static bool is_number(const char *text, size_t length) {
    static const char digits[] = "0123456789";
    const char *at = text + (text[0] == '-' ? 1 : 0);
    const size_t whole = strspn(at, digits);
    bool is_valid = whole == 1 || (whole > 1 && *at != '0');
    at += whole;
    if (*at == '.') {
        const size_t part = strspn(at + 1, digits);
        is_valid = is_valid && part > 0;
        at += 1 + part;
    }
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '-' ? 2 : 1;
        const size_t exponent = strspn(at, digits);
        is_valid = is_valid && exponent > 0;
        at += exponent;
    }
    return is_valid && at == text + length;
}

static void read_word(parser *p) {
    const char *at = p->at;
    for (size_t bytes = 1; at < p->end && bytes > 0; at += bytes) {
        bytes = word_character(p, at);
    }
    p->token.length = (size_t)(at - p->at);
    p->token.kind = is_number(p->at, p->token.length) ? TOKEN_NUMBER : TOKEN_WORD;
    pass(p, p->token.length);
}

// Returns the length of the string's character at `at`, or 0 if it cannot be part of a string.
static size_t string_character(const parser *p, const char *at) {
    if (*at == '\\') {
        return at + 1 < p->end && (at[1] == '"' || at[1] == '\\') ? 2 : 0;
    }
    bool control = (unsigned char)*at < 0x20 || *at == 0x7f;
    return control ? 0 : lmb_text_sequence(at, (size_t)(p->end - at));
}

static void read_string(parser *p) {
    pass(p, 1);
    const char *start = p->at;
    const char *at = start;
    while (at < p->end && *at != '"') {
        size_t bytes = string_character(p, at);
        if (bytes == 0) {
            break;
        }
        at += bytes;
    }
    bool is_closed = at < p->end && *at == '"';
    p->token.kind = TOKEN_STRING;
    p->token.text = start;
    p->token.length = (size_t)(at - start);
    if (!is_closed || p->token.length == 0) {
        report(p, &p->token,
               is_closed ? "a name without a character"
                         : "a quote that is not closed, or something that cannot be in it");
        p->is_over = true;
        return;
    }
    pass(p, p->token.length + 1);
}

static void read_sign(parser *p) {
    const bool is_long = p->end - p->at > 1 && (memcmp(p->at, "->", 2) == 0 ||
                                                (*p->at != '\0' && strchr("<>=!", *p->at) != NULL && p->at[1] == '='));
    if (!is_long && (*p->at == '\0' || strchr("<>{}=", *p->at) == NULL)) {
        report(p, &p->token, "a character that cannot be here, or is no UTF-8");
        p->is_over = true;
        return;
    }
    p->token.kind = TOKEN_SIGN;
    p->token.length = is_long ? 2 : 1;
    pass(p, p->token.length);
}

static void advance(parser *p) {
    if (p->is_over) {
        return;
    }
    skip_space(p);
    p->token = (token){.kind = TOKEN_END, .text = p->at, .line = p->line, .column = p->column};
    if (p->at == p->end) {
        return;
    }
    if (*p->at == '"') {
        read_string(p);
    } else if (word_character(p, p->at) > 0) {
        read_word(p);
    } else {
        read_sign(p);
    }
}

static bool is_token(const token *token, token_kind kind, const char *text) {
    return token->kind == kind && token->length == strlen(text) && memcmp(token->text, text, token->length) == 0;
}

static bool take(parser *p, token_kind kind, const char *text) {
    bool taken = !p->is_over && is_token(&p->token, kind, text);
    if (taken) {
        advance(p);
    }
    return taken;
}

static bool same_name(const token *a, const token *b) {
    // A string has only one way to escape a character, and words need no escapes.
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

enum { MOST_WORDS = 4 };

// The words of the options, and their members in JSON.
static const struct {
    const char *words[MOST_WORDS];
    const char *key;
    lmb_json_type type;
    float min; // of a number that follows
    float max; // of an offset, it is the clip's duration
} rows[OPTION_COUNT] = {
    [INITIAL] = {{"initial"}, "initial", LMB_JSON_STRING, 0.0f, 0.0f},
    [NAME] = {{"machine"}, "name", LMB_JSON_STRING, 0.0f, 0.0f},
    [FADE] = {{"fade"}, "fade", LMB_JSON_NUMBER, 0.0f, LMB_MAX_CONTROL_SECONDS},
    [CURVE] = {{"curve"}, "curve", LMB_JSON_STRING, 0.0f, 0.0f},
    [PRIORITY] = {{"priority"}, "priority", LMB_JSON_NUMBER, -1e6f, 1e6f},
    [KIND] = {{"frozen", "inertialized"}, "kind", LMB_JSON_STRING, 0.0f, 0.0f},
    [TO_SELF] = {{"to-self"}, "to-self", LMB_JSON_BOOLEAN, 0.0f, 0.0f},
    [END] = {{"loop", "hold", "once", "ping-pong"}, "end", LMB_JSON_STRING, 0.0f, 0.0f},
    [RATE] = {{"rate"}, "rate", LMB_JSON_NUMBER, -64.0f, 64.0f},
    [OFFSET] = {{"offset"}, "offset", LMB_JSON_NUMBER, 0.0f, 0.0f},
    [MOTION] = {{"motion"}, "motion", LMB_JSON_BOOLEAN, 0.0f, 0.0f},
    [ENTRY] = {{"entry"}, "entry", LMB_JSON_STRING, 0.0f, 0.0f},
    [EXIT] = {{"exit"}, "exit", LMB_JSON_STRING, 0.0f, 0.0f},
    [RESTART] = {{"restart"}, "restart", LMB_JSON_BOOLEAN, 0.0f, 0.0f},
};

// Returns the option of a range that a token begins, or OPTION_COUNT.
static option find_option(const token *token, option first, option last) {
    for (option i = first; i <= last; i++) {
        for (int k = 0; k < MOST_WORDS && rows[i].words[k] != NULL; k++) {
            if (is_token(token, TOKEN_WORD, rows[i].words[k])) {
                return i;
            }
        }
    }
    return OPTION_COUNT;
}

static bool is_reserved(const token *token) {
    static const char *const others[] = {"END", "after", "when", "and", "or", "not", "any", "trigger", "random"};
    bool found = find_option(token, INITIAL, RESTART) != OPTION_COUNT;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        found = found || is_token(token, TOKEN_WORD, others[i]);
    }
    return found;
}

// Takes the name of a state, an event and so on.
static token take_name(parser *p, const char *what) {
    token name = p->token;
    bool is_name =
        name.kind == TOKEN_STRING || name.kind == TOKEN_NUMBER || (name.kind == TOKEN_WORD && !is_reserved(&name));
    if (is_name) {
        advance(p);
    } else {
        expected(p, what);
        name.kind = TOKEN_END;
    }
    return name;
}

static token take_event(parser *p, const char *what) {
    token event = take_name(p, what);
    if (is_token(&event, TOKEN_STRING, "END")) {
        report(p, &event, "END is no name of an event");
    }
    return event;
}

// Takes a number; reports it if it is out of range.
static token take_number(parser *p, float min, float max) {
    token number = p->token;
    if (number.kind != TOKEN_NUMBER) {
        expected(p, "a number");
        number.kind = TOKEN_END;
        return number;
    }
    advance(p);
    double value = lmb_strtod(number.text, number.length);
    if (!(value >= (double)min && value <= (double)max)) {
        report(p, &number, "%g is outside %g to %g", value, (double)min, (double)max);
    }
    return number;
}

static token take_priority(parser *p) {
    token number = take_number(p, rows[PRIORITY].min, rows[PRIORITY].max);
    double value = number.kind == TOKEN_END ? 0.0 : lmb_strtod(number.text, number.length);
    if (value != floor(value)) {
        report(p, &number, "%g is no whole number", value);
    }
    return number;
}

#define CSS_BEZIER "cubic-bezier"

static token take_curve(parser *p) {
    const token name = p->token;
    for (int i = 0; i < LMB_CURVE_COUNT; i++) {
        if (is_token(&name, TOKEN_WORD, lmb_curve_name((lmb_curve)i))) {
            advance(p);
            return name;
        }
    }
    if (is_token(&name, TOKEN_WORD, CSS_BEZIER)) {
        advance(p);
        return name;
    }
    expected(p, "the name of a curve");
    return name;
}

// Takes what follows the word of an option; returns the word itself if nothing does.
static token take_operand(parser *p, option option, const token *word) {
    switch (option) {
    case INITIAL:
    case NAME:
        return take_name(p, option == INITIAL ? "a state" : "a name");
    case FADE:
    case RATE:
    case OFFSET:
        return take_number(p, rows[option].min, option == OFFSET ? p->duration : rows[option].max);
    case PRIORITY:
        return take_priority(p);
    case CURVE:
        return take_curve(p);
    case ENTRY:
    case EXIT:
        return take_event(p, "an event");
    default:
        return *word;
    }
}

// Returns how many control points follow the word of a curve: those of JSON's `bezier`.
static int count_controls(const token *curve) {
    return is_token(curve, TOKEN_WORD, "bezier") ? 2 : is_token(curve, TOKEN_WORD, CSS_BEZIER) ? 4 : 0;
}

static void take_controls(parser *p, token *options) {
    const int count = count_controls(&options[CURVE]);
    for (int i = 0; i <= LAST_CONTROL - FIRST_CONTROL; i++) {
        const bool is_x = count == 4 && i % 2 == 0;
        const float limit = count == 4 ? 1048576.0f : 16.0f;
        options[FIRST_CONTROL + i] = i < count && !p->is_over
                                         ? take_number(p, is_x ? 0.0f : -limit, is_x ? 1.0f : limit)
                                         : (token){.kind = TOKEN_END};
    }
}

// Reads the options of a range that are next.
static void read_options(parser *p, option first, option last, token *options) {
    option option;
    while (!p->is_over && (option = find_option(&p->token, first, last)) != OPTION_COUNT) {
        const token word = p->token;
        if (option == KIND && options[KIND].kind != TOKEN_END && !same_name(&options[KIND], &word)) {
            report(p, &word, "a fade is frozen or inertialized, not both");
        }
        advance(p);
        options[option] = take_operand(p, option, &word);
        if (option == CURVE) {
            take_controls(p, options);
        }
    }
}

// ---- Values.

// What the text does not contain: keys, and strings of the machine's own.
static const char words[] = "op machine name initial states any entry exit restart transitions pose clip play end rate "
                            "offset motion to event after when fade curve kind priority param and or true loop hold "
                            "bezier to-self from except not > 0 trigger random";

static uint32_t add(parser *p, lmb_json_type type, const char *start, size_t length) {
    list *list = p->into;
    const uint32_t at = (uint32_t)(start - p->text);
    const lmb_json_value value = {.type = type, .start = at, .end = at + (uint32_t)length};
    if (!lmb_graph_append(p->reader, &p->reader->scratch, &list->values, &list->count, &value, sizeof value)) {
        p->is_over = true;
        return 0;
    }
    return list->count - 1;
}

static token word_token(const parser *p, const char *word) {
    return (token){.kind = TOKEN_WORD, .text = p->words + (strstr(words, word) - words), .length = strlen(word)};
}

static uint32_t add_token(parser *p, lmb_json_type type, const token *token) {
    return add(p, type, token->text, token->length);
}

// Adds an array or object at the place of the next token.
static uint32_t add_container(parser *p, lmb_json_type type) {
    return add(p, type, p->token.text, 0);
}

static uint32_t add_element(parser *p, uint32_t array, lmb_json_type type) {
    p->into->values[array].count++;
    return add_container(p, type);
}

// Adds a key. Its value is added next.
static void add_key(parser *p, uint32_t object, const char *key) {
    p->into->values[object].count++;
    const token word = word_token(p, key);
    const uint32_t at = add_token(p, LMB_JSON_STRING, &word);
    p->into->values[at].count = 1;
}

static uint32_t add_container_member(parser *p, uint32_t object, const char *key, lmb_json_type type) {
    add_key(p, object, key);
    return add_container(p, type);
}

static void add_member(parser *p, uint32_t object, const char *key, lmb_json_type type, const token *token) {
    add_key(p, object, key);
    add_token(p, type, token);
}

static void add_word_member(parser *p, uint32_t object, const char *key, lmb_json_type type, const char *word) {
    const token token = word_token(p, word);
    add_member(p, object, key, type, &token);
}

// Adds a Bezier by its control points.
static void add_bezier(parser *p, uint32_t object, const token *options) {
    const uint32_t curve = add_container_member(p, object, rows[CURVE].key, LMB_JSON_OBJECT);
    const uint32_t points = add_container_member(p, curve, "bezier", LMB_JSON_ARRAY);
    for (int i = FIRST_CONTROL; i <= LAST_CONTROL && options[i].kind != TOKEN_END && !p->is_over; i++) {
        p->into->values[points].count++;
        add_token(p, LMB_JSON_NUMBER, &options[i]);
    }
}

// Adds those of a range of options that are set.
static void add_options(parser *p, uint32_t object, option first, option last, const token *options) {
    for (option i = first; i <= last; i++) {
        if (options[i].kind != TOKEN_END && rows[i].type == LMB_JSON_BOOLEAN) {
            add_word_member(p, object, rows[i].key, LMB_JSON_BOOLEAN, "true");
        } else if (i == CURVE && count_controls(&options[CURVE]) > 0) {
            add_bezier(p, object, options);
        } else if (options[i].kind != TOKEN_END) {
            add_member(p, object, rows[i].key, rows[i].type, &options[i]);
        }
    }
}

// Finds where each value ends. The values inside one follow it.
static void link(lmb_json_value *values, uint32_t count) {
    for (uint32_t i = count; i-- > 0;) {
        values[i].next = i + 1;
        for (uint32_t k = 0; k < values[i].count; k++) {
            values[i].next = values[values[i].next].next;
        }
    }
}

// ---- Transitions.

static void read_operand(parser *p) {
    token operand = p->token;
    if (operand.kind == TOKEN_NUMBER) {
        take_number(p, -LMB_LARGEST, LMB_LARGEST);
        add_token(p, LMB_JSON_NUMBER, &operand);
    } else {
        const uint32_t object = add_container(p, LMB_JSON_OBJECT);
        operand = take_name(p, "a number or a parameter");
        add_member(p, object, "param", LMB_JSON_STRING, &operand);
    }
}

static void read_comparison(parser *p, uint32_t conditions) {
    const uint32_t object = add_element(p, conditions, LMB_JSON_OBJECT);
    const uint32_t sides = add_container_member(p, object, "and", LMB_JSON_ARRAY);
    p->into->values[sides].count = 2;
    const bool is_number = p->token.kind == TOKEN_NUMBER;
    read_operand(p);
    token sign = p->token;
    const bool is_sign =
        sign.kind == TOKEN_SIGN && (*sign.text == '<' || *sign.text == '>' || is_token(&sign, TOKEN_SIGN, "==") ||
                                    is_token(&sign, TOKEN_SIGN, "!="));
    const bool is_alone = sign.kind != TOKEN_SIGN || is_token(&sign, TOKEN_SIGN, "->");
    if (!is_sign && (is_number || !is_alone)) {
        expected(p, "<, <=, >, >=, == or !=");
        return;
    }
    if (p->is_over) {
        return;
    }
    if (is_sign) {
        advance(p);
    } else {
        sign = word_token(p, "> 0"); // a parameter alone
        sign.length = 1;
    }
    lmb_json_value *key = &p->into->values[object + 1]; // in JSON, the operator precedes both operands
    key->start = (uint32_t)(sign.text - p->text);
    key->end = key->start + (uint32_t)sign.length;
    if (is_sign) {
        read_operand(p);
    } else {
        sign.text += 2;
        add_token(p, LMB_JSON_NUMBER, &sign);
    }
}

// Reads a comparison, a trigger or a chance, or "not" and one.
static void read_term(parser *p, uint32_t conditions) {
    bool is_negated = false;
    while (take(p, TOKEN_WORD, "not")) {
        is_negated = !is_negated;
    }
    if (is_negated) {
        const uint32_t object = add_element(p, conditions, LMB_JSON_OBJECT);
        const uint32_t negated = add_container_member(p, object, "not", LMB_JSON_OBJECT);
        conditions = add_container_member(p, negated, "and", LMB_JSON_ARRAY);
    }
    if (take(p, TOKEN_WORD, "trigger")) {
        const uint32_t object = add_element(p, conditions, LMB_JSON_OBJECT);
        const token event = take_event(p, "the name of an event");
        add_member(p, object, "trigger", LMB_JSON_STRING, &event);
    } else if (take(p, TOKEN_WORD, "random")) {
        const uint32_t object = add_element(p, conditions, LMB_JSON_OBJECT);
        add_key(p, object, "random");
        read_operand(p);
    } else {
        read_comparison(p, conditions);
    }
}

// Reads comparisons joined by "and". Returns the number of terms, including those that join them.
static uint32_t read_conjunction(parser *p, uint32_t conditions) {
    uint32_t terms = 1;
    const uint32_t object = add_element(p, conditions, LMB_JSON_OBJECT);
    const uint32_t joined = add_container_member(p, object, "and", LMB_JSON_ARRAY);
    read_term(p, joined);
    while (take(p, TOKEN_WORD, "and")) {
        read_term(p, joined);
        terms += 2;
    }
    return terms;
}

static void read_condition(parser *p, uint32_t transition) {
    const token at = p->token;
    const uint32_t object = add_container_member(p, transition, "when", LMB_JSON_OBJECT);
    const uint32_t conditions = add_container_member(p, object, "or", LMB_JSON_ARRAY);
    uint32_t terms = read_conjunction(p, conditions);
    while (take(p, TOKEN_WORD, "or")) {
        terms += 1 + read_conjunction(p, conditions);
    }
    if (terms > LMB_MAX_TERMS && !p->is_over) {
        report(p, &at, "more than %u comparisons, ands and ors", LMB_MAX_TERMS);
    }
}

static void add_edge(parser *p, const token *to) {
    if (p->edge_count == LMB_MAX_TRANSITIONS) {
        report(p, to, "more than %u transitions", LMB_MAX_TRANSITIONS);
        p->is_over = true;
        return;
    }
    p->edges[p->edge_count++] = (edge){.from = p->current, .to = *to};
}

// Adds the states of the list after "any".
static void add_list(parser *p, uint32_t transition) {
    const uint32_t list = add_container_member(p, transition, p->list_key, LMB_JSON_ARRAY);
    for (uint32_t i = 0; i < p->listed_count && !p->is_over; i++) {
        p->into->values[list].count++;
        add_token(p, LMB_JSON_STRING, &p->listed[i]);
    }
}

// Reads what triggers a transition: an event or END, "after", "when"; at least one of them.
static void read_needs(parser *p, uint32_t transition) {
    bool needs = true;
    if (take(p, TOKEN_WORD, "END")) {
        add_word_member(p, transition, "end", LMB_JSON_BOOLEAN, "true");
        p->has_end = true;
    } else if (!is_token(&p->token, TOKEN_WORD, "after") && !is_token(&p->token, TOKEN_WORD, "when")) {
        token event = take_event(p, "an event, END, after, when or }");
        add_member(p, transition, "event", LMB_JSON_STRING, &event);
        needs = !p->is_over;
    }
    if (needs && take(p, TOKEN_WORD, "after")) {
        token after = take_number(p, 0.0f, LMB_MAX_CONTROL_SECONDS);
        add_member(p, transition, "after", LMB_JSON_NUMBER, &after);
    }
    if (needs && take(p, TOKEN_WORD, "when")) {
        read_condition(p, transition);
    }
}

static void read_transition(parser *p, uint32_t transitions) {
    const uint32_t transition = add_element(p, transitions, LMB_JSON_OBJECT);
    read_needs(p, transition);
    take(p, TOKEN_SIGN, "->");
    token to = p->is_over ? (token){0} : take_name(p, "the state that it goes to");
    if (!p->is_over) {
        add_member(p, transition, "to", LMB_JSON_STRING, &to);
        add_edge(p, &to);
        token options[TOKEN_COUNT] = {[FADE] = p->options[FADE], [CURVE] = p->options[CURVE]};
        memcpy(options + FIRST_CONTROL, p->options + FIRST_CONTROL, (TOKEN_COUNT - FIRST_CONTROL) * sizeof *options);
        read_options(p, FADE, TO_SELF, options);
        add_options(p, transition, FADE, TO_SELF, options);
        if (p->current == LMB_NONE && p->list_key != NULL) {
            add_list(p, transition);
        }
        if (options[TO_SELF].kind != TOKEN_END && p->current != LMB_NONE) {
            report(p, &options[TO_SELF], "only a transition of any has it");
        }
    }
}

static void read_block(parser *p, uint32_t transitions) {
    if (!take(p, TOKEN_SIGN, "{")) {
        expected(p, "{");
    }
    while (!p->is_over && !take(p, TOKEN_SIGN, "}")) {
        read_transition(p, transitions);
    }
}

// ---- States.

static uint32_t find_state(const parser *p, const token *name) {
    for (uint32_t i = 0; i < p->state_count; i++) {
        if (same_name(&p->states[i], name)) {
            return i;
        }
    }
    return LMB_NONE;
}

static bool is_name_of_clip(const token *token, const char *name) {
    size_t at = 0;
    for (size_t i = 0; i < token->length; i++, at++) {
        i += token->text[i] == '\\' ? 1 : 0;
        if (name[at] != token->text[i] || name[at] == '\0') {
            return false;
        }
    }
    return name[at] == '\0';
}

static const lmb_clip *find_clip(const parser *p, const token *name) {
    const lmb_graph_source *source = p->source;
    for (uint32_t i = 0; i < source->clip_alias_count; i++) {
        const lmb_graph_alias *alias = &source->clip_aliases[i];
        for (uint32_t k = 0; k < source->clip_count && is_name_of_clip(name, alias->name); k++) {
            if (strcmp(lmb_clip_get_info(source->clips[k])->name, alias->target) == 0) {
                return source->clips[k];
            }
        }
    }
    for (uint32_t i = 0; i < source->clip_count; i++) {
        if (is_name_of_clip(name, lmb_clip_get_info(source->clips[i])->name)) {
            return source->clips[i];
        }
    }
    return NULL;
}

static bool add_state(parser *p, const token *name) {
    if (find_state(p, name) != LMB_NONE) {
        report(p, name, "another state has this name");
    }
    if (p->state_count == LMB_MAX_STATES) {
        report(p, name, "more than %u states", LMB_MAX_STATES);
        p->is_over = true;
        return false;
    }
    p->current = p->state_count++;
    p->states[p->current] = *name;
    return true;
}

// Adds the pose after the transitions. They decide how the clip ends if the state does not say so.
static void add_pose(parser *p, uint32_t state, const token *clip, token *options) {
    uint32_t pose = add_container_member(p, state, "pose", LMB_JSON_OBJECT);
    add_word_member(p, pose, "op", LMB_JSON_STRING, "clip");
    add_member(p, pose, "clip", LMB_JSON_STRING, clip);
    if (options[MOTION].kind != TOKEN_END && options[END].kind == TOKEN_END) {
        options[END] = word_token(p, p->has_end ? "hold" : "loop");
    }
    if (options[END].kind != TOKEN_END) {
        pose = add_container_member(p, pose, "play", LMB_JSON_OBJECT);
    }
    add_options(p, pose, END, MOTION, options);
}

static void read_state(parser *p, uint32_t states) {
    const uint32_t state = add_element(p, states, LMB_JSON_OBJECT);
    token name = take_name(p, "a state");
    if (p->is_over || !add_state(p, &name)) {
        return;
    }
    token clip_name = take(p, TOKEN_SIGN, "=") ? take_name(p, "a clip") : name;
    if (p->is_over) {
        return;
    }
    const lmb_clip *clip = find_clip(p, &clip_name);
    if (clip == NULL) {
        char message[LMB_GRAPH_MESSAGE_SIZE];
        const lmb_graph_names names = lmb_graph_clip_names(p->source);
        report(p, &clip_name, "%s",
               lmb_graph_no_name(p->reader, "there is no clip", clip_name.text, clip_name.length, &names, message));
    } else if (lmb_clip_get_info(clip)->duration > LMB_MAX_CONTROL_SECONDS) {
        report(p, &clip_name, "the clip takes more than 100,000 s");
    }
    p->duration = clip == NULL ? LMB_MAX_CONTROL_SECONDS : lmb_clip_get_info(clip)->duration;
    token options[TOKEN_COUNT] = {{0}};
    read_options(p, END, RESTART, options);
    add_member(p, state, "name", LMB_JSON_STRING, &name);
    add_options(p, state, ENTRY, RESTART, options);
    p->has_end = false;
    read_block(p, add_container_member(p, state, "transitions", LMB_JSON_ARRAY));
    add_pose(p, state, &clip_name, options);
    p->current = LMB_NONE;
}

// Reads "of" or "except", and the states that follow.
static void read_list(parser *p) {
    const bool leaves = take(p, TOKEN_WORD, "of");
    p->list_key = leaves ? "from" : take(p, TOKEN_WORD, "except") ? "except" : NULL;
    p->listed_count = 0;
    while (p->list_key != NULL && !p->is_over && (p->listed_count == 0 || !is_token(&p->token, TOKEN_SIGN, "{"))) {
        const token name = take_name(p, "a state");
        if (!p->is_over && p->listed_count == LMB_MAX_STATES) {
            report(p, &name, "more than %u states", LMB_MAX_STATES);
            p->is_over = true;
        } else if (!p->is_over) {
            p->listed[p->listed_count++] = name;
            add_edge(p, &name); // so that it is found among the states
        }
    }
}

static void read_any(parser *p) {
    p->into = &p->any;
    p->in_any = true;
    read_list(p);
    read_block(p, 0);
    p->in_any = false;
    p->into = &p->machine;
}

static void read_states(parser *p, uint32_t states) {
    read_options(p, INITIAL, CURVE, p->options);
    while (!p->is_over && p->token.kind != TOKEN_END) {
        if (take(p, TOKEN_WORD, "any")) {
            read_any(p);
        } else {
            read_state(p, states);
        }
        read_options(p, INITIAL, CURVE, p->options);
    }
    if (!p->is_over && p->state_count == 0) {
        expected(p, "a state");
    }
}

// ---- The machine.

static const char *name_at(const void *names, uint32_t index) {
    return ((const char *const *)names)[index];
}

// Reports the name of a state that does not exist, and those that do.
static void report_state(parser *p, const token *name) {
    const uint32_t count = p->reader->problem_count < LMB_MAX_GRAPH_PROBLEMS ? p->state_count : 0;
    char **names = lmb_graph_allocate(p->reader, &p->reader->scratch, count, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        const token *state = &p->states[i];
        names[i] = lmb_graph_allocate(p->reader, &p->reader->scratch, state->length + 1, 1);
        if (names[i] == NULL) {
            return;
        }
        memcpy(names[i], state->text, state->length);
        names[i][state->length] = '\0';
    }
    if (names != NULL) {
        const lmb_graph_names known = {name_at, names, count};
        char message[LMB_GRAPH_MESSAGE_SIZE];
        report(p, name, "%s",
               lmb_graph_no_name(p->reader, "there is no state", name->text, name->length, &known, message));
    }
}

static void find_targets(parser *p) {
    for (uint32_t i = 0; i < p->edge_count; i++) {
        const edge *edge = &p->edges[i];
        if (find_state(p, &edge->to) == LMB_NONE) {
            p->current = edge->from;
            p->in_any = edge->from == LMB_NONE;
            report_state(p, &edge->to);
        }
    }
    p->current = LMB_NONE;
    p->in_any = false;
    if (p->options[INITIAL].kind != TOKEN_END && find_state(p, &p->options[INITIAL]) == LMB_NONE) {
        report_state(p, &p->options[INITIAL]);
    }
}

// Reads the text into the machine's values. Returns false if there are problems.
static bool read_machine(parser *p) {
    const uint32_t problems = p->reader->problem_count;
    p->into = &p->any;
    add_container(p, LMB_JSON_ARRAY);
    p->into = &p->machine;
    const uint32_t machine = add_container(p, LMB_JSON_OBJECT);
    if (p->is_over) {
        return false;
    }
    advance(p);
    add_word_member(p, machine, "op", LMB_JSON_STRING, "machine");
    read_states(p, add_container_member(p, machine, "states", LMB_JSON_ARRAY));
    if (!p->is_over) {
        find_targets(p);
    }
    add_key(p, machine, "any");
    for (uint32_t i = 0; i < p->any.count && !p->is_over; i++) {
        const uint32_t copy = add_container(p, LMB_JSON_ARRAY);
        p->into->values[copy] = p->any.values[i];
    }
    add_options(p, machine, INITIAL, NAME, p->options);
    return p->reader->problem_count == problems && p->reader->result == LMB_OK;
}

// ---- The graph around it.

// Returns whether an object is a machine that has no members except a name.
static bool is_open(const lmb_graph_reader *reader, uint32_t object, uint32_t *name) {
    const lmb_json_value *values = reader->json.values;
    const uint32_t op = lmb_graph_find_member(reader, object, "op");
    *name = lmb_graph_find_member(reader, object, "name");
    const uint32_t members = *name == LMB_NONE ? 1 : 2;
    const bool named = *name == LMB_NONE || values[*name].type == LMB_JSON_STRING;
    return op != LMB_NONE && values[op].type == LMB_JSON_STRING && lmb_graph_is_text(reader, op, "machine") && named &&
           values[object].count == members;
}

// Replaces an object of the graph by the machine.
static bool replace(lmb_graph_reader *reader, uint32_t object, const list *machine) {
    lmb_json *json = &reader->json;
    const uint32_t next = json->values[object].next, after = json->count - next;
    const uint32_t count = object + machine->count + after;
    lmb_json_value *values = lmb_graph_allocate(reader, &reader->scratch, count, sizeof *values);
    if (values == NULL) {
        return false;
    }
    memcpy(values, json->values, object * sizeof *values);
    memcpy(values + object, machine->values, machine->count * sizeof *values);
    memcpy(values + object + machine->count, json->values + next, after * sizeof *values);
    link(values, count);
    reader->insert.first = object;
    reader->insert.end = object + machine->count;
    reader->insert.replaced = json->values[object].start;
    json->values = values;
    json->count = count;
    return true;
}

static bool insert(parser *p) {
    lmb_graph_reader *reader = p->reader;
    if (!lmb_graph_read_json(reader, p->text, reader->size)) {
        return false;
    }
    for (uint32_t i = 0; i < reader->json.count; i++) {
        uint32_t name;
        if (reader->json.values[i].type != LMB_JSON_OBJECT || !is_open(reader, i, &name)) {
            continue;
        }
        if (name != LMB_NONE && p->options[NAME].kind == TOKEN_END) {
            const lmb_json_value *value = &reader->json.values[name];
            add_key(p, 0, "name");
            add(p, LMB_JSON_STRING, p->text + value->start, value->end - value->start);
        }
        return !p->is_over && replace(reader, i, &p->machine);
    }
    lmb_graph_report(reader, 0, "there is no machine without states, for those of the machine's own text");
    return false;
}

bool lmb_graph_read_machine_text(lmb_graph_reader *reader, const lmb_graph_source *machine) {
    size_t size;
    const char *own = lmb_graph_text_of(machine, &size);
    if (size > INT_MAX - sizeof words || reader->size > INT_MAX) {
        const lmb_graph_problem problem = {.line = 1, .column = 1, .message = "2 GiB or more of text"};
        lmb_graph_add_problem(reader, &problem);
        return false;
    }
    char *text = lmb_graph_allocate(reader, &reader->scratch, reader->size + size + sizeof words, 1);
    if (text == NULL) {
        return false;
    }
    memcpy(text, reader->text, reader->size);
    memcpy(text + reader->size, own, size);
    memcpy(text + reader->size + size, words, sizeof words);
    reader->all_size = reader->size + size + sizeof words;
    const char *at = text + reader->size;
    parser p = {.reader = reader,
                .source = machine,
                .text = text,
                .words = at + size,
                .at = at,
                .end = at + size,
                .line = 1,
                .column = 1,
                .token = {.text = at},
                .current = LMB_NONE};
    reader->insert.size = size;
    if (!read_machine(&p)) {
        reader->source = machine;
        return false;
    }
    if (reader->size > 0) {
        return insert(&p);
    }
    link(p.machine.values, p.machine.count);
    reader->json = (lmb_json){text, p.machine.values, p.machine.count};
    reader->insert.end = p.machine.count;
    return true;
}
