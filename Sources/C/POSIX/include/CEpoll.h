// epoll(7) for Swift: Glibc's Swift module omits <sys/epoll.h> and <sys/eventfd.h>, and the packed union in
// struct epoll_event is awkward in Swift, so events carry a plain 64-bit number here. On macOS the
// functions are made of kqueue(2) and pipe(2).
#pragma once
#include <stdint.h>

enum {
    calotype_epoll_readable = 1,
    calotype_epoll_writable = 2,
    calotype_epoll_hang_up = 4,
    calotype_epoll_batch = 256,
};

/// Creates an epoll descriptor that is closed on exec; -1 with errno on failure.
int calotype_epoll_create(void);

/// Creates a non-blocking event counter of Linux; -1 with errno on failure.
int calotype_eventfd_create(void);

/// Creates a non-blocking event counter: a write of eight bytes to ends[1] makes ends[0] readable until it is
/// read. On Linux both are one descriptor. Returns -1 with errno on failure.
int calotype_wake_up_create(int ends[2]);

/// Watches `descriptor` for `interest` (a combination of the constants above), once unless `is_lasting`; the
/// event carries `number`. Returns -1 with errno on failure.
int calotype_epoll_watch(int epoll, int descriptor, int interest, int is_lasting, uint64_t number);

/// Waits up to `milliseconds` (-1: indefinitely) and writes the numbers of up to calotype_epoll_batch events.
int calotype_epoll_wait(int epoll, uint64_t *numbers, int milliseconds);

/// Accepts a connection, non-blocking and closed on exec (accept4 needs _GNU_SOURCE); -1 with errno on
/// failure.
int calotype_accept(int listener);
