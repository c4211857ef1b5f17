// libmicrohttpd for Swift. MHD_start_daemon and the queries of MHD_get_connection_info are variadic, and
// Glibc's Swift module lacks the kernel's facts about a socket (struct tcp_info of <linux/tcp.h>) and
// accept4.
#pragma once
#include <microhttpd.h>
#include <stdint.h>

/// The callbacks of a daemon, all called on the thread that runs it, each with `context` first.
struct calotype_http_callbacks {
    void *context;
    MHD_AccessHandlerCallback answer;
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
};

/// Creates a daemon that neither listens nor has a thread; connections are passed to it.
///
/// One of the caller's threads waits with calotype_http_wait(), then calls calotype_http_adopt() and
/// MHD_run(). The daemon's own thread (0.9.75) takes up to 128 events at a time; if it gets 128, it waits
/// again indefinitely before it serves them. Without that thread, MHD_resume_connection() wakes nothing, so
/// its caller must wake the loop.
///
/// `memory` is the number of bytes for the heads of one connection; `connections` is the maximum number of
/// connections. NULL if the daemon cannot start.
struct MHD_Daemon *calotype_http_start(
    const struct calotype_http_callbacks *callbacks, size_t memory, unsigned int connections
);

/// The epoll descriptor that is readable when MHD_run() has work; -1 if there is none.
int calotype_http_events(struct MHD_Daemon *daemon);

/// Blocks until MHD_run() has work or `wake_up` is readable.
void calotype_http_wait(struct MHD_Daemon *daemon, int events, int wake_up);

/// Whether the running library is version 0.9.75, whose layout of heads is known.
int calotype_http_keeps_heads_in_place(void);

/// The value stored for the connection when it began; NULL if there is none.
void *calotype_http_client(struct MHD_Connection *connection);

/// The descriptor of the connection's socket.
int calotype_http_descriptor(struct MHD_Connection *connection);

/// The number of bytes from the method to the end of the head's empty line.
size_t calotype_http_head_bytes(struct MHD_Connection *connection);

/// A header field in the memory of the connection; it has no terminating byte.
struct calotype_http_field {
    const char *name;
    size_t name_bytes;
    const char *value;
    size_t value_bytes;
};

/// Writes the first `capacity` header fields in order, and returns the number of all fields.
size_t calotype_http_fields(
    struct MHD_Connection *connection, struct calotype_http_field *fields, size_t capacity
);

/// Cuts the query from the target, so that the daemon does not split it. Each piece uses memory of the
/// connection, and if that runs out the daemon loops forever (0.9.75). Call this with the value that `target`
/// received.
void calotype_http_drop_query(const char *target);

/// Ends the connection after the head of a response without body and length, as for HEAD or a 304. The daemon
/// (0.9.75) would call it chunked and send the end of the chunks, which the client would take for its next
/// response.
void calotype_http_close_after(struct MHD_Response *answer);

/// Sets a header field to sixteen hexadecimal digits, in place of those set before; -1 if memory runs out. No
/// request may be using the response.
int calotype_http_identify(struct MHD_Response *response, const char *name, uint64_t id);

/// The address of a client.
struct calotype_http_peer {
    /// In network order.
    uint8_t address[16];
    /// 4 or 16.
    int address_bytes;
};

/// Accepts a connection, non-blocking and closed on exec; -1 with errno on failure.
int calotype_http_accept(int listener, struct calotype_http_peer *peer);

/// Passes an accepted connection to the daemon, which closes it, even if this fails; 0 on success. Call it on
/// the thread that runs the daemon: from another thread, connections were occasionally lost.
int calotype_http_adopt(struct MHD_Daemon *daemon, int descriptor);

/// The kernel's counts for a connection.
struct calotype_tcp_counts {
    /// Bytes received.
    uint64_t received;
    /// Bytes that the other side has acknowledged.
    uint64_t taken;
    /// Bytes that the other side has not acknowledged yet; 0 if it has all.
    uint64_t pending;
};

/// Reads the counts of a socket; -1 with errno on failure.
int calotype_tcp_read_counts(int descriptor, struct calotype_tcp_counts *counts);

/// Limits the unsent bytes in the kernel to `bytes`, for a socket and the sockets accepted from it.
void calotype_tcp_limit_unsent(int descriptor, int bytes);
