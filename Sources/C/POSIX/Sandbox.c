#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// A sanitizer makes calls of its own, and its report must reach standard error.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

static char *kept_paths[csandbox_most_kept];
static int kept_count;

// The descriptor of the kept file at `path`; -1 if there is none.
static int kept(const char *path) {
    for (int i = 0; i < kept_count; i++) {
        if (!strcmp(kept_paths[i], path)) return csandbox_first_kept + i;
    }
    return -1;
}

int csandbox_keep(const char *path) {
    if (kept(path) >= 0) return 0;
    if (kept_count == csandbox_most_kept) return -1;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    int number = csandbox_first_kept + kept_count;
    char *copy = strdup(path);
    int status = copy ? dup3(file, number, O_CLOEXEC) : -1;
    close(file);
    if (status < 0) {
        free(copy);
        return -1;
    }
    kept_paths[kept_count++] = copy;
    return 0;
}

int csandbox_kept(void) { return kept_count; }

#if defined(ARCHITECTURE) && !defined(IS_SANITIZED)

// Numbers that the headers of older systems lack; these are the same everywhere.
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self 446
#endif

// MARK: Landlock

// From <linux/landlock.h>, of which older systems have an older version.
struct landlock_rules {
    uint64_t files, network, scopes;
};

static int landlock_version(void) { return (int) syscall(SYS_landlock_create_ruleset, NULL, 0, 1u); }

// Handles all that this version knows, and allows nothing.
static int enter_landlock(void) {
    int version = landlock_version();
    if (version < 1) return 0;
    struct landlock_rules rules = {.files = (1u << 13) - 1};
    if (version >= 2) rules.files |= 1u << 13; // linking and renaming between folders
    if (version >= 3) rules.files |= 1u << 14; // truncating
    if (version >= 4) rules.network = 3; // TCP
    if (version >= 5) rules.files |= 1u << 15; // ioctl
    if (version >= 6) rules.scopes = 3; // abstract sockets, signals
    // Systems with an older version read the beginning of the structure, and check that the rest is zero.
    int descriptor = (int) syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0u);
    if (descriptor < 0) return 0;
    int failed = syscall(SYS_landlock_restrict_self, descriptor, 0u) != 0;
    close(descriptor);
    return failed ? 0 : csandbox_landlock;
}

// MARK: The filter

static const int allowed[] = {
    SYS_futex, SYS_madvise, SYS_munmap, SYS_brk, SYS_mremap, SYS_read, SYS_pread64, SYS_write, SYS_pwrite64, SYS_lseek,
    SYS_fstat, SYS_close, SYS_dup, SYS_ppoll, SYS_recvmsg, SYS_exit, SYS_exit_group, SYS_rt_sigprocmask,
    SYS_rt_sigreturn, SYS_rt_sigaction, SYS_sigaltstack, SYS_set_robust_list, SYS_rseq, SYS_gettid, SYS_getpid,
    SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_sched_yield, SYS_sched_getaffinity, SYS_getrandom, SYS_getcpu,
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_restart_syscall,
    SYS_membarrier, SYS_getrusage, SYS_sysinfo, SYS_times, SYS_fadvise64, SYS_readv, SYS_preadv,
#ifdef SYS_poll
    SYS_poll, SYS_time,
#endif
};

// The signal handler answers these calls.
static const int answered[] = {
    SYS_openat, SYS_newfstatat, SYS_faccessat, SYS_faccessat2,
#ifdef SYS_open
    SYS_open, SYS_stat, SYS_lstat, SYS_access,
#endif
};

// Libraries look for files, devices and settings, and go on without them.
static const int denied[] = {
    SYS_openat2, SYS_statx, SYS_statfs, SYS_fstatfs,
    SYS_readlinkat, SYS_unlinkat, SYS_getcwd, SYS_getdents64, SYS_ioctl, SYS_getpeername, SYS_getsockname,
    SYS_sched_getattr, SYS_sched_setattr, SYS_sched_getparam, SYS_sched_getscheduler, SYS_sched_setscheduler,
    SYS_sched_setaffinity, SYS_get_mempolicy, SYS_set_mempolicy, SYS_mbind, SYS_uname,
#ifdef SYS_open
    SYS_readlink, SYS_unlink, SYS_getdents,
#endif
};

enum { CAPACITY = 512 };

struct program {
    struct sock_filter code[CAPACITY];
    unsigned short length;
    // What happens to a call that no image needs.
    uint32_t refusal;
};

static void add(struct program *program, uint16_t code, uint32_t operand, uint8_t if_true, uint8_t if_false) {
    if (program->length == CAPACITY) return;
    program->code[program->length++] = (struct sock_filter) BPF_JUMP(code, operand, if_true, if_false);
}

static void load(struct program *program, size_t offset) {
    add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t) offset, 0, 0);
}

// The lower half of an argument: both architectures are little-endian.
static void load_argument(struct program *program, int index) {
    load(program, offsetof(struct seccomp_data, args) + (size_t) index * 8);
}

static void end(struct program *program, uint32_t action) { add(program, BPF_RET | BPF_K, action, 0, 0); }

static void end_with_error(struct program *program, int code) { end(program, SECCOMP_RET_ERRNO | (uint32_t) code); }

// Ends with `action` if the loaded word is `value`.
static void end_if_equal(struct program *program, uint32_t value, uint32_t action) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    end(program, action);
}

// Ends with `action` if the loaded word has one of `bits`.
static void end_if_any(struct program *program, uint32_t bits, uint32_t action) {
    add(program, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    end(program, action);
}

// Begins the rules for one call, which must end in all cases. Returns the place to pass to `end_rules`.
static unsigned short begin_rules(struct program *program, long number) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t) number, 0, 0);
    return program->length;
}

static void end_rules(struct program *program, unsigned short start) {
    program->code[start - 1].jf = (uint8_t) (program->length - start);
}

static void add_architecture(struct program *program) {
    load(program, offsetof(struct seccomp_data, arch));
    add(program, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    end(program, program->refusal);
    load(program, offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
    // The same calls under other numbers (x32).
    add(program, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    end(program, program->refusal);
#endif
}

// Memory of its own, or of an open file to read, and none that can be executed.
static void add_memory(struct program *program) {
    unsigned short rules = begin_rules(program, SYS_mmap);
    load_argument(program, 2);
    end_if_any(program, PROT_EXEC, SECCOMP_RET_ERRNO | EPERM);
    load_argument(program, 3);
    add(program, BPF_ALU | BPF_AND | BPF_K, MAP_TYPE, 0, 0);
    end_if_equal(program, MAP_PRIVATE, SECCOMP_RET_ALLOW);
    load_argument(program, 3);
    end_if_any(program, MAP_ANONYMOUS, program->refusal);
    load_argument(program, 2);
    end_if_any(program, PROT_WRITE, program->refusal);
    end(program, SECCOMP_RET_ALLOW);
    end_rules(program, rules);

    rules = begin_rules(program, SYS_mprotect);
    load_argument(program, 2);
    end_if_any(program, PROT_EXEC, program->refusal);
    end(program, SECCOMP_RET_ALLOW);
    end_rules(program, rules);
}

// Threads, but no processes. The flags of clone3 are in memory, which a filter cannot read.
static void add_threads(struct program *program) {
    end_if_equal(program, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    unsigned short rules = begin_rules(program, SYS_clone);
    load(program, offsetof(struct seccomp_data, args) + 4);
    add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
    end(program, program->refusal);
    load_argument(program, 0);
    end_if_equal(
        program,
        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |
            CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
        SECCOMP_RET_ALLOW);
    end(program, program->refusal);
    end_rules(program, rules);
}

// Calls that concern this process, and could concern others.
static void add_own(struct program *program) {
    unsigned short rules = begin_rules(program, SYS_tgkill);
    load_argument(program, 0);
    end_if_equal(program, (uint32_t) getpid(), SECCOMP_RET_ALLOW);
    end(program, program->refusal);
    end_rules(program, rules);

    rules = begin_rules(program, SYS_prlimit64);
    load_argument(program, 0);
    end_if_equal(program, 0, SECCOMP_RET_ALLOW);
    end(program, program->refusal);
    end_rules(program, rules);

    rules = begin_rules(program, SYS_prctl);
    load_argument(program, 0);
    end_if_equal(program, PR_SET_NAME, SECCOMP_RET_ALLOW);
    // glibc and others name their memory, if the system lets them.
    end_with_error(program, EPERM);
    end_rules(program, rules);

    rules = begin_rules(program, SYS_fcntl);
    load_argument(program, 1);
    end_if_equal(program, F_GETFD, SECCOMP_RET_ALLOW);
    end_if_equal(program, F_GETFL, SECCOMP_RET_ALLOW);
    end_if_equal(program, F_DUPFD_CLOEXEC, SECCOMP_RET_ALLOW);
    end_with_error(program, EPERM);
    end_rules(program, rules);
}

static void add_rest(struct program *program) {
    for (size_t i = 0; i < sizeof answered / sizeof *answered; i++) {
        end_if_equal(program, (uint32_t) answered[i], SECCOMP_RET_TRAP);
    }
    for (size_t i = 0; i < sizeof denied / sizeof *denied; i++) {
        end_if_equal(program, (uint32_t) denied[i], SECCOMP_RET_ERRNO | EACCES);
    }
    // A newer C library tries newer calls first, and does without them.
    add(program, BPF_JMP | BPF_JGT | BPF_K, SYS_landlock_restrict_self, 0, 1);
    end_with_error(program, ENOSYS);
    end(program, program->refusal);
}

// MARK: Names, for tests

#define NAMED(call) {SYS_##call, #call},

static const struct {
    long number;
    const char *name;
} names[] = {
    NAMED(socket) NAMED(connect) NAMED(bind) NAMED(sendto) NAMED(sendmsg) NAMED(recvfrom) NAMED(socketpair)
    NAMED(getsockopt) NAMED(setsockopt) NAMED(shutdown) NAMED(clone) NAMED(execve) NAMED(kill) NAMED(tgkill)
    NAMED(ptrace) NAMED(process_vm_readv) NAMED(mmap) NAMED(mprotect) NAMED(msync) NAMED(mlock) NAMED(mincore)
    NAMED(memfd_create) NAMED(ftruncate) NAMED(fallocate) NAMED(pipe2) NAMED(eventfd2) NAMED(epoll_create1)
    NAMED(dup3) NAMED(fsync) NAMED(writev) NAMED(umask) NAMED(renameat2) NAMED(mkdirat) NAMED(timerfd_create)
    NAMED(timer_create) NAMED(setitimer) NAMED(rt_sigtimedwait) NAMED(rt_sigsuspend) NAMED(wait4) NAMED(waitid)
    NAMED(getpriority) NAMED(setpriority) NAMED(getppid) NAMED(getpgid) NAMED(getsid) NAMED(capget) NAMED(set_tid_address)
    NAMED(get_robust_list) NAMED(prlimit64) NAMED(io_uring_setup) NAMED(pidfd_open) NAMED(sched_get_priority_max)
    NAMED(sched_get_priority_min)
#ifdef SYS_pipe
    NAMED(pipe) NAMED(dup2) NAMED(fork) NAMED(vfork) NAMED(rename) NAMED(mkdir) NAMED(select) NAMED(alarm) NAMED(arch_prctl)
#endif
};

static int names_refusals;

static void name_call(int number) {
    const char *name = "?";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].number == number) name = names[i].name;
    }
    char line[128];
    int length = snprintf(line, sizeof line, "the sandbox refuses the system call %d (%s)\n", number, name);
    ssize_t written = write(STDERR_FILENO, line, (size_t) length);
    (void) written;
}

// MARK: Kept files

// A descriptor of its own for a kept file, which is read from the start.
static long open_kept(const char *path, int flags) {
    int file = flags & (O_ACCMODE | O_CREAT | O_TRUNC) ? -1 : kept(path);
    if (file < 0) return -EACCES;
    int opened = fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (opened < 0) return -errno;
    lseek(opened, 0, SEEK_SET);
    return opened;
}

static long look_at(int file, struct stat *status) {
    if (file < 0) return -EACCES;
    return syscall(SYS_fstat, file, status) ? -errno : 0;
}

// The result of one of the calls in `answered`. Its arguments are this process's own, so it can deceive only itself.
static long answer(int number, const unsigned long *arguments) {
    const char *first = (const char *) arguments[0], *second = (const char *) arguments[1];
    switch (number) {
    case SYS_openat: return open_kept(second, (int) arguments[2]);
    case SYS_newfstatat:
        // This is how newer C libraries look at an open file.
        if (arguments[3] & AT_EMPTY_PATH && !*second) return look_at((int) arguments[0], (struct stat *) arguments[2]);
        return look_at(kept(second), (struct stat *) arguments[2]);
    case SYS_faccessat:
    case SYS_faccessat2: return arguments[2] & W_OK || kept(second) < 0 ? -EACCES : 0;
#ifdef SYS_open
    case SYS_open: return open_kept(first, (int) arguments[1]);
    case SYS_stat:
    case SYS_lstat: return look_at(kept(first), (struct stat *) arguments[1]);
    case SYS_access: return arguments[1] & W_OK || kept(first) < 0 ? -EACCES : 0;
#endif
    default: (void) first; return -ENOSYS;
    }
}

// Answers a call of `answered`, and ends the process at any other, which reaches it only if it is to be named.
static void take_call(int signal_number, siginfo_t *info, void *context) {
    int saved = errno;
    mcontext_t *state = &((ucontext_t *) context)->uc_mcontext;
#if defined(__x86_64__)
    unsigned long arguments[] = {
        (unsigned long) state->gregs[REG_RDI], (unsigned long) state->gregs[REG_RSI],
        (unsigned long) state->gregs[REG_RDX], (unsigned long) state->gregs[REG_R10],
    };
#else
    unsigned long arguments[] = {state->regs[0], state->regs[1], state->regs[2], state->regs[3]};
#endif
    for (size_t i = 0; i < sizeof answered / sizeof *answered; i++) {
        if (info->si_syscall != answered[i]) continue;
        long result = answer(info->si_syscall, arguments);
#if defined(__x86_64__)
        state->gregs[REG_RAX] = result;
#else
        state->regs[0] = (unsigned long) result;
#endif
        errno = saved;
        return;
    }
    if (names_refusals) name_call(info->si_syscall);
    // The signal is blocked until this function returns, and then ends the process.
    signal(signal_number, SIG_DFL);
    syscall(SYS_tgkill, getpid(), gettid(), signal_number);
}

// MARK: Both

static int enter_filter(int should_name) {
    struct program program = {.refusal = should_name ? SECCOMP_RET_TRAP : SECCOMP_RET_KILL_PROCESS};
    add_architecture(&program);
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        end_if_equal(&program, (uint32_t) allowed[i], SECCOMP_RET_ALLOW);
    }
    add_memory(&program);
    add_threads(&program);
    add_own(&program);
    add_rest(&program);
    if (program.length == CAPACITY) return 0;
    names_refusals = should_name;
    struct sigaction action = {.sa_sigaction = take_call, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &action, NULL);
    struct sock_fprog filter = {.len = program.length, .filter = program.code};
    // For all threads, in case there are more than one.
    long failed = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    return failed ? 0 : csandbox_filter;
}

int csandbox_offered(void) {
    uint32_t action = SECCOMP_RET_KILL_PROCESS;
    int filter = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) ? 0 : csandbox_filter;
    return filter | (landlock_version() < 1 ? 0 : csandbox_landlock);
}

static int enter_parts(int should_name) {
    int landlock = enter_landlock();
    return landlock | enter_filter(should_name);
}

#else

int csandbox_offered(void) { return 0; }

static int enter_parts(int should_name) {
    (void) should_name;
    return 0;
}

#endif

int csandbox_enter(int names) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // Other processes of the user can neither read nor change this one, whose files in /proc now belong to root.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return enter_parts(names);
}
