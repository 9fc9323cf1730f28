// A queue of packets that loses some and delays the others, by a seed. See wire.h.
#include "wire.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 512 };

struct wire {
    wire_def def;
    uint32_t sent;
    uint32_t count;
    packet packets[CAPACITY]; // in no order
};

wire *wire_create(const wire_def *def) {
    wire *created = calloc(1, sizeof *created);
    if (created != NULL) {
        created->def = *def;
    }
    return created;
}

void wire_destroy(wire *wire) {
    free(wire);
}

static uint32_t random_at(const wire *wire, uint32_t number) {
    uint32_t h = (wire->def.seed * 0x9e3779b1u) ^ ((number + 1) * 0x85ebca6bu);
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

void wire_send(wire *wire, uint32_t tick, const packet *sent) {
    const uint32_t order = wire->sent++;
    const uint32_t delays = wire->def.max_delay - wire->def.min_delay + 1;
    if (random_at(wire, 2 * order) % 100 < wire->def.loss || wire->count == CAPACITY) {
        return;
    }
    packet *kept = &wire->packets[wire->count++];
    *kept = *sent;
    kept->due = tick + wire->def.min_delay + random_at(wire, 2 * order + 1) % delays;
    kept->order = order;
}

bool wire_receive(wire *wire, uint32_t tick, packet *received) {
    packet *first = NULL;
    for (uint32_t i = 0; i < wire->count; i++) {
        packet *p = &wire->packets[i];
        if (p->due <= tick &&
            (first == NULL || p->due < first->due || (p->due == first->due && p->order < first->order))) {
            first = p;
        }
    }
    if (first == NULL) {
        return false;
    }
    *received = *first;
    *first = wire->packets[--wire->count];
    return true;
}

void put_bytes(packet *packet, const void *bytes, size_t size) {
    memcpy(packet->bytes + packet->size, bytes, size);
    packet->size += size;
}

void put_32(packet *packet, uint32_t value) {
    const unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
                                    (unsigned char)(value >> 24)};
    put_bytes(packet, bytes, sizeof bytes);
}

void put_64(packet *packet, uint64_t value) {
    put_32(packet, (uint32_t)value);
    put_32(packet, (uint32_t)(value >> 32));
}

void get_bytes(reader *reader, void *bytes, size_t size) {
    if (reader->failed || reader->packet->size - reader->at < size) {
        reader->failed = true;
        memset(bytes, 0, size);
        return;
    }
    memcpy(bytes, reader->packet->bytes + reader->at, size);
    reader->at += size;
}

uint32_t get_32(reader *reader) {
    unsigned char bytes[4];
    get_bytes(reader, bytes, sizeof bytes);
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

uint64_t get_64(reader *reader) {
    const uint64_t low = get_32(reader);
    return low | (uint64_t)get_32(reader) << 32;
}
