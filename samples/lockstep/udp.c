// A UDP socket on this machine. See udp.h.
#define _POSIX_C_SOURCE 200809L
#include "udp.h"

#include <stdlib.h>

#ifdef _WIN32
#include <winsock2.h>
typedef int socket_size;
#else
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
typedef int SOCKET;
typedef socklen_t socket_size;
#define INVALID_SOCKET (-1)
#define closesocket close
#endif

struct udp {
    SOCKET socket;
};

static bool stop_waiting(SOCKET socket) {
#ifdef _WIN32
    u_long on = 1;
    return ioctlsocket(socket, FIONBIO, &on) == 0;
#else
    return fcntl(socket, F_SETFL, O_NONBLOCK) == 0;
#endif
}

static struct sockaddr_in address_of(uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

udp *udp_open(uint16_t *port) {
#ifdef _WIN32
    WSADATA data;
    if (WSAStartup(MAKEWORD(2, 2), &data) != 0) {
        return NULL;
    }
#endif
    udp *opened = malloc(sizeof *opened);
    if (opened == NULL) {
        return NULL;
    }
    opened->socket = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in address = address_of(*port);
    socket_size size = sizeof address;
    if (opened->socket == INVALID_SOCKET || !stop_waiting(opened->socket) ||
        bind(opened->socket, (const struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(opened->socket, (struct sockaddr *)&address, &size) != 0) {
        udp_close(opened);
        return NULL;
    }
    *port = ntohs(address.sin_port);
    return opened;
}

void udp_close(udp *udp) {
    if (udp == NULL) {
        return;
    }
    if (udp->socket != INVALID_SOCKET) {
        closesocket(udp->socket);
    }
    free(udp);
#ifdef _WIN32
    WSACleanup();
#endif
}

void udp_send(udp *udp, uint16_t port, const packet *sent) {
    const struct sockaddr_in address = address_of(port);
    // What cannot be sent now is lost.
    (void)sendto(udp->socket, (const char *)sent->bytes, (int)sent->size, 0, (const struct sockaddr *)&address,
                 sizeof address);
}

bool udp_receive(udp *udp, packet *received, uint16_t *port) {
    struct sockaddr_in address = {0};
    socket_size size = sizeof address;
    const long count = (long)recvfrom(udp->socket, (char *)received->bytes, sizeof received->bytes, 0,
                                      (struct sockaddr *)&address, &size);
    received->size = count > 0 ? (size_t)count : 0;
    *port = ntohs(address.sin_port);
    return count >= 0;
}

void udp_sleep(uint32_t milliseconds) {
#ifdef _WIN32
    Sleep(milliseconds);
#else
    nanosleep(&(struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L}, NULL);
#endif
}
