// Takes jobs away from Swift's concurrency runtime, and time from the C library, on one thread.
//
// The runtime offers each job that is to run on its own pool, on the main thread, or later, to a hook before it acts:
// swift/Runtime/Concurrency.h and stdlib/public/Concurrency/GlobalExecutor.cpp of Swift 6.3.
#ifndef CTASKHOOKS_H
#define CTASKHOOKS_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// What is asked about each job, on any thread; a function that returns false leaves the job to the runtime.
struct CTaskHooks {
    bool (*_Nonnull pool)(void *job);
    bool (*_Nonnull main)(void *job);
    // `time` is when the job is to run, in nanoseconds on the thread's clock.
    bool (*_Nonnull later)(int64_t time, void *job);
};

// Puts the functions in the runtime's way, once in the life of a process; false if this runtime has no such hooks.
bool CTaskHooksInstall(struct CTaskHooks hooks);

// Lets the clocks of the calling thread stand at `time` nanoseconds, for clock_gettime and so for Swift's clocks.
// Negative: lets them go again.
void CTaskHooksSetTime(int64_t time);

// Whether time stands still on the calling thread, which is the thread of a schedule then.
bool CTaskHooksIsScheduled(void);

// The task that runs on the calling thread, or NULL, and its name, or NULL.
void *_Nullable CTaskHooksTask(void);
const char *_Nullable CTaskHooksTaskName(void);

// Whether the job is a task's, and not an actor's own.
bool CTaskHooksIsTask(void *job);

// A number that no other task of the process has.
uint64_t CTaskHooksTaskID(void *job);

// Writes where the task will go on: the functions of this program, the innermost first, and returns how many, `count` at most.
int CTaskHooksResumptions(void *job, uintptr_t *functions, int count);

// Where this program begins in memory.
uintptr_t CTaskHooksProgram(void);

// Returns what Swift calls the symbol, in memory that the caller frees, or NULL.
char *_Nullable CTaskHooksDemangled(const char *symbol);

#pragma clang assume_nonnull end
#endif
