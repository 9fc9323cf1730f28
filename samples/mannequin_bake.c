// Writes the mannequin's surface at its levels of detail as C arrays to a file, when the project is built: to extract
// one takes half a second.
#include "mannequin.h"

#include "mannequin_memory.h"
#include "mannequin_surface.h"

#include <stdio.h>
#include <stdlib.h>

static void write_surface(const surface *whole, uint32_t level, FILE *file) {
    fprintf(file, "static const float points_%u[][3] = {\n", level);
    for (uint32_t i = 0; i < whole->point_count; i++) {
        const vec3 point = whole->points[i];
        fprintf(file, "{%.8gf, %.8gf, %.8gf},\n", point.x + 0.0, point.y + 0.0, point.z + 0.0);
    }
    fprintf(file, "};\nstatic const uint16_t triangles_%u[][3] = {\n", level);
    for (uint32_t i = 0; i < whole->triangle_count; i++) {
        const uint32_t *triangle = whole->triangles[i];
        fprintf(file, "{%u, %u, %u},\n", triangle[0], triangle[1], triangle[2]);
    }
    fprintf(file, "};\n");
}

int main(int argument_count, char **arguments) {
    static const uint32_t levels[] = {MANNEQUIN_VERTICES_LOW, MANNEQUIN_VERTICES_MEDIUM, MANNEQUIN_VERTICES_HIGH};
    const lmb_host host = memory_host(NULL);
    FILE *file = argument_count == 2 ? fopen(arguments[1], "w") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: mannequin-bake OUT\n");
        return EXIT_FAILURE;
    }
    bool good = true;
    for (uint32_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        surface whole;
        lmb_error error;
        if (surface_create(levels[i], &host, &whole, &error) != LMB_OK) {
            fprintf(stderr, "mannequin-bake: %s\n", error.message);
            good = false;
            continue;
        }
        write_surface(&whole, i, file);
        surface_destroy(&whole, &host);
    }
    good = fclose(file) == 0 && good;
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
