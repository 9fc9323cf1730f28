// The folder in which tests of captures run: it contains a small character, a graph with a control, and a script.
#ifndef LIMBER_TESTS_SUPPORT_CAPTURE_FOLDER_H
#define LIMBER_TESTS_SUPPORT_CAPTURE_FOLDER_H

#include <stddef.h>
#include <stdint.h>

// A setup function for cmocka: writes small.gltf, graph.json and script.txt into a new current folder.
int capture_enter(void **state);

// Writes or reads a whole file. The test fails if that is not possible. The caller frees the bytes read.
void capture_write_bytes(const char *path, const void *bytes, size_t size);
uint8_t *capture_read_bytes(const char *path, size_t *size);

#endif
