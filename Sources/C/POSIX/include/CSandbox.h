// The rights that a decoding process drops before it reads the first byte of an image.
#pragma once

#include <stdint.h>

enum {
    /// Landlock: no file can be opened, and nothing outside the process reached.
    csandbox_landlock = 1,
    /// The filter for system calls (seccomp).
    csandbox_filter = 2,
};

/// The parts of the sandbox that this build and this system offer. No privilege is needed for any.
int csandbox_offered(void);

enum {
    /// The numbers of kept files begin here; a process in the sandbox opens others below.
    csandbox_first_kept = 64,
    /// The maximum number of kept files.
    csandbox_most_kept = 256,
};

/// Keeps a file open, so that this process and those that it forks can still open it to read in the sandbox: the
/// filter's signal handler answers such a call with a duplicate of the descriptor. Returns 0, or -1 if the file cannot be
/// opened, or too many are kept. Call it with one thread.
int csandbox_keep(const char *path);

/// The number of kept files, which have consecutive descriptors.
int csandbox_kept(void);

/// Drops all rights but computing, reading and writing open descriptors, and threads. A call that is not
/// allowed ends the process with SIGSYS, and if `names` is not 0, it first writes the call's name to standard
/// error. Returns the parts that hold.
///
/// Call it with one thread: Landlock does not apply to others.
int csandbox_enter(int names);
