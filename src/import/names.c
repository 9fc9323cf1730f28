// Finds and lists names.
#include "names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Size of " and 4294967295 more".
#define TAIL 24u

static int compare(const void *left, const void *right) {
    const lmb_name *a = left;
    const lmb_name *b = right;
    int order = strcmp(a->text, b->text);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

void lmb_names_sort(lmb_name *names, uint32_t count) {
    qsort(names, count, sizeof(lmb_name), compare);
}

uint32_t lmb_names_find(const lmb_name *names, uint32_t count, const char *text) {
    uint32_t first = 0;
    uint32_t end = count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (strcmp(names[middle].text, text) < 0) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < count && strcmp(names[first].text, text) == 0 ? names[first].index : LMB_NONE;
}

lmb_name *lmb_names_of_rig(lmb_importer *importer, const lmb_rig *rig) {
    uint32_t count = lmb_rig_joint_count(rig);
    lmb_name *names = lmb_importer_allocate(importer, &importer->scratch, count, sizeof(lmb_name));
    if (names == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        names[i] = (lmb_name){.text = lmb_rig_joint_name(rig, i), .index = i};
    }
    lmb_names_sort(names, count);
    return names;
}

void lmb_name_list_add(lmb_name_list *list, const char *name) {
    list->count++;
    const char *comma = list->shown == 0 ? "" : ", ";
    size_t room = sizeof list->text - list->length;
    // After a name that did not fit, later names are not listed, so that the order is kept.
    if (list->shown + 1 != list->count || strlen(comma) + strlen(name) + TAIL > room) {
        return;
    }
    list->length += (size_t)snprintf(list->text + list->length, room, "%s%s", comma, name);
    list->shown++;
}

const char *lmb_name_list_text(lmb_name_list *list) {
    if (list->shown < list->count) {
        snprintf(list->text + list->length, sizeof list->text - list->length, "%s%" PRIu32 " %s",
                 list->shown == 0 ? "" : " and ", list->count - list->shown,
                 list->shown == 0 ? "of long names" : "more");
    }
    return list->text;
}
