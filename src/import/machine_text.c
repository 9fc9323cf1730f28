// Reads the compact text of a state machine and translates it to JSON. A recursive-descent parser writes the JSON while
// it reads.
#include "machine_text.h"

#include "text.h"

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

// JSON while it is written.
typedef struct output {
    char *text;
    size_t length;
    size_t capacity;
} output;

typedef struct state {
    token name;
    bool is_reached;
} state;

typedef struct edge {
    uint32_t from; // LMB_NONE for "any"
    token to;
    uint32_t target; // set after all states are known
} edge;

typedef struct reader {
    lmb_machine_text *text;
    const char *at;
    const char *end;
    uint32_t line;
    uint32_t column;
    token token;   // the next one
    output states; // elements of the machine's "states"
    output any;    // elements of its "any"
    output *into;  // the output being written
    state *list;
    uint32_t count;
    size_t capacity;
    edge *edges;
    uint32_t edge_count;
    size_t edge_capacity;
    uint32_t current; // state, or LMB_NONE
    bool in_any;
    bool has_end; // a transition of the current state has END
    token fade;   // of transitions without one; TOKEN_END if there is none
    token curve;
    token initial;
    token name;
    bool is_over; // after an error, the rest cannot be read
} reader;

// ---- Errors.

static void write_token(const token *token, char *text, size_t size) {
    size_t length = token->length < size - 1 ? token->length : size - 1;
    memcpy(text, token->text, length);
    text[length] = '\0';
    lmb_text_make_line(text);
}

static void report(reader *r, const token *at, const char *format, ...) LMB_PRINTF(3, 4);

static void report(reader *r, const token *at, const char *format, ...) {
    lmb_machine_text *text = r->text;
    lmb_graph_problem problem = {.line = at->line, .column = at->column};
    if (r->current != LMB_NONE) {
        write_token(&r->list[r->current].name, problem.path, 60);
    } else if (r->in_any) {
        snprintf(problem.path, sizeof problem.path, "any");
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem.message, sizeof problem.message, format, arguments);
    va_end(arguments);
    lmb_text_make_line(problem.message);
    if (text->problems != NULL && text->problem_count < LMB_MAX_GRAPH_PROBLEMS) {
        text->problems->list[text->problem_count] = problem;
    }
    text->first = text->problem_count == 0 ? problem : text->first;
    text->problem_count++;
}

static void fail_without_memory(reader *r) {
    r->text->result = r->text->pool->budget->exceeded ? LMB_ERROR_LIMIT : LMB_ERROR_MEMORY;
    r->is_over = true;
}

// Reports that the next token is not the expected one.
static void expected(reader *r, const char *what) {
    if (r->is_over) {
        return;
    }
    char found[40];
    write_token(&r->token, found, sizeof found);
    if (r->token.kind == TOKEN_END) {
        report(r, &r->token, "the text ends, where %s was expected", what);
    } else {
        report(r, &r->token, "\"%s\", where %s was expected", found, what);
    }
    r->is_over = true;
}

// ---- Tokens.

static void pass(reader *r, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        bool line_ends = r->at[i] == '\n';
        r->line += line_ends ? 1 : 0;
        r->column = line_ends ? 1 : r->column + 1;
    }
    r->at += bytes;
}

static void skip_space(reader *r) {
    bool in_comment = false;
    while (r->at < r->end && (in_comment || strchr(" \t\r\n#", *r->at) != NULL) && *r->at != '\0') {
        in_comment = *r->at != '\n' && (in_comment || *r->at == '#');
        pass(r, 1);
    }
}

// Returns the length of the word's character at `at`, or 0 if it cannot be part of a word.
static size_t word_character(const reader *r, const char *at) {
    unsigned char byte = (unsigned char)*at;
    if (byte >= 0x80) {
        return lmb_text_sequence(at, (size_t)(r->end - at));
    }
    bool arrow = byte == '-' && at + 1 < r->end && at[1] == '>';
    bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
    return letter || byte == '_' || byte == '.' || (byte == '-' && !arrow) ? 1 : 0;
}

static size_t digits(const char *text, size_t length) {
    size_t count = 0;
    while (count < length && text[count] >= '0' && text[count] <= '9') {
        count++;
    }
    return count;
}

// Accepts numbers as JSON has them, without a plus sign in the exponent.
static bool is_number(const char *text, size_t length) {
    size_t at = length > 0 && text[0] == '-' ? 1 : 0;
    size_t whole = digits(text + at, length - at);
    if (whole == 0 || (whole > 1 && text[at] == '0')) {
        return false;
    }
    at += whole;
    if (at < length && text[at] == '.') {
        size_t part = digits(text + at + 1, length - at - 1);
        if (part == 0) {
            return false;
        }
        at += 1 + part;
    }
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at += at + 1 < length && text[at + 1] == '-' ? 2 : 1;
        size_t exponent = digits(text + at, length - at);
        return exponent > 0 && at + exponent == length;
    }
    return at == length;
}

static void read_word(reader *r) {
    const char *at = r->at;
    for (size_t bytes = 1; at < r->end && bytes > 0; at += bytes) {
        bytes = word_character(r, at);
    }
    r->token.length = (size_t)(at - r->at);
    r->token.kind = is_number(r->at, r->token.length) ? TOKEN_NUMBER : TOKEN_WORD;
    pass(r, r->token.length);
}

// Returns the length of the string's character at `at`, or 0 if it cannot be part of a string.
static size_t string_character(const reader *r, const char *at) {
    if (*at == '\\') {
        return at + 1 < r->end && (at[1] == '"' || at[1] == '\\') ? 2 : 0;
    }
    bool control = (unsigned char)*at < 0x20 || *at == 0x7f;
    return control ? 0 : lmb_text_sequence(at, (size_t)(r->end - at));
}

static void read_string(reader *r) {
    pass(r, 1);
    const char *start = r->at;
    const char *at = start;
    while (at < r->end && *at != '"') {
        size_t bytes = string_character(r, at);
        if (bytes == 0) {
            break;
        }
        at += bytes;
    }
    bool is_closed = at < r->end && *at == '"';
    r->token.kind = TOKEN_STRING;
    r->token.text = start;
    r->token.length = (size_t)(at - start);
    if (!is_closed || r->token.length == 0) {
        report(r, &r->token,
               is_closed ? "a name without a character"
                         : "a quote that is not closed, or something that cannot be in it");
        r->is_over = true;
        return;
    }
    pass(r, r->token.length + 1);
}

static void read_sign(reader *r) {
    static const char *const signs[] = {"->", "<=", ">=", "==", "<", ">", "{", "}", "="};
    size_t left = (size_t)(r->end - r->at);
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        size_t length = strlen(signs[i]);
        if (length <= left && memcmp(signs[i], r->at, length) == 0) {
            r->token.kind = TOKEN_SIGN;
            r->token.length = length;
            pass(r, length);
            return;
        }
    }
    report(r, &r->token, "a character that cannot be here, or is no UTF-8");
    r->is_over = true;
}

static void advance(reader *r) {
    if (r->is_over) {
        return;
    }
    skip_space(r);
    r->token = (token){.kind = TOKEN_END, .text = r->at, .line = r->line, .column = r->column};
    if (r->at == r->end) {
        return;
    }
    if (*r->at == '"') {
        read_string(r);
    } else if (word_character(r, r->at) > 0) {
        read_word(r);
    } else {
        read_sign(r);
    }
}

static bool is_token(const token *token, token_kind kind, const char *text) {
    return token->kind == kind && token->length == strlen(text) && memcmp(token->text, text, token->length) == 0;
}

static bool take(reader *r, token_kind kind, const char *text) {
    bool taken = !r->is_over && is_token(&r->token, kind, text);
    if (taken) {
        advance(r);
    }
    return taken;
}

static bool same_name(const token *a, const token *b) {
    // A string has only one way to escape a character, and words need no escapes.
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static const char *const reserved[] = {"END",   "after",     "when",         "and",      "or",      "fade",
                                       "curve", "frozen",    "inertialized", "priority", "loop",    "hold",
                                       "once",  "ping-pong", "rate",         "offset",   "restart", "entry",
                                       "exit",  "any",       "initial",      "machine",  "motion"};

static bool is_reserved(const token *token) {
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (is_token(token, TOKEN_WORD, reserved[i])) {
            return true;
        }
    }
    return false;
}

// Takes the name of a state, an event and so on.
static token take_name(reader *r, const char *what) {
    token name = r->token;
    bool is_name =
        name.kind == TOKEN_STRING || name.kind == TOKEN_NUMBER || (name.kind == TOKEN_WORD && !is_reserved(&name));
    if (is_name) {
        advance(r);
    } else {
        expected(r, what);
        name.kind = TOKEN_END;
    }
    return name;
}

static token take_event(reader *r, const char *what) {
    token event = take_name(r, what);
    if (is_token(&event, TOKEN_STRING, "END")) {
        report(r, &event, "END is no name of an event");
    }
    return event;
}

// Takes a number; reports it if it is out of range.
static token take_number(reader *r, float min, float max) {
    token number = r->token;
    if (number.kind != TOKEN_NUMBER) {
        expected(r, "a number");
        number.kind = TOKEN_END;
        return number;
    }
    advance(r);
    double value = lmb_strtod(number.text, number.length);
    if (!(value >= (double)min && value <= (double)max)) {
        report(r, &number, "%g is outside %g to %g", value, (double)min, (double)max);
    }
    return number;
}

// ---- JSON.

static void put(reader *r, const char *text, size_t length) {
    output *out = r->into;
    while (!r->is_over && out->length + length > out->capacity) {
        size_t capacity = out->capacity < 512 ? 1024 : out->capacity * 2;
        char *larger = lmb_pool_allocate(r->text->pool, capacity, 1);
        if (larger == NULL) {
            fail_without_memory(r);
            return;
        }
        if (out->length > 0) {
            memcpy(larger, out->text, out->length);
        }
        lmb_pool_release(r->text->pool, out->text);
        out->text = larger;
        out->capacity = capacity;
    }
    if (!r->is_over && length > 0) {
        memcpy(out->text + out->length, text, length);
        out->length += length;
    }
}

static void put_text(reader *r, const char *text) {
    put(r, text, strlen(text));
}

static void put_token(reader *r, const char *before, const token *token, const char *after) {
    if (token->kind != TOKEN_END) {
        put_text(r, before);
        put(r, token->text, token->length);
        put_text(r, after);
    }
}

// Writes `,"key":"name"`.
static void put_name(reader *r, const char *key, const token *name) {
    if (name->kind != TOKEN_END) {
        put_text(r, ",\"");
        put_text(r, key);
        put_token(r, "\":\"", name, "\"");
    }
}

static void put_number(reader *r, const char *key, const token *number) {
    if (number->kind != TOKEN_END) {
        put_text(r, ",\"");
        put_text(r, key);
        put_token(r, "\":", number, "");
    }
}

// ---- Transitions.

static void read_operand(reader *r) {
    token operand = r->token;
    if (operand.kind == TOKEN_NUMBER) {
        take_number(r, -LMB_LARGEST, LMB_LARGEST);
        put_token(r, "", &operand, "");
    } else {
        operand = take_name(r, "a number or a parameter");
        put_token(r, "{\"param\":\"", &operand, "\"}");
    }
}

static void read_comparison(reader *r) {
    static const char *const signs[] = {"<", "<=", ">", ">=", "=="};
    // In JSON, the operator precedes both operands.
    output *into = r->into;
    output left = {0};
    r->into = &left;
    read_operand(r);
    r->into = into;
    const token sign = r->token;
    bool is_known = false;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        is_known = is_known || is_token(&sign, TOKEN_SIGN, signs[i]);
    }
    if (!is_known) {
        expected(r, "<, <=, >, >= or ==");
        lmb_pool_release(r->text->pool, left.text);
        return;
    }
    advance(r);
    put_token(r, "{\"", &sign, "\":[");
    put(r, left.text, left.length);
    put_text(r, ",");
    read_operand(r);
    put_text(r, "]}");
    lmb_pool_release(r->text->pool, left.text);
}

// Reads comparisons joined by "and". Returns the number of terms, including those that join them.
static uint32_t read_conjunction(reader *r) {
    uint32_t terms = 1;
    put_text(r, "{\"and\":[");
    read_comparison(r);
    while (take(r, TOKEN_WORD, "and")) {
        put_text(r, ",");
        read_comparison(r);
        terms += 2;
    }
    put_text(r, "]}");
    return terms;
}

static void read_condition(reader *r) {
    const token at = r->token;
    put_text(r, ",\"when\":{\"or\":[");
    uint32_t terms = read_conjunction(r);
    while (take(r, TOKEN_WORD, "or")) {
        put_text(r, ",");
        terms += 1 + read_conjunction(r);
    }
    put_text(r, "]}");
    if (terms > LMB_MAX_TERMS && !r->is_over) {
        report(r, &at, "more than %u comparisons, ands and ors", LMB_MAX_TERMS);
    }
}

static bool take_curve(reader *r, token *curve) {
    const token name = r->token;
    *curve = name;
    for (int i = 0; i < LMB_CURVE_COUNT; i++) {
        if (i != LMB_CURVE_BEZIER && is_token(&name, TOKEN_WORD, lmb_curve_name((lmb_curve)i))) {
            advance(r);
            return true;
        }
    }
    expected(r, "the name of a curve");
    return false;
}

typedef struct options {
    token fade;
    token curve;
    token priority;
    const char *kind; // or NULL
} options;

static bool read_transition_option(reader *r, options *options) {
    if (take(r, TOKEN_WORD, "fade")) {
        options->fade = take_number(r, 0.0f, LMB_MAX_CONTROL_SECONDS);
    } else if (take(r, TOKEN_WORD, "curve")) {
        take_curve(r, &options->curve);
    } else if (take(r, TOKEN_WORD, "priority")) {
        options->priority = take_number(r, -1e6f, 1e6f);
        double value =
            options->priority.kind == TOKEN_END ? 0.0 : lmb_strtod(options->priority.text, options->priority.length);
        if (value != floor(value)) {
            report(r, &options->priority, "%g is no whole number", value);
        }
    } else if (is_token(&r->token, TOKEN_WORD, "frozen") || is_token(&r->token, TOKEN_WORD, "inertialized")) {
        const char *kind = is_token(&r->token, TOKEN_WORD, "frozen") ? "frozen" : "inertialized";
        if (options->kind != NULL && options->kind != kind) {
            report(r, &r->token, "a fade is frozen or inertialized, not both");
        }
        options->kind = kind;
        advance(r);
    } else {
        return false;
    }
    return !r->is_over;
}

static void read_options_of_transition(reader *r) {
    options options = {.fade = r->fade, .curve = r->curve};
    while (read_transition_option(r, &options)) {
    }
    put_number(r, "fade", &options.fade);
    put_name(r, "curve", &options.curve);
    put_number(r, "priority", &options.priority);
    if (options.kind != NULL) {
        put_text(r, ",\"kind\":\"");
        put_text(r, options.kind);
        put_text(r, "\"");
    }
}

static void add_edge(reader *r, const token *to) {
    edge *edges = lmb_pool_grow(r->text->pool, r->edges, r->edge_count, &r->edge_capacity, sizeof *edges);
    if (edges == NULL) {
        fail_without_memory(r);
        return;
    }
    r->edges = edges;
    edges[r->edge_count++] = (edge){.from = r->current, .to = *to, .target = LMB_NONE};
    if (r->edge_count > LMB_MAX_TRANSITIONS) {
        report(r, to, "more than %u transitions", LMB_MAX_TRANSITIONS);
        r->is_over = true;
    }
}

// Reads what triggers a transition: an event or END, "after", "when"; at least one of them.
static void read_needs(reader *r) {
    bool needs = true;
    if (take(r, TOKEN_WORD, "END")) {
        put_text(r, ",\"end\":true");
        r->has_end = true;
    } else if (!is_token(&r->token, TOKEN_WORD, "after") && !is_token(&r->token, TOKEN_WORD, "when")) {
        token event = take_event(r, "an event, END, after, when or }");
        put_name(r, "event", &event);
        needs = !r->is_over;
    }
    if (needs && take(r, TOKEN_WORD, "after")) {
        token after = take_number(r, 0.0f, LMB_MAX_CONTROL_SECONDS);
        put_number(r, "after", &after);
    }
    if (needs && take(r, TOKEN_WORD, "when")) {
        read_condition(r);
    }
}

static void read_transition(reader *r, bool is_first) {
    // In JSON, the target state is first.
    output *into = r->into;
    output needs = {0};
    r->into = &needs;
    read_needs(r);
    r->into = into;
    take(r, TOKEN_SIGN, "->");
    token to = r->is_over ? (token){0} : take_name(r, "the state that it goes to");
    if (!r->is_over) {
        put_token(r, is_first ? "{\"to\":\"" : ",{\"to\":\"", &to, "\"");
        put(r, needs.text, needs.length);
        add_edge(r, &to);
        read_options_of_transition(r);
        put_text(r, "}");
    }
    lmb_pool_release(r->text->pool, needs.text);
}

static void read_block(reader *r) {
    if (!take(r, TOKEN_SIGN, "{")) {
        expected(r, "{");
    }
    bool is_first = r->into->length == 0 || r->into->text[r->into->length - 1] == '[';
    while (!r->is_over && !take(r, TOKEN_SIGN, "}")) {
        read_transition(r, is_first);
        is_first = false;
    }
}

// ---- States.

static uint32_t find_state(const reader *r, const token *name) {
    for (uint32_t i = 0; i < r->count; i++) {
        if (same_name(&r->list[i].name, name)) {
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

static const lmb_clip *find_clip(const reader *r, const token *name) {
    const lmb_graph_source *source = r->text->source;
    for (uint32_t i = 0; i < source->clip_count; i++) {
        if (is_name_of_clip(name, lmb_clip_name(source->clips[i]))) {
            return source->clips[i];
        }
    }
    return NULL;
}

static bool add_state(reader *r, const token *name) {
    if (find_state(r, name) != LMB_NONE) {
        report(r, name, "another state has this name");
    }
    if (r->count == LMB_MAX_STATES) {
        report(r, name, "more than %u states", LMB_MAX_STATES);
        r->is_over = true;
        return false;
    }
    state *list = lmb_pool_grow(r->text->pool, r->list, r->count, &r->capacity, sizeof *list);
    if (list == NULL) {
        fail_without_memory(r);
        return false;
    }
    r->list = list;
    list[r->count] = (state){.name = *name};
    r->current = r->count++;
    return true;
}

typedef struct clip_options {
    token end;
    token rate;
    token offset;
    token entry;
    token exit;
    bool restarts;
    bool moves;
} clip_options;

static bool take_end(reader *r, token *end) {
    static const char *const ends[] = {"loop", "hold", "once", "ping-pong"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        token word = r->token;
        if (take(r, TOKEN_WORD, ends[i])) {
            *end = word;
            return true;
        }
    }
    return false;
}

static bool read_state_option(reader *r, clip_options *options, float duration) {
    if (take_end(r, &options->end)) {
    } else if (take(r, TOKEN_WORD, "rate")) {
        options->rate = take_number(r, -64.0f, 64.0f);
    } else if (take(r, TOKEN_WORD, "offset")) {
        options->offset = take_number(r, 0.0f, duration);
    } else if (take(r, TOKEN_WORD, "restart")) {
        options->restarts = true;
    } else if (take(r, TOKEN_WORD, "motion")) {
        options->moves = true;
    } else if (take(r, TOKEN_WORD, "entry")) {
        options->entry = take_event(r, "an event");
    } else if (take(r, TOKEN_WORD, "exit")) {
        options->exit = take_event(r, "an event");
    } else {
        return false;
    }
    return !r->is_over;
}

// Writes a state up to its transitions.
static void put_state(reader *r, const token *name, const clip_options *options) {
    put_text(r, r->count == 1 ? "{" : ",{");
    put_token(r, "\"name\":\"", name, "\"");
    put_name(r, "entry", &options->entry);
    put_name(r, "exit", &options->exit);
    put_text(r, options->restarts ? ",\"restart\":true,\"transitions\":[" : ",\"transitions\":[");
}

// Writes the pose after the transitions. They decide how the clip ends if the state does not say so.
static void put_pose(reader *r, const token *clip, const clip_options *options) {
    put_text(r, ",\"pose\":{\"op\":\"clip\"");
    put_name(r, "clip", clip);
    bool says_end = options->end.kind != TOKEN_END;
    if (says_end) {
        put_token(r, ",\"play\":{\"end\":\"", &options->end, "\"");
    } else if (options->moves) {
        put_text(r, r->has_end ? ",\"play\":{\"end\":\"hold\"" : ",\"play\":{\"end\":\"loop\"");
    }
    put_number(r, "rate", &options->rate);
    put_number(r, "offset", &options->offset);
    put_text(r, options->moves ? ",\"motion\":true" : "");
    put_text(r, says_end || options->moves ? "}}" : "}");
}

static void read_state(reader *r) {
    token name = take_name(r, "a state");
    if (r->is_over || !add_state(r, &name)) {
        return;
    }
    token clip_name = take(r, TOKEN_SIGN, "=") ? take_name(r, "a clip") : name;
    if (r->is_over) {
        return;
    }
    const lmb_clip *clip = find_clip(r, &clip_name);
    if (clip == NULL || lmb_clip_duration(clip) > LMB_MAX_CONTROL_SECONDS) {
        report(r, &clip_name, clip == NULL ? "there is no clip of this name" : "the clip takes more than 100,000 s");
    }
    clip_options options = {.restarts = false};
    while (read_state_option(r, &options, clip == NULL ? LMB_MAX_CONTROL_SECONDS : lmb_clip_duration(clip))) {
    }
    r->into = &r->states;
    r->has_end = false;
    put_state(r, &name, &options);
    read_block(r);
    put_text(r, "]");
    put_pose(r, &clip_name, &options);
    put_text(r, "}");
    r->current = LMB_NONE;
}

static void read_any(reader *r) {
    r->into = &r->any;
    r->in_any = true;
    read_block(r);
    r->in_any = false;
}

static void read_machine(reader *r) {
    while (!r->is_over && r->token.kind != TOKEN_END) {
        if (take(r, TOKEN_WORD, "any")) {
            read_any(r);
        } else if (take(r, TOKEN_WORD, "fade")) {
            r->fade = take_number(r, 0.0f, LMB_MAX_CONTROL_SECONDS);
        } else if (take(r, TOKEN_WORD, "curve")) {
            take_curve(r, &r->curve);
        } else if (take(r, TOKEN_WORD, "initial")) {
            r->initial = take_name(r, "a state");
        } else if (take(r, TOKEN_WORD, "machine")) {
            r->name = take_name(r, "a name");
        } else {
            read_state(r);
        }
    }
    if (!r->is_over && r->count == 0) {
        expected(r, "a state");
    }
}

// ---- The machine.

static void find_targets(reader *r) {
    for (uint32_t i = 0; i < r->edge_count; i++) {
        edge *edge = &r->edges[i];
        edge->target = find_state(r, &edge->to);
        if (edge->target == LMB_NONE) {
            r->current = edge->from;
            r->in_any = edge->from == LMB_NONE;
            report(r, &edge->to, "there is no state of this name");
        }
    }
    r->current = LMB_NONE;
    r->in_any = false;
    if (r->initial.kind != TOKEN_END && find_state(r, &r->initial) == LMB_NONE) {
        report(r, &r->initial, "there is no state of this name");
    }
}

static void warn_of_unreachable(reader *r) {
    lmb_machine_text *text = r->text;
    r->list[r->initial.kind == TOKEN_END ? 0 : find_state(r, &r->initial)].is_reached = true;
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t i = 0; i < r->edge_count; i++) {
            const edge *edge = &r->edges[i];
            bool leads = edge->from == LMB_NONE || r->list[edge->from].is_reached;
            grows = grows || (leads && !r->list[edge->target].is_reached);
            r->list[edge->target].is_reached = leads || r->list[edge->target].is_reached;
        }
    }
    text->warnings = lmb_pool_allocate(text->pool, r->count, sizeof *text->warnings);
    if (text->warnings == NULL) {
        fail_without_memory(r);
        return;
    }
    for (uint32_t i = 0; i < r->count; i++) {
        if (!r->list[i].is_reached) {
            lmb_graph_problem *warning = &text->warnings[text->warning_count++];
            *warning = (lmb_graph_problem){.line = r->list[i].name.line, .column = r->list[i].name.column};
            write_token(&r->list[i].name, warning->path, 60);
            snprintf(warning->message, sizeof warning->message, "no transitions lead to this state");
        }
    }
}

// Writes one line, so that line numbers of a surrounding graph do not change.
static void put_machine(reader *r) {
    output whole = {0};
    r->into = &whole;
    put_name(r, "name", &r->name);
    put_name(r, "initial", &r->initial);
    put_text(r, ",\"states\":[");
    put(r, r->states.text, r->states.length);
    put_text(r, "],\"any\":[");
    put(r, r->any.text, r->any.length);
    put_text(r, "]}");
    r->text->json = whole.text;
    r->text->size = whole.length;
    r->text->has_name = r->name.kind != TOKEN_END;
}

void lmb_machine_text_read(lmb_machine_text *text) {
    reader r = {.text = text,
                .at = text->source->text,
                .end = text->source->text + text->source->size,
                .line = 1,
                .column = 1,
                .current = LMB_NONE};
    if (text->source->size >= 3 && memcmp(r.at, "\xEF\xBB\xBF", 3) == 0) {
        r.at += 3;
    }
    advance(&r);
    read_machine(&r);
    if (!r.is_over) {
        find_targets(&r);
    }
    if (text->problem_count == 0 && text->result == LMB_OK) {
        warn_of_unreachable(&r);
        put_machine(&r);
    }
    if (text->problems != NULL) {
        text->problems->count = text->problem_count;
    }
}
