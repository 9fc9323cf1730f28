// A separate program that links limber::graph, and no reader of characters. It reads a graph written as JSON, writes it
// into a pack, and creates it from there. It exits with 0 if both graphs have the same instructions.
#include <limber/graph_json.h>
#include <limber/pack.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(lmb_result result, const lmb_error *error) {
    if (result != LMB_OK) {
        fprintf(stderr, "consumer: %s\n", error->message);
        exit(EXIT_FAILURE);
    }
}

static lmb_rig *create_rig(void) {
    lmb_error error;
    lmb_joint_def joint = lmb_default_joint_def();
    joint.name = "hips";
    lmb_rig_def def;
    memset(&def, 0, sizeof def);
    def.joints = &joint;
    def.joint_count = 1;
    lmb_rig *rig;
    check(lmb_rig_create(&def, NULL, &rig, &error), &error);
    return rig;
}

static lmb_graph_json *read_graph(const lmb_rig *rig) {
    static const char text[] = "{\"op\": \"scale\", \"weight\": {\"param\": \"speed\"}, \"pose\": {\"op\": \"rest\"}}";
    lmb_error error;
    lmb_graph_source source;
    memset(&source, 0, sizeof source);
    source.text = text;
    source.size = strlen(text);
    source.rig = rig;
    lmb_graph_json *json;
    check(lmb_graph_json_read(&source, NULL, &json, NULL, &error), &error);
    return json;
}

static void *write_pack(const lmb_rig *rig, const lmb_graph_def *graph, size_t *size) {
    lmb_error error;
    lmb_pack_graph packed;
    packed.name = "scaled";
    packed.def = graph;
    lmb_pack_def def = lmb_default_pack_def();
    def.rig = rig;
    def.graphs = &packed;
    def.graph_count = 1;
    check(lmb_pack_write(&def, NULL, NULL, 0, size, &error), &error);
    void *bytes = malloc(*size);
    if (bytes == NULL) {
        exit(EXIT_FAILURE);
    }
    check(lmb_pack_write(&def, NULL, bytes, *size, size, &error), &error);
    return bytes;
}

static void add_line(void *user, const char *line) {
    char *text = (char *)user;
    strncat(text, line, 200);
}

static void print_graph(const lmb_graph_def *def, char *text) {
    lmb_error error;
    lmb_graph *graph;
    check(lmb_graph_create(def, NULL, &graph, &error), &error);
    lmb_graph_print(graph, add_line, text);
    lmb_graph_destroy(graph);
}

int main(void) {
    static char written[1000], read[1000];
    lmb_error error;
    size_t size;
    lmb_rig *rig = create_rig();
    lmb_graph_json *json = read_graph(rig);
    void *bytes = write_pack(rig, lmb_graph_json_def(json), &size);
    print_graph(lmb_graph_json_def(json), written);
    lmb_graph_json_destroy(json);
    lmb_rig_destroy(rig);
    lmb_pack *pack;
    check(lmb_pack_open(bytes, size, NULL, &pack, &error), &error);
    print_graph(lmb_pack_find_graph(pack, "scaled"), read);
    lmb_pack_close(pack);
    free(bytes);
    const bool good = strstr(written, "speed") != NULL && strcmp(written, read) == 0;
    printf("%s\n", good ? "the graphs agree" : "the graphs differ");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
