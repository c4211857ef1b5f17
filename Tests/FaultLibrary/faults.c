// Preloaded: makes the n-th call on files below one folder fail, as a bad or full disk would.
//
//   FAULT_FOLDER   the folder, absolute and without links; calls on anything else go their way
//   FAULT_CALLS    the calls that are counted, such as "write,pwrite"; the names are those of Linux without 64
//   FAULT_NUMBER   which of them fails, from 1
//   FAULT_LASTS    "once" or "on": that one only, or all from there on
//   FAULT_ERROR    EIO, ENOSPC, EDQUOT, EROFS, EMFILE, EINTR; "short" makes a write take half of its bytes; "kill" kills the
//                  process instead, once: it removes the file of FAULT_AFTER, which must be set
//   FAULT_AFTER    a file; calls are counted, and fail, while it exists; without it, always
//   FAULT_LOG      a file outside of the folder that gets a line for each call that failed
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { DESCRIPTORS = 65536, SHORT = -1, KILL = -2 };

static atomic_bool below[DESCRIPTORS];
static atomic_long count;
static char folder[PATH_MAX], calls[512];
static const char *trigger;
static long number;
static bool lasts;
static int failure, record = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int error_named(const char *name) {
    static const struct { const char *name; int code; } errors[] = {
        {"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE}, {"EINTR", EINTR}, {"short", SHORT},
        {"EDQUOT", EDQUOT}, {"EROFS", EROFS}, {"kill", KILL},
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (strcmp(name, errors[i].name) == 0) return errors[i].code;
    }
    abort();
}

static void read_settings(void) {
    const char *path = getenv("FAULT_FOLDER"), *names = getenv("FAULT_CALLS"), *which = getenv("FAULT_NUMBER");
    const char *length = getenv("FAULT_LASTS"), *error = getenv("FAULT_ERROR"), *log = getenv("FAULT_LOG");
    if (!path || !names || !which || !length || !error || !log) return;
    snprintf(folder, sizeof folder, "%s", path);
    snprintf(calls, sizeof calls, ",%s,", names);
    number = atol(which);
    trigger = getenv("FAULT_AFTER");
    lasts = strcmp(length, "on") == 0;
    failure = error_named(error);
    record = (int) syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void *next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

#define NEXT(name) ((__typeof__(&name)) next(#name))

static bool is_below(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS && atomic_load(&below[descriptor]);
}

// Whether `path`, relative to `directory`, is the folder or lies below it.
static bool lies_below(int directory, const char *path) {
    pthread_once(&once, read_settings);
    if (!number || !path) return false;
    if (path[0] != '/') return is_below(directory);
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || !path[length]);
}

// Counts a call on something below the folder; whether it is to fail.
static bool strikes(const char *call, const char *subject) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, ",%s,", call);
    if (!strstr(calls, wanted)) return false;
    if (trigger && syscall(SYS_faccessat, AT_FDCWD, trigger, F_OK) != 0) return false;
    long turn = atomic_fetch_add(&count, 1) + 1;
    if (turn != number && !(lasts && turn > number)) return false;
    if (failure == KILL && syscall(SYS_unlinkat, AT_FDCWD, trigger, 0) != 0) return false;
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%ld %s %s\n", turn, call, subject);
    if (length > 0) syscall(SYS_write, record, line, (size_t) length);
    if (failure == KILL) kill(getpid(), SIGKILL);
    return true;
}

static bool strikes_on(const char *call, int descriptor) {
    if (!is_below(descriptor)) return false;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    return strikes(call, path);
}

static int refuse(void) {
    errno = failure == SHORT ? EIO : failure;
    return -1;
}

// Files that are opened and closed.

static int opened(int descriptor, bool counts) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) atomic_store(&below[descriptor], counts);
    return descriptor;
}

static int open_at(int directory, const char *path, int flags, mode_t mode) {
    bool counts = lies_below(directory, path);
    if (counts && strikes("open", path)) return refuse();
    return opened((int) syscall(SYS_openat, directory, path, flags | O_LARGEFILE, mode), counts);
}

#define MODE_OF(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *path, int flags, ...) { MODE_OF(flags) return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags) return open_at(AT_FDCWD, path, flags, mode); }
int openat(int directory, const char *path, int flags, ...) { MODE_OF(flags) return open_at(directory, path, flags, mode); }
int openat64(int directory, const char *path, int flags, ...) { MODE_OF(flags) return open_at(directory, path, flags, mode); }

int close(int descriptor) {
    opened(descriptor, false);
    return NEXT(close)(descriptor);
}

// Bytes.

static size_t taken(size_t length) { return failure == SHORT ? (length + 1) / 2 : 0; }

ssize_t write(int descriptor, const void *bytes, size_t length) {
    if (!strikes_on("write", descriptor)) return NEXT(write)(descriptor, bytes, length);
    return taken(length) ? NEXT(write)(descriptor, bytes, taken(length)) : refuse();
}

static ssize_t write_at(int descriptor, const void *bytes, size_t length, off_t offset) {
    if (!strikes_on("pwrite", descriptor)) return NEXT(pwrite)(descriptor, bytes, length, offset);
    return taken(length) ? NEXT(pwrite)(descriptor, bytes, taken(length), offset) : refuse();
}

static ssize_t read_at(int descriptor, void *bytes, size_t length, off_t offset) {
    return strikes_on("pread", descriptor) ? refuse() : NEXT(pread)(descriptor, bytes, length, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
    return write_at(descriptor, bytes, length, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
    return write_at(descriptor, bytes, length, offset);
}
ssize_t read(int descriptor, void *bytes, size_t length) {
    return strikes_on("read", descriptor) ? refuse() : NEXT(read)(descriptor, bytes, length);
}
ssize_t pread(int descriptor, void *bytes, size_t length, off_t offset) {
    return read_at(descriptor, bytes, length, offset);
}
ssize_t pread64(int descriptor, void *bytes, size_t length, off64_t offset) {
    return read_at(descriptor, bytes, length, offset);
}

// The rest.

int fsync(int descriptor) { return strikes_on("fsync", descriptor) ? refuse() : NEXT(fsync)(descriptor); }
int fdatasync(int descriptor) { return strikes_on("fdatasync", descriptor) ? refuse() : NEXT(fdatasync)(descriptor); }

static int set_length(int descriptor, off_t length) {
    return strikes_on("ftruncate", descriptor) ? refuse() : NEXT(ftruncate)(descriptor, length);
}
int ftruncate(int descriptor, off_t length) { return set_length(descriptor, length); }
int ftruncate64(int descriptor, off64_t length) { return set_length(descriptor, length); }

int rename(const char *from, const char *to) {
    if (lies_below(AT_FDCWD, to) && strikes("rename", to)) return refuse();
    return NEXT(rename)(from, to);
}
int renameat(int from_directory, const char *from, int directory, const char *to) {
    if (lies_below(directory, to) && strikes("rename", to)) return refuse();
    return NEXT(renameat)(from_directory, from, directory, to);
}
int linkat(int from_directory, const char *from, int directory, const char *to, int flags) {
    if (lies_below(directory, to) && strikes("link", to)) return refuse();
    return NEXT(linkat)(from_directory, from, directory, to, flags);
}
int unlink(const char *path) {
    if (lies_below(AT_FDCWD, path) && strikes("unlink", path)) return refuse();
    return NEXT(unlink)(path);
}
int unlinkat(int directory, const char *path, int flags) {
    if (lies_below(directory, path) && strikes("unlink", path)) return refuse();
    return NEXT(unlinkat)(directory, path, flags);
}
int mkdir(const char *path, mode_t mode) {
    if (lies_below(AT_FDCWD, path) && strikes("mkdir", path)) return refuse();
    return NEXT(mkdir)(path, mode);
}
int mkdirat(int directory, const char *path, mode_t mode) {
    if (lies_below(directory, path) && strikes("mkdir", path)) return refuse();
    return NEXT(mkdirat)(directory, path, mode);
}
