#include "capture_folder.h"

#include "command.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char graph[] =
    "{\"op\":\"additive\",\"weight\":{\"param\":\"turn\",\"default\":0.5},\"base\":{\"op\":\"machine\",\"states\":[\n"
    "{\"name\":\"idle\",\"pose\":{\"op\":\"clip\",\"clip\":\"Bend\"},\n"
    " \"transitions\":[{\"to\":\"go\",\"event\":\"GO\",\"fade\":0.3}]},\n"
    "{\"name\":\"go\",\"pose\":{\"op\":\"clip\",\"clip\":\"Bend\",\"rate\":2},\"entry\":\"WENT\",\n"
    " \"transitions\":[{\"to\":\"idle\",\"after\":0.4,\"kind\":\"inertialized\"}]}]},\n"
    "\"add\":{\"op\":\"clip\",\"clip\":\"Bend\",\"play\":true,\"additive\":true}}\n";

void capture_write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

uint8_t *capture_read_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

int capture_enter(void **state) {
    (void)state;
    if (!command_enter_folder() || !command_write_small_gltf("small.gltf")) {
        return 1;
    }
    static const char script[] = "0.1 send GO\n0.15 send GO 2\n0.2 set turn 0.75\n0.2 set turn 0.25 1\n0.3 send GO\n";
    capture_write_bytes("graph.json", graph, strlen(graph));
    capture_write_bytes("script.txt", script, strlen(script));
    return 0;
}
