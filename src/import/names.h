// Finds names fast among many, and lists names in one line of text.
#ifndef LIMBER_SRC_IMPORT_NAMES_H
#define LIMBER_SRC_IMPORT_NAMES_H

#include "importer.h"

typedef struct lmb_name {
    const char *text;
    uint32_t index;
} lmb_name;

// Sorts names for lmb_names_find().
void lmb_names_sort(lmb_name *names, uint32_t count);
// Returns the min index among the names equal to `text`, or LMB_NONE.
uint32_t lmb_names_find(const lmb_name *names, uint32_t count, const char *text);
// Returns the names of all joints, sorted, in the scratch pool; NULL if memory ran out.
lmb_name *lmb_names_of_rig(lmb_importer *importer, const lmb_rig *rig);

// A list such as "Camera, Sky and 12 more". Initialise it to zero.
typedef struct lmb_name_list {
    char text[300];
    size_t length;
    uint32_t count;
    uint32_t shown;
} lmb_name_list;

void lmb_name_list_add(lmb_name_list *list, const char *name);
// Completes and returns the text.
const char *lmb_name_list_text(lmb_name_list *list);

#endif
