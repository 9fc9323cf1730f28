#define _XOPEN_SOURCE 700
#include "command.h"

#include "folder.h"
#include "suite.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[FOLDER_PATH];

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

bool command_enter_folder(void) {
    return folder_create_temporary(folder) && chdir(folder) == 0;
}

void command_leave_folder(void) {
    if (chdir("/") == 0) {
        nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    }
}

char *command_read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    char *text = NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        text = calloc(1, (size_t)size + 1);
        if (text != NULL && fread(text, 1, (size_t)size, file) != (size_t)size) {
            free(text);
            text = NULL;
        }
    }
    fclose(file);
    return text;
}

command_output command_run(const char *format, ...) {
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    snprintf(line + length, sizeof line - (size_t)length, " >out.txt 2>err.txt");
    int status = system(line);
    return (command_output){.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                            .out = command_read_file("out.txt"),
                            .err = command_read_file("err.txt")};
}

void command_output_release(command_output *output) {
    free(output->out);
    free(output->err);
    *output = (command_output){0};
}

command_output command_expect(int status, const char *line) {
    command_output output = command_run("%s", line);
    if (output.status != status) {
        fail_msg("%s: status %d instead of %d\n%s", line, output.status, status, output.err);
    }
    return output;
}

char *command_read(const char *line) {
    command_output output = command_expect(0, line);
    if (output.err[0] != '\0') {
        fail_msg("%s:\n%s", line, output.err);
    }
    free(output.err);
    return output.out;
}

void command_refuse(int status, const char *line, const char *message) {
    command_output output = command_expect(status, line);
    if (strstr(output.err, message) == NULL) {
        fail_msg("%s: '%s' is not in\n%s", line, message, output.err);
    }
    command_output_release(&output);
}

static void write_base64(FILE *file, const uint8_t *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) { // sizes here are multiples of 3
        uint32_t group = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6) {
            fputc(digits[group >> shift & 63], file);
        }
    }
}

bool command_write_small_gltf(const char *path) {
    // Key times; rotations of three keys; cubic translations of three keys: in-tangent, value, out-tangent.
    static const float floats[42] = {0.0f, 0.5f, 1.25f,                                                       //
                                     0.0f, 0.0f, 0.0f,  1.0f, 0.0f, 0.0f, 0.6f, 0.8f, 0.6f, 0.0f, 0.0f, 0.8f, //
                                     0.0f, 0.0f, 0.0f,  0.0f, 1.0f, 0.0f, 0.5f, 0.0f, 0.0f,                   //
                                     0.1f, 0.2f, 0.3f,  0.3f, 1.5f, 0.1f, 0.0f, 1.0f, 0.0f,                   //
                                     0.0f, 0.0f, 1.0f,  0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return false;
    }
    fputs("{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
          "{\"name\":\"root\",\"children\":[1],\"translation\":[0.1,0,0]},"
          "{\"name\":\"elbow \\\"left\\\"\",\"children\":[2],\"translation\":[0,1,0],\"scale\":[1,2,1]},"
          "{\"translation\":[0,1,0]}],"
          "\"buffers\":[{\"byteLength\":168,\"uri\":\"data:application/octet-stream;base64,",
          file);
    write_base64(file, (const uint8_t *)floats, sizeof floats);
    fputs("\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":12},{\"buffer\":0,\"byteOffset\":12,\"byteLength\":48},"
          "{\"buffer\":0,\"byteOffset\":60,\"byteLength\":108}],\"accessors\":["
          "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\",\"min\":[0],\"max\":[1.25]},"
          "{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"VEC4\"},"
          "{\"bufferView\":2,\"componentType\":5126,\"count\":9,\"type\":\"VEC3\"}],\"animations\":["
          "{\"name\":\"Bend\",\"samplers\":[{\"input\":0,\"output\":1}],"
          "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}}]},"
          "{\"name\":\"caf\\u00e9 \\\"1\\\"\\\\\",\"samplers\":["
          "{\"input\":0,\"output\":2,\"interpolation\":\"CUBICSPLINE\"},"
          "{\"input\":0,\"output\":1,\"interpolation\":\"STEP\"}],\"channels\":["
          "{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"translation\"}},"
          "{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"rotation\"}}]}]}\n",
          file);
    return fclose(file) == 0;
}
