/* A switch with a delay, for bench/mpi_network.sh on kernels without netem: passes Ethernet frames
 * between interfaces, a fixed time after they have arrived.
 *
 *     delay_relay MILLISECONDS INTERFACE...
 *
 * Frames are read and written with the header that says what the sender left to its device, so that
 * segments of TCP larger than a frame, and checksums that have not been computed, pass. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { MOST_PORTS = 64, MOST_BYTES = 1 << 17, HEADER = sizeof(struct virtio_net_hdr) };

typedef struct frame {
    struct frame *next;
    double due; /* seconds */
    int from;
    size_t length;
    unsigned char bytes[];
} frame;

typedef struct port {
    int socket;
    unsigned char address[ETH_ALEN]; /* of the machine behind it, once it has sent something */
} port;

static port ports[MOST_PORTS];
static int port_count;
static frame *first, **last = &first;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool open_port(const char *name)
{
    int on = 1;
    port *p = &ports[port_count++];
    p->socket = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, htons(ETH_P_ALL));
    struct sockaddr_ll at = {.sll_family = AF_PACKET,
                             .sll_protocol = htons(ETH_P_ALL),
                             .sll_ifindex = (int)if_nametoindex(name)};
    return p->socket >= 0 && at.sll_ifindex > 0 &&
           !setsockopt(p->socket, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) &&
           !setsockopt(p->socket, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) &&
           !bind(p->socket, (struct sockaddr *)&at, sizeof at);
}

/* Reads what has arrived at a port. */
static void take_frames(int from, double delay)
{
    static unsigned char bytes[MOST_BYTES];
    ssize_t length;
    while ((length = recv(ports[from].socket, bytes, sizeof bytes, 0)) > HEADER + ETH_HLEN) {
        frame *f = malloc(sizeof *f + (size_t)length);
        if (!f)
            return;
        *f = (frame){.due = now() + delay, .from = from, .length = (size_t)length};
        memcpy(f->bytes, bytes, f->length);
        memcpy(ports[from].address, f->bytes + HEADER + ETH_ALEN, ETH_ALEN);
        *last = f;
        last = &f->next;
    }
}

static void send_on(const port *to, const frame *f)
{
    while (send(to->socket, f->bytes, f->length, 0) < 0 && (errno == EAGAIN || errno == ENOBUFS)) {
        struct pollfd ready = {.fd = to->socket, .events = POLLOUT};
        poll(&ready, 1, 1);
    }
}

/* To the port of the address, or to all others. */
static void pass_on(const frame *f)
{
    const unsigned char *address = f->bytes + HEADER;
    int to = 0;
    while (to < port_count && memcmp(ports[to].address, address, ETH_ALEN) != 0)
        to++;
    for (int p = 0; p < port_count; p++)
        if (p != f->from && (to == port_count || to == p))
            send_on(&ports[p], f);
}

int main(int argc, char **argv)
{
    struct pollfd ready[MOST_PORTS];
    double delay = argc > 1 ? atof(argv[1]) / 1000 : -1;
    if (argc < 4 || argc - 2 > MOST_PORTS || delay < 0) {
        fprintf(stderr, "usage: delay_relay MILLISECONDS INTERFACE INTERFACE...\n");
        return 2;
    }
    for (int k = 2; k < argc; k++)
        if (!open_port(argv[k])) {
            fprintf(stderr, "delay_relay: %s: %s\n", argv[k], strerror(errno));
            return 1;
        }
    for (int p = 0; p < port_count; p++)
        ready[p] = (struct pollfd){.fd = ports[p].socket, .events = POLLIN};
    for (;;) {
        while (first && first->due <= now()) {
            frame *f = first;
            first = f->next;
            if (!first)
                last = &first;
            pass_on(f);
            free(f);
        }
        double left = first ? first->due - now() : 1;
        struct timespec wait = {.tv_nsec = left > 0 ? (long)(left < 0.5 ? left * 1e9 : 5e8) : 0};
        if (ppoll(ready, (nfds_t)port_count, &wait, NULL) > 0)
            for (int p = 0; p < port_count; p++)
                if (ready[p].revents)
                    take_frames(p, delay);
    }
}
