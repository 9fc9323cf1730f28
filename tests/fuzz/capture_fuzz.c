// Untrusted captured frames: the reader reports an error, or gives a frame that can run. The fuzzer corrects the hashes
// first, because otherwise nothing else would be tested.
#include "tools/capture_file.h"
#include "tools/capture_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CHARACTERS 64u // that run; more only take time
#define MOST_NODES 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "capture_fuzz: %s\n", what);
        abort();
    }
}

static void run(const capture *read) {
    capture_scene scene;
    capture_results results;
    lmb_error error = {0};
    lmb_result result = capture_scene_create(read, &scene, &error);
    if (result != LMB_OK) {
        require(error.message[0] != '\0', "a failure without a message");
        return;
    }
    if (read->character_count <= MOST_CHARACTERS && read->graph->node_count <= MOST_NODES) {
        result = capture_run(&scene, false, NULL, &results, &error);
        require(result == LMB_OK || error.message[0] != '\0', "a failure without a message");
        capture_results_release(&results);
    }
    capture_scene_destroy(&scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *bytes = malloc(size + 1);
    require(bytes != NULL, "no memory");
    memcpy(bytes, data, size);
    capture_seal(bytes, size);
    capture read;
    lmb_error error = {0};
    lmb_result result = capture_read(bytes, size, &read, &error);
    free(bytes);
    if (result != LMB_OK) {
        require(error.result == result && strncmp(error.message, "capture: ", 9) == 0,
                "a failure that is not reported");
        return 0;
    }
    run(&read);
    capture_release(&read);
    return 0;
}
