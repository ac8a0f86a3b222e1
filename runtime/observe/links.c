#define _GNU_SOURCE /* accept4 */
#include "observe/links.h"
#include "base/hash.h"
#include "base/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* What rank 0 answers to a message: a byte each. */
enum { HEARD = 'h', HEARD_TELL_ALL = 't', END = 'e', LEAVES = 'l' };

enum { MOST_ADDRESSES = 16, SILENT = 4000, LOST = 3000, INTERVAL = 1000, PATIENCE = 5000 }; /* the latter in ms */

/* Where rank 0 listens. */
typedef struct place {
    uint64_t cookie; /* who knows it belongs to the run */
    uint16_t port;   /* both in the order of the network */
    uint32_t addresses[MOST_ADDRESSES];
    int count;
} place;

typedef struct greeting {
    uint64_t cookie;
    int32_t rank;
} greeting;

/* A message; `bytes` of text follow. */
typedef struct news {
    int32_t bytes, leaves;
    pen_facts facts;
} news;

typedef struct host_link {
    int socket; /* -1: none, or no more */
    int rank;   /* at the other end */
    news last;  /* that has come */
    char *text; /* [last.bytes] */
    bool left;
    int64_t silent, lost; /* ms */
    size_t got;           /* bytes of the message that is coming */
    news coming;
    char *coming_text;
} host_link;

struct pen_links {
    bool first; /* this is rank 0 */
    int count;
    host_link *links; /* [count]: rank 0's to the others, others' to rank 0 */
    bool tell_all, heard;
    int64_t waited; /* ms since the last message */
    char *outgoing; /* [outgoing_bytes], NULL: all is sent */
    size_t outgoing_bytes, sent;
    bool ended;
};

/* ---- Sockets ------------------------------------------------------------------------------------ */

/* The system asks the other one's whether it is there, and gives up after some seconds; that of a process that is
 * stopped answers. */
static void keep_alive(int socket)
{
    const int on = 1, idle = 1, interval = 1, count = 6;
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
#ifdef TCP_USER_TIMEOUT
    const unsigned timeout = 7000; /* ms */
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof timeout);
#else
    (void)idle;
    (void)interval;
    (void)count;
#endif
}

static bool is_ready(int socket, short what, int ms)
{
    struct pollfd one = { socket, what, 0 };
    return poll(&one, 1, ms) == 1 && (one.revents & what) != 0;
}

/* All of it, soon, or not at all. */
static bool receive_all(int socket, void *bytes, size_t size)
{
    char *to = (char *)bytes;
    while (size > 0) {
        if (!is_ready(socket, POLLIN, INTERVAL)) return false;
        ssize_t got = recv(socket, to, size, 0);
        if (got <= 0) return false;
        to += got;
        size -= (size_t)got;
    }
    return true;
}

static bool send_all(int socket, const void *bytes, size_t size)
{
    return send(socket, bytes, size, MSG_NOSIGNAL) == (ssize_t)size; /* short: it fits in any buffer */
}

/* ---- Rank 0 ------------------------------------------------------------------------------------- */

/* The loopback last: other hosts have one of their own. */
static void list_addresses(place *here)
{
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0) return;
    for (int loopback = 0; loopback <= 1; loopback++)
        for (const struct ifaddrs *i = all; i && here->count < MOST_ADDRESSES; i = i->ifa_next) {
            bool is_loopback = (i->ifa_flags & IFF_LOOPBACK) != 0;
            if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || !(i->ifa_flags & IFF_UP)) continue;
            if (is_loopback != (loopback == 1)) continue;
            struct sockaddr_in address;
            memcpy(&address, i->ifa_addr, sizeof address);
            here->addresses[here->count++] = address.sin_addr.s_addr;
        }
    freeifaddrs(all);
}

static pen_status start_listening(place *here, int *listener)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t length = sizeof address;
    *listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*listener < 0 || bind(*listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(*listener, SOMAXCONN) != 0 || getsockname(*listener, (struct sockaddr *)&address, &length) != 0)
        return pen_fail(PEN_ERR_IO, "cannot listen to other hosts: %s", strerror(errno));
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t seed[] = { now.tv_sec, now.tv_nsec, getpid(), (int64_t)(intptr_t)&now };
    here->cookie = pen_hash_bytes(seed, sizeof seed);
    here->port = address.sin_port;
    list_addresses(here);
    return PEN_OK;
}

/* One that has come: of this run, or somebody else. */
static void welcome(pen_links *links, int socket, const place *here)
{
    greeting hello;
    if (links->count < 0 || !receive_all(socket, &hello, sizeof hello) || hello.cookie != here->cookie ||
        !send_all(socket, &hello, sizeof hello)) {
        close(socket);
        return;
    }
    keep_alive(socket);
    links->links[links->count++] = (host_link){ .socket = socket, .rank = hello.rank, .last.facts = { .moving = 1 } };
}

static pen_status await_all(pen_links *links, int hosts, const place *here, int listener)
{
    while (links->count < hosts - 1) {
        if (!is_ready(listener, POLLIN, PATIENCE + INTERVAL))
            return pen_fail(PEN_ERR_IO, "%d of %d hosts do not reach rank 0's", hosts - 1 - links->count, hosts);
        int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (socket >= 0) welcome(links, socket, here);
    }
    return PEN_OK;
}

/* ---- The others --------------------------------------------------------------------------------- */

static bool reach(const place *there, int number, int rank, int *found)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = there->port,
                                   .sin_addr = { there->addresses[number] } };
    const greeting hello = { there->cookie, rank };
    greeting answer;
    int error = 0, one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t length = sizeof error;
    if (one < 0) return false;
    int code = connect(one, (struct sockaddr *)&address, sizeof address);
    if ((code == 0 || errno == EINPROGRESS) && is_ready(one, POLLOUT, INTERVAL) &&
        getsockopt(one, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0 &&
        send_all(one, &hello, sizeof hello) && receive_all(one, &answer, sizeof answer) &&
        answer.cookie == there->cookie) {
        keep_alive(one);
        *found = one;
        return true;
    }
    close(one);
    return false;
}

static pen_status join(pen_links *links, const place *there, int rank)
{
    int socket = -1;
    for (int i = 0; i < there->count && i * INTERVAL < PATIENCE; i++)
        if (reach(there, i, rank, &socket)) {
            links->links[links->count++] = (host_link){ .socket = socket, .rank = 0 };
            return PEN_OK;
        }
    return pen_fail(PEN_ERR_IO, "rank %d does not reach the host of rank 0", rank);
}

/* ---- Beginning and end ---------------------------------------------------------------------------- */

static pen_status provide(const pen_comm *comm, pen_links **links)
{
    if (comm->host_rank > 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC_ZERO(links, 1));
    (*links)->first = comm->rank == 0;
    (*links)->heard = true;
    return PEN_ALLOC_ZERO(&(*links)->links, comm->hosts);
}

pen_status pen_links_create(pen_comm *comm, pen_links **links)
{
    place here = { .count = 0 };
    int listener = -1;
    pen_status status = provide(comm, links);
    if (status == PEN_OK && comm->rank == 0) status = start_listening(&here, &listener);
    status = pen_agree(comm, status);
    if (status == PEN_OK) {
        int code = PEN_MARKED(MPI_Bcast(&here, (int)sizeof here, MPI_BYTE, 0, comm->mpi));
        if (code != MPI_SUCCESS) status = pen_fail_mpi(code, "MPI_Bcast");
        else if (comm->rank == 0) status = await_all(*links, comm->hosts, &here, listener);
        else if (comm->host_rank == 0) status = join(*links, &here, comm->rank);
        status = pen_agree(comm, status);
    }
    if (listener >= 0) close(listener);
    if (status != PEN_OK) pen_links_destroy(links);
    return status;
}

static void close_link(host_link *l)
{
    if (l->socket >= 0) close(l->socket);
    l->socket = -1;
    PEN_FREE_ALL(l->text, l->coming_text);
    l->text = l->coming_text = NULL;
}

static void answer_all(const pen_links *links, char answer)
{
    for (int i = 0; i < links->count; i++)
        if (links->links[i].socket >= 0) (void)send_all(links->links[i].socket, &answer, 1);
}

void pen_links_destroy(pen_links **links)
{
    if (!links || !*links) return;
    pen_links *l = *links;
    const news leaves = { .leaves = 1, .facts = pen_facts_none };
    if (l->first) answer_all(l, l->ended ? END : LEAVES);
    else if (l->count > 0 && l->links[0].socket >= 0 && !l->outgoing)
        (void)send_all(l->links[0].socket, &leaves, sizeof leaves);
    for (int i = 0; i < l->count; i++) close_link(&l->links[i]);
    PEN_FREE_ALL(l->outgoing, l->links, l);
    *links = NULL;
}

/* ---- Messages ------------------------------------------------------------------------------------- */

/* True: some bytes have come. The connection is closed where it is broken. */
static bool receive_some(host_link *l, void *bytes, size_t size, size_t *got)
{
    ssize_t n = recv(l->socket, bytes, size, 0);
    if (n > 0) {
        *got += (size_t)n;
        return true;
    }
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        close(l->socket);
        l->socket = -1;
    }
    return false;
}

/* A message that is coming goes on. True: it is whole. */
static bool receive_message(host_link *l)
{
    while (l->socket >= 0) {
        if (l->got < sizeof l->coming) {
            if (!receive_some(l, (char *)&l->coming + l->got, sizeof l->coming - l->got, &l->got)) return false;
            if (l->got < sizeof l->coming) continue;
            if (l->coming.bytes > 0 && PEN_ALLOC(&l->coming_text, l->coming.bytes) != PEN_OK) return false;
        }
        size_t text = l->got - sizeof l->coming;
        if (text == (size_t)l->coming.bytes) return true;
        if (!receive_some(l, l->coming_text + text, (size_t)l->coming.bytes - text, &l->got)) return false;
    }
    return false;
}

static void take_message(host_link *l)
{
    free(l->text);
    l->text = l->coming_text;
    l->coming_text = NULL;
    l->last = l->coming;
    l->left = l->last.leaves != 0;
    l->got = 0;
    l->silent = 0;
}

/* What one of the other hosts has counted. */
static pen_facts facts_of(pen_links *links, host_link *l, int64_t elapsed)
{
    pen_facts held = pen_facts_none;
    l->silent += elapsed;
    if (l->socket >= 0 && receive_message(l)) {
        take_message(l);
        char answer = links->tell_all ? HEARD_TELL_ALL : HEARD;
        if (l->left) close_link(l);
        else (void)send_all(l->socket, &answer, 1);
    }
    if (l->left) return pen_facts_none;
    if (l->socket < 0) l->lost += elapsed;
    if (l->socket >= 0 && l->silent < SILENT) return l->last.facts;
    held.held = 1;
    held.a_held = l->rank;
    return held;
}

static pen_link_news judge(pen_links *links, pen_facts *facts, int64_t elapsed)
{
    bool all_told = true, lost = false;
    for (int i = 0; i < links->count; i++) {
        host_link *l = &links->links[i];
        pen_facts theirs = facts_of(links, l, elapsed);
        *facts = pen_facts_sum(facts, &theirs);
        if (!l->left && !l->text) all_told = false;
        if (!l->left && l->lost >= LOST) lost = true;
    }
    if (lost) return PEN_LINK_LOST;
    links->tell_all = pen_facts_judge(facts) == PEN_VERDICT_STUCK;
    return !links->tell_all || all_told ? PEN_LINK_JUDGE : PEN_LINK_FOLLOW;
}

/* Make the next message. */
static void compose(pen_links *links, const pen_board *board, const pen_pulse *pulses, const pen_facts *facts)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    news head = { .facts = *facts };
    if (!out) return;
    fwrite(&head, sizeof head, 1, out);
    if (links->tell_all) pen_facts_print(board, pulses, out);
    if (fclose(out) != 0) {
        free(text);
        return;
    }
    head.bytes = (int32_t)(size - sizeof head);
    memcpy(text, &head, sizeof head);
    links->outgoing = text;
    links->outgoing_bytes = size;
    links->sent = 0;
    links->heard = false;
    links->waited = 0;
}

static void send_some(pen_links *links, host_link *l)
{
    while (links->outgoing && l->socket >= 0) {
        ssize_t n = send(l->socket, links->outgoing + links->sent, links->outgoing_bytes - links->sent, MSG_NOSIGNAL);
        if (n <= 0) return; /* what is broken is found out by reading */
        links->sent += (size_t)n;
        if (links->sent < links->outgoing_bytes) continue;
        free(links->outgoing);
        links->outgoing = NULL;
    }
}

static pen_link_news follow(pen_links *links, host_link *l, int64_t elapsed)
{
    char answer;
    size_t got = 0;
    while (l->socket >= 0 && receive_some(l, &answer, 1, &got)) {
        if (answer == END) return PEN_LINK_END;
        if (answer == LEAVES) l->left = true;
        links->heard = true;
        links->tell_all = answer == HEARD_TELL_ALL;
    }
    if (l->socket < 0 && !l->left) l->lost += elapsed;
    return l->lost >= LOST ? PEN_LINK_LOST : PEN_LINK_FOLLOW;
}

pen_link_news pen_links_exchange(pen_links *links, const pen_board *board, const pen_pulse *pulses, pen_facts *facts,
                                 int64_t elapsed)
{
    if (links->first) return judge(links, facts, elapsed);
    host_link *l = &links->links[0];
    pen_link_news found = follow(links, l, elapsed);
    links->waited += elapsed;
    if (!l->left && links->heard && (links->waited >= INTERVAL || links->tell_all) && !links->outgoing)
        compose(links, board, pulses, facts);
    send_some(links, l);
    return found;
}

void pen_links_print(const pen_links *links, FILE *out)
{
    for (int i = 0; i < links->count; i++)
        if (links->links[i].text) fwrite(links->links[i].text, 1, (size_t)links->links[i].last.bytes, out);
}

void pen_links_end(pen_links *links)
{
    links->ended = true;
    if (links->first) answer_all(links, END);
}
