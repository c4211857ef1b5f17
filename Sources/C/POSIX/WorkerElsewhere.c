// Worker processes need parts of Linux that macOS does not have: packets between processes, memory without a name,
// children that end with their parent. There, decoders run in this process (`isolation` none).
#if !defined(__linux__)
#include "CWorker.h"
#include <errno.h>

#pragma clang diagnostic ignored "-Wunused-parameter"

static int missing(void) {
    errno = ENOTSUP;
    return -1;
}

int cworker_make_sockets(int sockets[2]) { return missing(); }
int cworker_make_memory(const char *name) { return missing(); }
int cworker_send(int socket, const uint64_t *words, const int *descriptors, int count) { return missing(); }
int cworker_receive(int socket, uint64_t *words, int *descriptors, int capacity) { return missing(); }
int cworker_spawn(pid_t *process, const char *path, char *const *arguments, int socket, int memory, pid_t group) { return ENOTSUP; }
int cworker_can_fork(void) { return 0; }
pid_t cworker_fork(int socket, int memory) { return missing(); }
int cworker_watch_children(void) { return missing(); }
pid_t cworker_reap(int watch, int *signal, int *status) { return missing(); }
int cworker_kill_group(pid_t process) { return missing(); }
int cworker_kill(pid_t process) { return missing(); }
int cworker_wait(pid_t process, int *status) { return missing(); }
const char *cworker_signal_name(int signal) { return 0; }
void cworker_begin(const char *name) {}
void cworker_name(const char *name) {}
void cworker_confine(void) {}
int cworker_limit(uint64_t heap, uint64_t file) { return missing(); }
int cworker_is_socket(int descriptor) { return 0; }
#endif
