#define _GNU_SOURCE
#include "COpen.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

int calotype_open_beneath(int folder, const char *path) {
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
    struct open_how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    for (int attempt = 0; attempt < 8; attempt++) {
        // EAGAIN: a part of the path was renamed during the call.
        int descriptor = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
        if (descriptor >= 0 || (errno != EAGAIN && errno != EINTR)) return descriptor;
    }
    return -1;
#else
    (void)folder;
    (void)path;
    errno = ENOSYS;
    return -1;
#endif
}

#if defined(__linux__)
int calotype_start_sync(int descriptor) {
    return sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
}

int calotype_sync_all(int descriptor) { return syncfs(descriptor); }
#else
int calotype_start_sync(int descriptor) {
    (void)descriptor;
    return 0;
}

// sync(2) only starts to write; F_FULLFSYNC of a file then waits for the drive, which writes in order.
int calotype_sync_all(int descriptor) {
    sync();
    return fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor);
}
#endif

int calotype_is_pool_thread(void) {
    static const char ending[] = "-qos";
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    size_t length = strlen(name), rest = sizeof ending - 1;
    return length >= rest && strcmp(name + length - rest, ending) == 0;
}
