// Aliases: names in a text that stand for those of one character. They are found where names are looked up; what is
// read keeps no alias.
#include "graph.h"

#include "base/float_environment.h"
#include "base/host.h"

#include <string.h>

const char *lmb_graph_resolve(const lmb_graph_alias *aliases, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(aliases[i].name, name) == 0) {
            return aliases[i].target;
        }
    }
    return name;
}

const char *lmb_graph_resolve_clip(const lmb_graph_reader *reader, const char *name) {
    const lmb_graph_source *source = reader->source;
    return reader->character != NULL ? name : lmb_graph_resolve(source->clip_aliases, source->clip_alias_count, name);
}

const char *lmb_graph_resolve_joint(const lmb_graph_reader *reader, const char *name) {
    const lmb_graph_source *source = reader->source;
    return lmb_graph_resolve(source->joint_aliases, source->joint_alias_count, name);
}

// ---- Checks.

static bool has_clip(const lmb_graph_source *source, const char *name) {
    bool found = false;
    for (uint32_t i = 0; i < source->clip_count && !found; i++) {
        found = strcmp(lmb_clip_get_info(source->clips[i])->name, name) == 0;
    }
    return found;
}

static bool has_joint(const lmb_graph_source *source, const char *name) {
    return lmb_rig_find_joint(source->rig, name) != LMB_NONE || lmb_rig_find_channel(source->rig, name) != LMB_NONE;
}

// Says which names there are.
static lmb_result fail_target(const char *what, const lmb_graph_alias *alias, lmb_graph_names names, lmb_error *error) {
    lmb_error unread;
    lmb_error *to = error != NULL ? error : &unread;
    lmb_fail(to, LMB_ERROR_ARGUMENT, "graph: the alias '%.60s' stands for %s '%.60s', and there is none of this name",
             alias->name, what, alias->target);
    lmb_append_names(to->message, sizeof to->message, alias->target, strlen(alias->target), names.at, names.of,
                     names.count);
    return to->result;
}

static lmb_result check_list(const lmb_graph_alias *aliases, uint32_t count, const char *what, lmb_error *error) {
    if (count > 0 && aliases == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: the aliases of %ss are NULL", what);
    }
    if (count > LMB_MAX_ALIASES) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "graph: more than %u aliases of %ss", LMB_MAX_ALIASES, what);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (aliases[i].name == NULL || aliases[i].target == NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: a name of an alias of a %s is NULL", what);
        }
        if (lmb_graph_resolve(aliases, i, aliases[i].name) != aliases[i].name) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: two aliases of %ss are '%.80s'", what, aliases[i].name);
        }
    }
    return LMB_OK;
}

lmb_result lmb_graph_check_aliases(const lmb_graph_source *source, lmb_error *error) {
    lmb_result result = check_list(source->clip_aliases, source->clip_alias_count, "clip", error);
    if (result == LMB_OK) {
        result = check_list(source->joint_aliases, source->joint_alias_count, "joint", error);
    }
    for (uint32_t i = 0; i < source->clip_alias_count && result == LMB_OK; i++) {
        const lmb_graph_alias *alias = &source->clip_aliases[i];
        result = has_clip(source, alias->target) ? LMB_OK
                                                 : fail_target("the clip", alias, lmb_graph_clip_names(source), error);
    }
    for (uint32_t i = 0; i < source->joint_alias_count && result == LMB_OK; i++) {
        const lmb_graph_alias *alias = &source->joint_aliases[i];
        result = has_joint(source, alias->target)
                     ? LMB_OK
                     : fail_target("the joint", alias, lmb_graph_joint_names(source->rig), error);
    }
    return result;
}

// ---- The text.

typedef struct alias_list {
    lmb_graph_alias *list;
    uint32_t count;
} alias_list;

struct lmb_graph_aliases {
    lmb_graph_json *memory;
    alias_list clips;
    alias_list joints;
};

static void read_list(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    alias_list *aliases = (alias_list *)(void *)((char *)target + field->offset);
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return;
    }
    for (uint32_t key = value + 1; key < values[value].next && reader->result == LMB_OK; key = values[key].next) {
        const lmb_graph_alias added = {lmb_graph_read_name(reader, key, LMB_EMPTY_NAME),
                                       lmb_graph_read_name(reader, key + 1, LMB_EMPTY_NAME)};
        if (added.name == NULL || added.target == NULL) {
            continue;
        }
        if (aliases->count == LMB_MAX_ALIASES) {
            lmb_graph_report(reader, key, "more than %u aliases", LMB_MAX_ALIASES);
            return;
        }
        if (lmb_graph_resolve(aliases->list, aliases->count, added.name) != added.name) {
            lmb_graph_report(reader, key, "given twice");
        }
        lmb_graph_append(reader, &reader->graph->pool, &aliases->list, &aliases->count, &added, sizeof added);
    }
}

static const lmb_graph_kind kind_list = {read_list, "", NULL};

static const lmb_graph_field alias_members[] = {
    {.name = "clips", .kind = &kind_list, .offset = offsetof(lmb_graph_aliases, clips)},
    {.name = "joints", .kind = &kind_list, .offset = offsetof(lmb_graph_aliases, joints)},
    LMB_COMMENT_FIELD,
};
static const lmb_graph_fields alias_fields = {LMB_FIELDS("a list of aliases", alias_members)};

static void read_aliases(lmb_graph_reader *reader, lmb_graph_aliases *aliases) {
    size_t size;
    const char *text = lmb_graph_text_of(reader->source, &size);
    if (lmb_graph_read_json(reader, text, size) && lmb_graph_expect(reader, 0, LMB_JSON_OBJECT)) {
        lmb_graph_read_fields(reader, &alias_fields, 0, aliases);
    }
}

lmb_result lmb_graph_aliases_read(const char *text, size_t size, const char *name, const lmb_host *host,
                                  lmb_graph_aliases **aliases, lmb_error *error) {
    if (aliases != NULL) {
        *aliases = NULL;
    }
    if (text == NULL || aliases == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "aliases: %s is NULL", text == NULL ? "the text" : "the result");
    }
    const lmb_graph_source source = {.text = text, .size = size, .name = name != NULL ? name : "aliases"};
    lmb_graph_reader reader = {.source = &source, .graph = lmb_graph_begin(&source, host)};
    if (reader.graph == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "aliases: the host has no memory");
    }
    reader.scratch = (lmb_pool){.budget = &reader.graph->budget};
    lmb_graph_aliases *read = lmb_graph_allocate(&reader, &reader.graph->pool, 1, sizeof *read);
    if (read != NULL) {
        read->memory = reader.graph;
        read_aliases(&reader, read);
    }
    lmb_pool_clear(&reader.scratch);
    if (reader.result != LMB_OK || reader.problem_count > 0) {
        const lmb_result result = lmb_graph_fail_reading(&reader, error);
        lmb_graph_json_destroy(reader.graph);
        return result;
    }
    *aliases = read;
    return LMB_OK;
}

void lmb_graph_aliases_destroy(lmb_graph_aliases *aliases) {
    lmb_graph_json_destroy(aliases != NULL ? aliases->memory : NULL);
}

void lmb_graph_aliases_use(const lmb_graph_aliases *aliases, lmb_graph_source *source) {
    source->clip_aliases = aliases->clips.list;
    source->clip_alias_count = aliases->clips.count;
    source->joint_aliases = aliases->joints.list;
    source->joint_alias_count = aliases->joints.count;
}
