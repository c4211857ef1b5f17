#define _GNU_SOURCE
#include "CMicroHTTPD.h"
#include <errno.h>
#include <limits.h>
#if defined(__linux__)
#include <linux/sockios.h>
#include <linux/tcp.h>
#else
#include <fcntl.h>
#include <netinet/tcp.h>
#endif
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

struct MHD_Daemon *calotype_http_start(
    const struct calotype_http_callbacks *callbacks, size_t memory, unsigned int connections
) {
    // Refused on macOS, where libmicrohttpd has no descriptor that tells of work: nothing can be served there.
    unsigned int flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET;
    void *context = callbacks->context;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, callbacks->answer, context,
        MHD_OPTION_URI_LOG_CALLBACK, callbacks->target, context,
        MHD_OPTION_NOTIFY_COMPLETED, callbacks->completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, callbacks->connection, context,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_END
    );
}

int calotype_http_events(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

void calotype_http_wait(struct MHD_Daemon *daemon, int events, int wake_up) {
    MHD_UNSIGNED_LONG_LONG time_left = 0;
    int patience = -1;
    if (MHD_get_timeout(daemon, &time_left) == MHD_YES)
        patience = time_left < INT_MAX ? (int)time_left : INT_MAX;
    struct pollfd ends[2] = {{events, POLLIN, 0}, {wake_up, POLLIN, 0}};
    poll(ends, 2, patience);
}

int calotype_http_keeps_heads_in_place(void) { return strcmp(MHD_get_version(), "0.9.75") == 0; }

void *calotype_http_client(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

int calotype_http_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

size_t calotype_http_head_bytes(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

struct collected {
    struct calotype_http_field *fields;
    size_t capacity;
    size_t count;
};

static enum MHD_Result collect(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_bytes, const char *value,
    size_t value_bytes
) {
    struct collected *collected = context;
    (void)kind;
    if (collected->count < collected->capacity) {
        struct calotype_http_field field = {name, name_bytes, value, value_bytes};
        collected->fields[collected->count] = field;
    }
    collected->count++;
    return MHD_YES;
}

size_t calotype_http_fields(
    struct MHD_Connection *connection, struct calotype_http_field *fields, size_t capacity
) {
    struct collected collected = {fields, capacity, 0};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, collect, &collected);
    return collected.count;
}

void calotype_http_drop_query(const char *target) {
    // The daemon has already found the question mark, and reads the text after it up to a NUL. The bytes are
    // in its own read buffer, which is writable.
    char *mark = target ? strchr(target, '?') : NULL;
    if (mark && mark[1]) mark[1] = 0;
}

void calotype_http_close_after(struct MHD_Response *answer) {
    MHD_set_response_options(answer, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

int calotype_http_identify(struct MHD_Response *response, const char *name, uint64_t id) {
    static const char digits[] = "0123456789abcdef";
    char text[17], old[17];
    for (int index = 15; index >= 0; index--, id >>= 4) text[index] = digits[id & 15];
    text[16] = 0;
    const char *set = MHD_get_response_header(response, name);
    if (set && strlen(set) < sizeof old) {
        // A copy, because the response frees its own.
        strcpy(old, set);
        MHD_del_response_header(response, name, old);
    }
    return MHD_add_response_header(response, name, text) == MHD_YES ? 0 : -1;
}

static int accept_client(int listener, struct sockaddr_storage *storage, socklen_t *length) {
#if defined(__linux__)
    return accept4(listener, (struct sockaddr *)storage, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
    int descriptor = accept(listener, (struct sockaddr *)storage, length), yes = 1;
    if (descriptor < 0) return -1;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
    return descriptor;
#endif
}

int calotype_http_accept(int listener, struct calotype_http_peer *peer) {
    struct sockaddr_storage storage;
    socklen_t length = sizeof storage;
    int descriptor = accept_client(listener, &storage, &length);
    if (descriptor < 0) return -1;
    memset(peer, 0, sizeof *peer);
    if (storage.ss_family == AF_INET6) {
        const struct in6_addr *address = &((struct sockaddr_in6 *)&storage)->sin6_addr;
        int is_mapped = IN6_IS_ADDR_V4MAPPED(address);
        peer->address_bytes = is_mapped ? 4 : 16;
        memcpy(peer->address, address->s6_addr + (is_mapped ? 12 : 0), peer->address_bytes);
    } else {
        peer->address_bytes = 4;
        memcpy(peer->address, &((struct sockaddr_in *)&storage)->sin_addr, 4);
    }
    return descriptor;
}

int calotype_http_adopt(struct MHD_Daemon *daemon, int descriptor) {
    // The daemon only stores the address; the caller knows the client.
    struct sockaddr_in nowhere = {.sin_family = AF_INET};
    return MHD_add_connection(daemon, descriptor, (struct sockaddr *)&nowhere, sizeof nowhere)
        == MHD_YES;
}

int calotype_tcp_read_counts(int descriptor, struct calotype_tcp_counts *counts) {
#if defined(__linux__)
    struct tcp_info info;
    socklen_t length = sizeof info;
    int queued = 0;
    memset(&info, 0, sizeof info);
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -1;
    if (ioctl(descriptor, SIOCOUTQ, &queued) != 0) return -1;
    counts->received = info.tcpi_bytes_received;
    counts->taken = info.tcpi_bytes_acked;
    counts->pending = queued > 0 ? (uint64_t)queued : 0;
    return 0;
#else
    (void)descriptor;
    (void)counts;
    return -1;
#endif
}

void calotype_tcp_limit_unsent(int descriptor, int bytes) {
    setsockopt(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
}
