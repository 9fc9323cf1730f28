// One direction of a bad connection: packets wait, some are lost, and later ones may overtake earlier ones. What
// happens to a packet follows from the seed and from how many were sent before it. Also: how numbers are written into
// packets.
#ifndef LOCKSTEP_WIRE_H
#define LOCKSTEP_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKET_BYTES = 1200 };

typedef struct packet {
    uint32_t due;   // the tick in which it arrives
    uint32_t order; // in which it was sent
    size_t size;
    unsigned char bytes[PACKET_BYTES];
} packet;

typedef struct wire_def {
    uint32_t seed;
    uint32_t loss;      // of 100 packets
    uint32_t min_delay; // ticks
    uint32_t max_delay;
} wire_def;

typedef struct wire wire;

// Returns NULL if there is no memory.
wire *wire_create(const wire_def *def);
void wire_destroy(wire *wire);
// Copies a packet. If too many are on their way, it is lost.
void wire_send(wire *wire, uint32_t tick, const packet *sent);
// Takes the next packet that has arrived, and returns whether there is one.
bool wire_receive(wire *wire, uint32_t tick, packet *received);

// Writes and reads little-endian numbers.
void put_32(packet *packet, uint32_t value);
void put_64(packet *packet, uint64_t value);
void put_bytes(packet *packet, const void *bytes, size_t size);

typedef struct reader {
    const packet *packet;
    size_t at;
    bool failed; // it would have read beyond the end; everything read from there on is 0
} reader;

uint32_t get_32(reader *reader);
uint64_t get_64(reader *reader);
void get_bytes(reader *reader, void *bytes, size_t size);

#endif
