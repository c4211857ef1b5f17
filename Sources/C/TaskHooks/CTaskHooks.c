#define _GNU_SOURCE
#include "CTaskHooks.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#define SWIFT_CALL __attribute__((swiftcall))

typedef SWIFT_CALL void (*Original)(void *job);
typedef SWIFT_CALL void (*OriginalDelay)(unsigned long long delay, void *job);
typedef SWIFT_CALL void (*OriginalDeadline)(
    long long seconds, long long nanoseconds, long long toleranceSeconds, long long toleranceNanoseconds, int clock, void *job);

// The next function with that name, which this file replaces.
#define NEXT(real, name) ({ \
    __typeof__(real) found = __atomic_load_n(&real, __ATOMIC_RELAXED); \
    if (found == NULL) __atomic_store_n(&real, found = (__typeof__(real))dlsym(RTLD_NEXT, name), __ATOMIC_RELAXED); \
    found; \
})

enum { nanosecondsPerSecond = 1000000000 };

static struct CTaskHooks taken;
static _Thread_local int64_t standing = -1;

static SWIFT_CALL void pool(void *job, Original original) {
    if (!taken.pool(job)) original(job);
}

static SWIFT_CALL void mainExecutor(void *job, Original original) {
    if (!taken.main(job)) original(job);
}

static SWIFT_CALL void delayed(unsigned long long delay, void *job, OriginalDelay original) {
    int64_t time = standing < 0 ? 0 : standing;
    if (__builtin_add_overflow(time, delay, &time)) time = INT64_MAX;
    if (!taken.later(time, job)) original(delay, job);
}

static SWIFT_CALL void until(
    long long seconds, long long nanoseconds, long long toleranceSeconds, long long toleranceNanoseconds, int clock, void *job,
    OriginalDeadline original
) {
    int64_t time;
    if (__builtin_mul_overflow(seconds, (int64_t)nanosecondsPerSecond, &time) || __builtin_add_overflow(time, nanoseconds, &time)) {
        time = INT64_MAX;
    }
    if (!taken.later(time, job)) original(seconds, nanoseconds, toleranceSeconds, toleranceNanoseconds, clock, job);
}

static bool place(const char *name, void *function) {
    void **hook = dlsym(RTLD_DEFAULT, name);
    if (hook != NULL) *hook = function;
    return hook != NULL;
}

bool CTaskHooksInstall(struct CTaskHooks hooks) {
    taken = hooks;
    return place("swift_task_enqueueGlobal_hook", (void *)pool)
        && place("swift_task_enqueueMainExecutor_hook", (void *)mainExecutor)
        && place("swift_task_enqueueGlobalWithDelay_hook", (void *)delayed)
        && place("swift_task_enqueueGlobalWithDeadline_hook", (void *)until);
}

void CTaskHooksSetTime(int64_t time) {
    standing = time;
}

bool CTaskHooksIsScheduled(void) {
    return standing >= 0;
}

// Replaces the C library's function. On the thread of a schedule every clock shows the schedule's time; other
// threads get the real time.
int clock_gettime(clockid_t clock, struct timespec *time) {
    if (standing < 0) {
        static int (*real)(clockid_t, struct timespec *);
        return NEXT(real, "clock_gettime")(clock, time);
    }
    time->tv_sec = standing / nanosecondsPerSecond;
    time->tv_nsec = standing % nanosecondsPerSecond;
    return 0;
}

// Whether the function belongs to Swift's concurrency runtime; if so, its context is a job.
static bool isOfRuntime(void (*work)(void *)) {
    Dl_info found, runtime;
    void *known = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal");
    return known != NULL && dladdr((void *)work, &found) != 0 && dladdr(known, &runtime) != 0
        && found.dli_fbase == runtime.dli_fbase;
}

// Replace libdispatch's functions, because Swift 6.3's runtime bypasses its own hooks when it wakes sleeping
// tasks, passes jobs to the main thread, and runs those that prefer globalConcurrentExecutor. They are weak,
// for programs that contain libdispatch themselves.
__attribute__((weak)) void dispatch_after_f(uint64_t when, void *queue, void *context, void (*work)(void *)) {
    // The upper bits identify the clock; all clocks show the same time here.
    const uint64_t value = when & (UINT64_MAX >> 1);
    const int64_t time = value > INT64_MAX / 2 ? INT64_MAX : (int64_t)value;
    if (standing >= 0 && isOfRuntime(work) && taken.later(time, context)) return;
    static void (*real)(uint64_t, void *, void *, void (*)(void *));
    NEXT(real, "dispatch_after_f")(when, queue, context, work);
}

extern char _dispatch_main_q __attribute__((weak));

__attribute__((weak)) void dispatch_async_f(void *queue, void *context, void (*work)(void *)) {
    if (standing >= 0 && isOfRuntime(work) && (queue == &_dispatch_main_q ? taken.main : taken.pool)(context)) return;
    static void (*real)(void *, void *, void (*)(void *));
    NEXT(real, "dispatch_async_f")(queue, context, work);
}

void *CTaskHooksTask(void) {
    static SWIFT_CALL void *(*current)(void);
    if (current == NULL) current = (SWIFT_CALL void *(*)(void))dlsym(RTLD_DEFAULT, "swift_task_getCurrent");
    return current == NULL ? NULL : current();
}

const char *CTaskHooksTaskName(void) {
    static SWIFT_CALL const char *(*name)(void);
    if (name == NULL) name = (SWIFT_CALL const char *(*)(void))dlsym(RTLD_DEFAULT, "swift_task_getCurrentTaskName");
    return name == NULL ? NULL : name();
}

uint64_t CTaskHooksTaskID(void *job) {
    static SWIFT_CALL uint64_t (*number)(void *);
    if (number == NULL) number = (SWIFT_CALL uint64_t (*)(void *))dlsym(RTLD_DEFAULT, "swift_task_getJobTaskId");
    return number == NULL ? (uint64_t)(uintptr_t)job : number(job);
}

// The fields of a job, from include/swift/ABI/Task.h: a heap object's header, two words of the executor,
// flags and number, two reserved words, and the function. The lowest byte of the flags is the kind, 0 for
// tasks.
bool CTaskHooksIsTask(void *job) {
    return *((const unsigned char *)job + 4 * sizeof(void *)) == 0;
}

#if defined(__ELF__)
// The range of this program's own functions, from the linker.
extern const char __executable_start, etext;
#else
// Stories of schedules name no functions here.
static const char __executable_start = 0, etext = 0;
#endif

static bool isOurs(uintptr_t address) {
    return address >= (uintptr_t)&__executable_start && address < (uintptr_t)&etext;
}

// A context starts with its parent and the function that continues there: struct AsyncContext in the same
// header.
int CTaskHooksResumptions(void *job, uintptr_t *functions, int count) {
    enum { calls = 24 };
    uintptr_t function;
    const uintptr_t *context;
    memcpy(&function, (const char *)job + 7 * sizeof(void *), sizeof function);
    memcpy(&context, (const char *)job + 8 * sizeof(void *), sizeof context);
    int found = 0;
    for (int call = 0; call < calls && found < count; call++) {
        if (isOurs(function)) functions[found++] = function;
        if (context == NULL) break;
        function = context[1];
        context = (const uintptr_t *)context[0];
    }
    return found;
}

uintptr_t CTaskHooksProgram(void) {
    return (uintptr_t)&__executable_start;
}

char *CTaskHooksDemangled(const char *symbol) {
    static char *(*demangle)(const char *, size_t, char *, size_t *, uint32_t);
    if (demangle == NULL) demangle = (char *(*)(const char *, size_t, char *, size_t *, uint32_t))dlsym(RTLD_DEFAULT, "swift_demangle");
    return demangle == NULL ? NULL : demangle(symbol, strlen(symbol), NULL, NULL, 0);
}
