// What tests of captures run in: a folder with a small character, a graph that moves by itself, and its script.
#ifndef LIMBER_TESTS_CAPTURE_FOLDER_H
#define LIMBER_TESTS_CAPTURE_FOLDER_H

#include <stddef.h>
#include <stdint.h>

// A set-up for cmocka: small.gltf, graph.json and script.txt in a new current folder.
int capture_enter(void **state);

// A whole file; a test fails where it cannot be. What is read is to be freed.
void capture_write_bytes(const char *path, const void *bytes, size_t size);
uint8_t *capture_read_bytes(const char *path, size_t *size);

#endif
