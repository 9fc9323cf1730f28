// A game's view of a pack: a program that links the core library alone, reads a pack with one read, and runs a graph.
//
//     pack_runner PACK GRAPH OUTPUT
#include "pack_run.h"

#include <limber/pack.h>
#include <stdlib.h>

static void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    long length = file != NULL && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    void *bytes = length > 0 ? malloc((size_t)length) : NULL;
    if (bytes != NULL) {
        rewind(file);
        *size = fread(bytes, 1, (size_t)length, file);
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

static int fail(const char *what) {
    fprintf(stderr, "pack_runner: %s\n", what);
    return 1;
}

static int run(const lmb_graph *graph, const char *path) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return fail(path);
    }
    const bool success = pack_run(graph, file);
    return fclose(file) == 0 && success ? 0 : fail("the graph does not run");
}

int main(int argc, char **argv) {
    size_t size = 0;
    lmb_pack *pack = NULL;
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    void *bytes = argc == 4 ? read_file(argv[1], &size) : NULL;
    if (bytes == NULL) {
        return fail("no pack");
    }
    lmb_result result = lmb_pack_open(bytes, size, NULL, &pack, &error);
    if (result == LMB_OK) {
        result = lmb_graph_create(lmb_pack_find_graph(pack, argv[2]), NULL, &graph, &error);
    }
    // The graph needs neither the pack nor its bytes.
    lmb_pack_close(pack);
    free(bytes);
    const int status = result == LMB_OK ? run(graph, argv[3]) : fail(error.message);
    lmb_graph_destroy(graph);
    return status;
}
