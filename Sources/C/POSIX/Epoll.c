#if defined(__linux__)
#define _GNU_SOURCE
#include "CEpoll.h"
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

int calotype_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int calotype_eventfd_create(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int calotype_wake_up_create(int ends[2]) {
    ends[0] = ends[1] = calotype_eventfd_create();
    return ends[0] < 0 ? -1 : 0;
}

int calotype_epoll_watch(int epoll, int descriptor, int interest, int is_lasting, uint64_t number) {
    struct epoll_event event = {.data.u64 = number};
    if (interest & calotype_epoll_readable) event.events |= EPOLLIN;
    if (interest & calotype_epoll_writable) event.events |= EPOLLOUT;
    if (interest & calotype_epoll_hang_up) event.events |= EPOLLRDHUP;
    if (!is_lasting) event.events |= EPOLLONESHOT;
    if (epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
    if (errno != ENOENT) return -1;
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int calotype_epoll_wait(int epoll, uint64_t *numbers, int milliseconds) {
    struct epoll_event events[calotype_epoll_batch];
    int count = epoll_wait(epoll, events, calotype_epoll_batch, milliseconds);
    for (int index = 0; index < count; index++) numbers[index] = events[index].data.u64;
    return count;
}

int calotype_accept(int listener) { return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC); }
#endif
