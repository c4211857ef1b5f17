// Attempts to leave the sandbox of a worker, from inside it.
#pragma once

// The number of attempts.
int escapes_count(void);
// What an attempt tries; NULL if this processor has nothing like it.
const char *escapes_name(int attempt);

enum {
    // The exit codes of `escapes_try`.
    escapes_succeeded = 42,
    escapes_failed = 43,
};
// Makes an attempt, and exits with a code above, unless the attempt ends the process.
_Noreturn void escapes_try(int attempt);
