/* slow_tcp.c - emulates a slow network. The delay is added where ranks wait for messages anyway, which is more precise
 * than a process that relays packets: its timers wake late, and it needs a core. tc netem would delay packets in the
 * kernel, but needs a module that many kernels lack. */
#define _GNU_SOURCE /* for preadv2 and ppoll */
#include "tools/comm/hosts.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

enum { MOST_SOCKETS = 1024, MOST_ARRIVALS = 32, MOST_PIECES = 8, PACKET = 1500, MOST_BYTES = 1 << 26 };

/* Bytes that have arrived together and are not yet read. The link brings them in packets. */
typedef struct arrival {
    int64_t begun; /* time in nanoseconds when the link begins to bring these bytes */
    size_t left;
} arrival;

typedef struct slow_socket {
    arrival arrivals[MOST_ARRIVALS]; /* unread arrivals, at [first % MOST_ARRIVALS .. end % MOST_ARRIVALS). */
    unsigned first, end;
    size_t left;  /* number of unread bytes of all arrivals */
    int64_t idle; /* time in nanoseconds when the link has brought all bytes that have arrived */
    bool used;    /* whether readv() has read from the socket */
} slow_socket;

static slow_socket sockets[MOST_SOCKETS];
static int64_t delay;     /* latency in nanoseconds */
static double per_byte;   /* nanoseconds per byte */
static bool slow = false; /* whether pen_slow_tcp was called */

void pen_slow_tcp(double latency, double bandwidth)
{
    delay = llround(1e9 * latency);
    per_byte = bandwidth > 0.0 ? 1e9 / bandwidth : 0.0;
    slow = true;
}

static int64_t nanoseconds(const struct timespec *time) { return time->tv_sec * INT64_C(1000000000) + time->tv_nsec; }

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time); /* the kernel's time stamps use this clock */
    return nanoseconds(&time);
}

/* The time when the last bytes of a message arrived, from the kernel. */
static int64_t stamp_of(struct msghdr *message)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        struct timespec time;
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS) continue;
        memcpy(&time, CMSG_DATA(c), sizeof time);
        return nanoseconds(&time);
    }
    return now();
}

/* Find bytes that have arrived since the last look. Like readv, returns the number of all unread bytes, 0, or -1. */
static ssize_t look(int file, slow_socket *s)
{
    static char nothing[MOST_BYTES]; /* a buffer for MSG_TRUNC, which copies no bytes */
    char control[128];
    int on = 1;
    struct iovec all = { nothing, sizeof nothing };
    struct msghdr message = {
        .msg_iov = &all, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
    };
    if (s->left == 0 && setsockopt(file, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0) return -1;
    ssize_t bytes = recvmsg(file, &message, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
    if (bytes <= (ssize_t)s->left) return bytes;
    if (s->end - s->first == MOST_ARRIVALS) return bytes; /* the remaining bytes are found in a later look */
    size_t fresh = (size_t)bytes - s->left;
    int64_t arrived = stamp_of(&message), begun = arrived > s->idle ? arrived : s->idle;
    s->arrivals[s->end++ % MOST_ARRIVALS] = (arrival){ begun, fresh };
    s->idle = begun + llround(per_byte * (double)fresh);
    s->left += fresh;
    return bytes;
}

/* The number of these bytes that the link has brought so far, in whole packets. */
static size_t brought(const arrival *a)
{
    double ready = (double)(now() - delay - a->begun);
    if (ready >= per_byte * (double)a->left) return a->left;
    size_t bytes = ready > 0.0 ? (size_t)(ready / per_byte) : 0;
    return bytes - bytes % PACKET;
}

static bool is_tcp(int file)
{
    int domain = 0;
    socklen_t size = sizeof domain;
    return file >= 0 && file < MOST_SOCKETS && getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
           (domain == AF_INET || domain == AF_INET6);
}

/* Whether a socket has bytes of which the link has brought none yet. */
static bool held_back(int file)
{
    if (file < 0 || file >= MOST_SOCKETS || !sockets[file].used) return false;
    slow_socket *s = &sockets[file];
    return look(file, s) > 0 && brought(&s->arrivals[s->first % MOST_ARRIVALS]) == 0;
}

/* Replaces the C library's poll. MPI calls it in a loop as long as a socket is readable. */
__attribute__((visibility("default"))) int poll(struct pollfd *files, nfds_t count, int timeout)
{
    struct timespec time = { timeout / 1000, timeout % 1000 * 1000000L };
    int ready = ppoll(files, count, timeout < 0 ? NULL : &time, NULL);
    for (nfds_t i = 0; slow && ready > 0 && i < count; i++) {
        if (!(files[i].revents & POLLIN) || !held_back(files[i].fd)) continue;
        files[i].revents = (short)(files[i].revents & ~(POLLIN | POLLRDNORM));
        if (files[i].revents == 0) ready--;
    }
    return ready;
}

/* Replaces the C library's readv. */
__attribute__((visibility("default"))) ssize_t readv(int file, const struct iovec *pieces, int count)
{
    /* Equivalent to readv: at the file's own position. */
    if (!slow || !is_tcp(file)) return preadv2(file, pieces, count, -1, 0);
    slow_socket *s = &sockets[file];
    s->used = true;
    ssize_t bytes = look(file, s);
    if (bytes <= 0) return bytes;
    arrival *oldest = &s->arrivals[s->first % MOST_ARRIVALS];
    size_t room = brought(oldest);
    if (room == 0) {
        errno = EAGAIN;
        return -1;
    }
    struct iovec seen[MOST_PIECES];
    int used = 0;
    for (; used < count && used < MOST_PIECES && room > 0; used++) {
        seen[used] = pieces[used];
        if (seen[used].iov_len > room) seen[used].iov_len = room;
        room -= seen[used].iov_len;
    }
    bytes = preadv2(file, seen, used, -1, 0);
    if (bytes <= 0) return bytes;
    s->left -= (size_t)bytes;
    oldest->left -= (size_t)bytes;
    oldest->begun += llround(per_byte * (double)bytes);
    if (oldest->left == 0) s->first++;
    return bytes;
}
