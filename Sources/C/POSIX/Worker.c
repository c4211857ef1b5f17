#if defined(__linux__)
#define _GNU_SOURCE
#include "CEpoll.h"
#include "CSandbox.h"
#include "CWorker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int cworker_make_sockets(int sockets[2]) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets); }

int cworker_make_memory(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

// Room for the descriptors, aligned as the headers require.
union control {
    char bytes[CMSG_SPACE(cworker_descriptors * sizeof(int))];
    struct cmsghdr header;
};

int cworker_send(int socket, const uint64_t *words, const int *descriptors, int count) {
    struct iovec part = {.iov_base = (void *) words, .iov_len = cworker_words * sizeof *words};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    union control control;
    if (count > 0 && count <= cworker_descriptors) {
        size_t length = (size_t) count * sizeof *descriptors;
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(length);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(length);
        memcpy(CMSG_DATA(header), descriptors, length);
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

int cworker_respond(int socket, const uint64_t *words) {
    ssize_t written;
    do written = write(socket, words, cworker_words * sizeof *words);
    while (written < 0 && errno == EINTR);
    return written < 0 ? -1 : 0;
}

int cworker_receive(int socket, uint64_t *words, int *descriptors, int capacity) {
    struct iovec part = {.iov_base = words, .iov_len = cworker_words * sizeof *words};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    union control control;
    for (int i = 0; i < capacity; i++) descriptors[i] = -1;
    if (capacity > 0 && capacity <= cworker_descriptors) {
        message.msg_control = control.bytes;
        // The exact length, so that the system refuses any further descriptors.
        message.msg_controllen = CMSG_LEN((size_t) capacity * sizeof *descriptors);
    }
    ssize_t count;
    do count = recvmsg(socket, &message, MSG_DONTWAIT | MSG_TRUNC | MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    if (count < 0) return -1;
    struct cmsghdr *header = message.msg_controllen ? CMSG_FIRSTHDR(&message) : NULL;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        memcpy(descriptors, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
    }
    if (count == 0) return 0;
    if (count == (ssize_t) part.iov_len) return 1;
    errno = EBADMSG;
    return -1;
}

static int actions_for(posix_spawn_file_actions_t *actions, int socket, int memory) {
    int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(actions, socket, cworker_socket);
    if (!error) error = posix_spawn_file_actions_adddup2(actions, memory, cworker_memory);
#if __GLIBC_PREREQ(2, 34)
    // Our own descriptors are closed on exec; those of other libraries may not be.
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, cworker_memory + 1);
#endif
    return error;
}

static int attributes_for(posix_spawnattr_t *attributes, pid_t group) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
    // Not the program's group: an interrupt from the terminal is for the program, which ends its workers when
    // it has finished with them.
    if (!error) error = posix_spawnattr_setpgroup(attributes, group);
    if (error) return error;
    return posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

// The prefixes of the variables that a worker inherits. Keys and tokens are not among them.
static const char *const passed[] = {
    "ASAN_", "GLIBC_", "GLIB_", "G_", "LANG", "LC_", "LD_", "LSAN_", "MALLOC_", "PATH=", "TMPDIR=", "TSAN_", "TZ=",
    "UBSAN_", "VIPS_", "VIPSHOME=",
};

// Printing a backtrace takes Swift seconds, during which the worker could not be replaced.
static char no_backtrace[] = "SWIFT_BACKTRACE=enable=no";

// libvips has some operations compiled that it does not run when its vector code is off.
static char no_compiler[] = "ORC_CODE=emulate";

static int is_passed(const char *variable) {
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        if (!strncmp(variable, passed[i], strlen(passed[i]))) return 1;
    }
    return 0;
}

// The caller frees the result; NULL if memory runs out.
static char **worker_environment(void) {
    size_t count = 0;
    while (environ && environ[count]) count++;
    char **variables = calloc(count + 3, sizeof *variables);
    if (!variables) return NULL;
    size_t used = 0;
    for (size_t i = 0; i < count && environ[i]; i++) {
        if (is_passed(environ[i])) variables[used++] = environ[i];
    }
    variables[used++] = no_backtrace;
    variables[used] = no_compiler;
    return variables;
}

int cworker_spawn(pid_t *process, const char *path, char *const *arguments, int socket, int memory, pid_t group) {
    // Above their final numbers, so that neither overwrites the other.
    int high_socket = fcntl(socket, F_DUPFD_CLOEXEC, cworker_memory + 1);
    int high_memory = fcntl(memory, F_DUPFD_CLOEXEC, cworker_memory + 1);
    int error = high_socket < 0 || high_memory < 0 ? errno : 0;
    char **environment = worker_environment();
    if (!error && !environment) error = ENOMEM;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    if (!error) error = actions_for(&actions, high_socket, high_memory);
    if (!error) error = attributes_for(&attributes, group);
    if (!error) error = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    if (high_socket >= 0) close(high_socket);
    if (high_memory >= 0) close(high_memory);
    return error;
}

// A folder has a link from itself, one from its name, and one from each folder in it.
static int has_one_thread(void) {
    struct stat threads;
    return !stat("/proc/self/task", &threads) && threads.st_nlink == 3;
}

// Such memory may contain code that a library compiles at run time, and children would overwrite each other's
// code.
static int has_writable_shared_memory(void) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps) return 1;
    char line[PATH_MAX + 128], access[5];
    int found = 0;
    while (!found && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%*x-%*x %4s", access) == 1) found = access[1] == 'w' && access[3] == 's';
    }
    fclose(maps);
    return found;
}

int cworker_can_fork(void) { return has_one_thread() && !has_writable_shared_memory(); }

static void close_from(int first) {
#if __GLIBC_PREREQ(2, 34)
    closefrom(first);
#else
    struct rlimit limit;
    rlim_t end = getrlimit(RLIMIT_NOFILE, &limit) ? 1024 : limit.rlim_cur;
    for (rlim_t descriptor = (rlim_t) first; descriptor < end; descriptor++) close((int) descriptor);
#endif
}

pid_t cworker_fork(int socket, int memory) {
    pid_t parent = getpid();
    pid_t process = fork();
    if (process != 0) return process;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have ended before this call.
    if (getppid() != parent) _exit(1);
    signal(SIGCHLD, SIG_DFL);
    // Both descriptors have higher numbers, because these two are in use.
    if (dup2(socket, cworker_socket) < 0 || dup2(memory, cworker_memory) < 0) _exit(1);
    for (int descriptor = cworker_memory + 1; descriptor < csandbox_first_kept; descriptor++) close(descriptor);
    close_from(csandbox_first_kept + csandbox_kept());
    return 0;
}

static int ends = -1;

static void count_end(int signal) {
    (void) signal;
    int saved = errno;
    uint64_t one = 1;
    ssize_t written = write(ends, &one, sizeof one);
    (void) written;
    errno = saved;
}

// A handler instead of a signal descriptor: the signal may go to any existing thread.
int cworker_watch_children(void) {
    struct sigaction action = {.sa_handler = count_end, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
    ends = calotype_eventfd_create();
    return ends < 0 || sigaction(SIGCHLD, &action, NULL) ? -1 : ends;
}

// How a process ended, from the result of waitpid(2).
static int signal_of(int result, int *status) {
    *status = WIFSIGNALED(result) ? 0 : WEXITSTATUS(result);
    return WIFSIGNALED(result) ? WTERMSIG(result) : 0;
}

pid_t cworker_reap(int watch, int *signal, int *status) {
    uint64_t news;
    ssize_t count = read(watch, &news, sizeof news);
    (void) count;
    int result = 0;
    pid_t process = waitpid(-1, &result, WNOHANG);
    if (process <= 0) return 0;
    *signal = signal_of(result, status);
    return process;
}

int cworker_kill_group(pid_t process) { return kill(-process, SIGKILL); }

int cworker_kill(pid_t process) { return kill(process, SIGKILL); }

int cworker_wait(pid_t process, int *status) {
    int result = 0;
    *status = 0;
    while (waitpid(process, &result, 0) < 0) {
        // Another caller has reaped the process, so its end is unknown.
        if (errno != EINTR) return 0;
    }
    // The first process of a system, or of a container, inherits processes whose parent has ended.
    while (waitpid(-process, NULL, 0) > 0 || errno == EINTR) {}
    return signal_of(result, status);
}

const char *cworker_signal_name(int signal) {
#if __GLIBC_PREREQ(2, 32)
    return sigabbrev_np(signal);
#else
    return NULL;
#endif
}

static void lower(__rlimit_resource_t resource, rlim_t most) {
    struct rlimit limit;
    if (getrlimit(resource, &limit)) return;
    if (limit.rlim_max > most) limit.rlim_max = most;
    if (limit.rlim_cur > most) limit.rlim_cur = most;
    setrlimit(resource, &limit);
}

// 0 to 1,000: how early the system ends this process when it needs memory, compared with others of its size.
static const char likely_victim[] = "500";

void cworker_begin(const char *name) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    cworker_name(name);
    lower(RLIMIT_CORE, 0);
}

void cworker_name(const char *name) { prctl(PR_SET_NAME, name); }

// A sanitizer reports on standard error.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

// What the system says about the size of this process; -1 if it says nothing.
static int sizes = -1;

void cworker_confine(int keeps_errors) {
    lower(RLIMIT_NOFILE, csandbox_first_kept);
    signal(SIGXFSZ, SIG_IGN);
    // Standard output is on /dev/null.
    if (!keeps_errors && !IS_SANITIZED) dup2(STDOUT_FILENO, STDERR_FILENO);
    sizes = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    int victim = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (victim >= 0) {
        ssize_t written = write(victim, likely_victim, sizeof likely_victim - 1);
        (void) written;
        close(victim);
    }
}

// The current bytes of heap and stacks, as RLIMIT_DATA counts them.
static uint64_t data_bytes(void) {
    char text[128];
    ssize_t length = pread(sizes, text, sizeof text - 1, 0);
    if (length <= 0) return 0;
    text[length] = 0;
    unsigned long long pages = 0;
    int count = sscanf(text, "%*u %*u %*u %*u %*u %llu", &pages);
    return count == 1 ? pages * (uint64_t) getpagesize() : 0;
}

// The seconds that all threads of this process have computed.
static uint64_t computed_seconds(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t) time.tv_sec;
}

static int limit(__rlimit_resource_t resource, uint64_t most) {
    struct rlimit limit;
    if (getrlimit(resource, &limit)) return -1;
    limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
    return setrlimit(resource, &limit);
}

int cworker_limit(uint64_t heap, uint64_t file, uint64_t seconds) {
    uint64_t data = data_bytes();
    uint64_t most = heap > UINT64_MAX - data ? UINT64_MAX : data + heap;
    int status = limit(RLIMIT_DATA, most) | limit(RLIMIT_FSIZE, file);
    return status | limit(RLIMIT_CPU, computed_seconds() + 1 + seconds);
}

int cworker_is_socket(int descriptor) {
    int type = 0;
    socklen_t length = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length)) return 0;
    return type == SOCK_SEQPACKET;
}
#endif
