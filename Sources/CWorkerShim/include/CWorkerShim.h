// What Swift cannot call of Linux and POSIX to run worker processes: variadic calls, macros, constants that Glibc's
// Swift module leaves out, and messages with descriptors.
//
// Functions that return an int give -1 on failure and set errno, unless they say otherwise.
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
};

/// Makes two connected sockets that keep messages apart, closed on exec.
int cworker_make_sockets(int sockets[2]);

/// Makes a file of unnamed memory that nobody can seal, closed on exec.
int cworker_make_memory(const char *name);

/// Makes a counter that poll(2) waits for, non-blocking and closed on exec.
int cworker_make_event(void);

/// Sends a message, with `descriptor` unless that is -1. Never raises SIGPIPE.
int cworker_send(int socket, const uint64_t *words, int descriptor);

/// Takes the next message without waiting. `descriptor` receives the one that came with it, or -1; where it is NULL,
/// descriptors are refused. Returns 1 for a message, 0 at the end of the connection, -1 with EAGAIN where none is there,
/// with EBADMSG where the message is of another length.
int cworker_receive(int socket, uint64_t *words, int *descriptor);

/// Starts `path` in a process group of its own: no signal blocked or ignored, standard input and output on /dev/null,
/// `socket` and `memory` under the numbers above, and no other descriptor but standard error; of the environment what
/// libraries and the linker read, and no secrets. Returns 0 or an error number.
int cworker_spawn(pid_t *process, const char *path, char *const *arguments, int socket, int memory);

/// Kills the process; it has not been waited for yet.
int cworker_kill(pid_t process);

/// Waits for the end of a process. Returns the signal that ended it, 0 where it ended by itself, with its status in `status`.
int cworker_wait(pid_t process, int *status);

/// The abbreviation of a signal, such as SEGV; NULL for a number that is none.
const char *cworker_signal_name(int signal);

/// The worker's first step: it dies with the thread that started it, has no core dump and few descriptors, is the first
/// to go when memory runs out, and gains no privileges.
void cworker_confine(const char *name);

/// Lets the worker's heap grow by `heap` bytes from here on, and files by none beyond `file` bytes.
int cworker_limit(uint64_t heap, uint64_t file);

/// Whether `descriptor` is a socket of the kind that cworker_make_sockets makes.
int cworker_is_socket(int descriptor);
