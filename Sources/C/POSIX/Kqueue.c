// The functions of CEpoll.h for macOS, from the manuals of kqueue(2), fcntl(2) and pipe(2); never compiled so far.
#if defined(__APPLE__)
#include "CEpoll.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/event.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static int prepared(int descriptor) {
    if (descriptor < 0) return -1;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    return descriptor;
}

int calotype_epoll_create(void) {
    int queue = kqueue();
    if (queue >= 0) fcntl(queue, F_SETFD, FD_CLOEXEC);
    return queue;
}

int calotype_wake_up_create(int ends[2]) {
    if (pipe(ends) != 0) return -1;
    prepared(ends[0]);
    prepared(ends[1]);
    return 0;
}

// A kqueue has an entry for each descriptor and filter: what is no longer of interest is removed. A read filter
// whose low-water mark no socket reaches reports only the end of the connection, as EPOLLRDHUP does.
int calotype_epoll_watch(int epoll, int descriptor, int interest, int is_lasting, uint64_t number) {
    const uint16_t once = is_lasting ? 0 : EV_ONESHOT;
    const int reads = interest & (calotype_epoll_readable | calotype_epoll_hang_up);
    const int waits_for_end = reads && !(interest & calotype_epoll_readable);
    struct kevent changes[2], results[2];
    EV_SET(&changes[0], descriptor, EVFILT_READ, (reads ? EV_ADD | once : EV_DELETE) | EV_RECEIPT,
           waits_for_end ? NOTE_LOWAT : 0, waits_for_end ? INT32_MAX : 0, (void *)(uintptr_t)number);
    EV_SET(&changes[1], descriptor, EVFILT_WRITE,
           (interest & calotype_epoll_writable ? EV_ADD | once : EV_DELETE) | EV_RECEIPT, 0, 0,
           (void *)(uintptr_t)number);
    int count = kevent(epoll, changes, 2, results, 2, 0);
    if (count < 0) return -1;
    for (int index = 0; index < count; index++) {
        int error = (int)results[index].data;
        if (error != 0 && error != ENOENT) {
            errno = error;
            return -1;
        }
    }
    return 0;
}

int calotype_epoll_wait(int epoll, uint64_t *numbers, int milliseconds) {
    struct kevent events[calotype_epoll_batch];
    struct timespec limit = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    int count = kevent(epoll, 0, 0, events, calotype_epoll_batch, milliseconds < 0 ? 0 : &limit);
    for (int index = 0; index < count; index++) numbers[index] = (uint64_t)(uintptr_t)events[index].udata;
    return count;
}

int calotype_accept(int listener) {
    int descriptor = prepared(accept(listener, 0, 0));
    int yes = 1;
    if (descriptor >= 0) setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
    return descriptor;
}
#endif
