// The character that the user names to the command: files, or the built-in mannequin.
#ifndef LIMBER_SRC_CLI_CHARACTER_H
#define LIMBER_SRC_CLI_CHARACTER_H

#include <limber/import.h>

#include <mannequin.h>

// For the help of commands.
#define CHARACTER_HELP                                                                                                 \
    "Files after the first add clips, matched by joint name. 'mannequin' in place of files is the built-in one.\n"

typedef struct character {
    const lmb_rig *rig;
    const lmb_clip **clips;
    uint32_t clip_count;
    lmb_import *import; // one of these two is set
    mannequin *mannequin;
} character;

// Opens a character. The error message names the file. On failure nothing is left open.
lmb_result character_open(char *const *files, uint32_t count, character *character, lmb_error *error);
// Accepts a zeroed one.
void character_close(character *character);

#endif
