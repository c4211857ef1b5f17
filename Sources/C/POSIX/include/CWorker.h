// The functions of Linux and POSIX for worker processes that Swift cannot call: variadic calls, macros,
// constants that Glibc's Swift module omits, and messages with descriptors.
//
// Functions that return an int return -1 on failure and set errno, unless they say otherwise.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    /// The number of 64-bit words of a message.
    cworker_words = 4,
    /// The descriptors that a worker finds when it starts: its socket, and the memory that it shares.
    cworker_socket = 3,
    cworker_memory = 4,
    /// The maximum number of descriptors in a message.
    cworker_descriptors = 3,
};

/// Creates two connected sockets that keep messages apart, closed on exec.
int cworker_make_sockets(int sockets[2]);

/// Creates a file of unnamed memory that cannot be sealed, closed on exec.
int cworker_make_memory(const char *name);

/// Sends a message with `count` descriptors. Never waits, and never raises SIGPIPE.
int cworker_send(int socket, const uint64_t *words, const int *descriptors, int count);

/// Sends a message from a worker, which may not use the calls of sockets. Waits for room; raises SIGPIPE if
/// nobody can receive it.
int cworker_respond(int socket, const uint64_t *words);

/// Receives the next message without waiting. `descriptors` receives up to `capacity` descriptors from it,
/// and -1 for each missing one; the system refuses further ones. Returns 1 for a message, 0 at the end of the
/// connection, and -1 with EAGAIN if there is none, or with EBADMSG if the message has another length.
int cworker_receive(int socket, uint64_t *words, int *descriptors, int capacity);

/// Starts `path` in the process group `group`, or in a new group for 0. The process has no blocked or ignored
/// signals, standard input and output on /dev/null, `socket` and `memory` under the numbers above, and
/// otherwise only standard error. Of the environment it inherits the variables that libraries and the linker
/// read, and no secrets. Returns 0 or an error number.
int cworker_spawn(pid_t *process, const char *path, char *const *arguments, int socket, int memory, pid_t group);

/// Whether a child would work like this process: this process has one thread, and no shared memory that both
/// would write to.
int cworker_can_fork(void);

/// Forks. The child has `socket` and `memory` under the numbers above, the standard descriptors and the kept files,
/// no others, and ends with this process. Returns the child, and 0 in the child.
pid_t cworker_fork(int socket, int memory);

/// Creates a descriptor that poll(2) waits for, readable when a child has ended; closed on exec. Call it
/// once.
int cworker_watch_children(void);

/// Clears the descriptor, and reaps a child that has not been reported. Returns the child, with the signal
/// that ended it, or 0 and its status; 0 if no child has ended.
pid_t cworker_reap(int watch, int *signal, int *status);

/// Kills the group of a process that leads it and has not been reaped yet.
int cworker_kill_group(pid_t process);

/// Kills a child that has not been reaped yet.
int cworker_kill(pid_t process);

/// Waits for the end of a process, and for those of its group that this process has inherited. Returns the
/// signal that ended it, or 0 if it ended by itself, with its status in `status`.
int cworker_wait(pid_t process, int *status);

/// The abbreviation of a signal, such as SEGV; NULL for an invalid number.
const char *cworker_signal_name(int signal);

/// The first step of a process for decoding: it dies with the thread that started it, writes no core dump and
/// gains no privileges.
void cworker_begin(const char *name);

/// Gives the process its name.
void cworker_name(const char *name);

/// The worker's first step: it limits its descriptors, leaves standard error unless it `keeps_errors`, and
/// is the first to be killed when memory runs out.
void cworker_confine(int keeps_errors);

/// Limits the further growth of the worker's heap to `heap` bytes, files to `file` bytes, and the time that
/// its threads compute from now on to `seconds`.
int cworker_limit(uint64_t heap, uint64_t file, uint64_t seconds);

/// Whether `descriptor` is a socket of the kind that cworker_make_sockets makes.
int cworker_is_socket(int descriptor);
