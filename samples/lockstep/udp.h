// A UDP socket on this machine, on POSIX and on Windows.
#ifndef LOCKSTEP_UDP_H
#define LOCKSTEP_UDP_H

#include "wire.h"

typedef struct udp udp;

// Opens a socket at 127.0.0.1, where packets that do not arrive at once are not waited for. `port` 0: any, stored in
// `port`. Returns NULL if that fails.
udp *udp_open(uint16_t *port);
void udp_close(udp *udp);
void udp_send(udp *udp, uint16_t port, const packet *sent);
// Takes the next packet, and the port from which it came. Returns whether there is one.
bool udp_receive(udp *udp, packet *received, uint16_t *port);
void udp_sleep(uint32_t milliseconds);

#endif
