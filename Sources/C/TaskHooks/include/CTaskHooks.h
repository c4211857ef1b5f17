// Takes jobs from Swift's concurrency runtime, and time from the C library, on one thread.
//
// Before the runtime runs a job on its own pool, on the main thread, or later, it offers the job to a hook:
// see swift/Runtime/Concurrency.h and stdlib/public/Concurrency/GlobalExecutor.cpp of Swift 6.3.
#ifndef CTASKHOOKS_H
#define CTASKHOOKS_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// The functions called for each job, on any thread; one that returns false leaves the job to the runtime.
struct CTaskHooks {
    bool (*_Nonnull pool)(void *job);
    bool (*_Nonnull main)(void *job);
    // `time` is the time for the job in nanoseconds on the thread's clock.
    bool (*_Nonnull later)(int64_t time, void *job);
};

// Installs the functions as the runtime's hooks, once per process; false if this runtime has no such hooks.
bool CTaskHooksInstall(struct CTaskHooks hooks);

// Stops the clocks of the calling thread at `time` nanoseconds, for clock_gettime and so for Swift's clocks.
// A negative time lets them run again.
void CTaskHooksSetTime(int64_t time);

// Whether the clocks of the calling thread are stopped; if so, it is the thread of a schedule.
bool CTaskHooksIsScheduled(void);

// The task that runs on the calling thread, or NULL, and its name, or NULL.
void *_Nullable CTaskHooksTask(void);
const char *_Nullable CTaskHooksTaskName(void);

// Whether the job belongs to a task, rather than to an actor.
bool CTaskHooksIsTask(void *job);

// The task's number, which is unique in the process.
uint64_t CTaskHooksTaskID(void *job);

// Writes the functions of this program where the task will continue, innermost first. Returns their number,
// at most `count`.
int CTaskHooksResumptions(void *job, uintptr_t *functions, int count);

// The address where this program starts in memory.
uintptr_t CTaskHooksProgram(void);

// Returns Swift's name for the symbol, in memory that the caller frees, or NULL.
char *_Nullable CTaskHooksDemangled(const char *symbol);

#pragma clang assume_nonnull end
#endif
