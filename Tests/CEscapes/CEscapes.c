#define _GNU_SOURCE
#include "CEscapes.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// The worker's socket and memory.
enum { SOCKET = 3, MEMORY = 4 };

// The process that has forked the worker.
static pid_t parent;
__attribute__((constructor)) static void remember(void) { parent = getpid(); }

static char bytes[64];
static struct iovec own = {bytes, sizeof bytes}, foreign = {bytes, sizeof bytes};

static long open_at(const char *path, int flags) { return syscall(SYS_openat, AT_FDCWD, path, flags, 0600); }

static long open_password_file(void) { return open_at("/etc/passwd", O_RDONLY); }
static long create_file(void) { return open_at("/tmp/calotype-escaped", O_WRONLY | O_CREAT | O_EXCL); }
static long open_folder(void) { return open_at("/", O_RDONLY | O_DIRECTORY); }
static long open_own_memory(void) { return open_at("/proc/self/mem", O_RDWR); }
static long open_parents_memory(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", parent);
    return open_at(path, O_RDWR);
}
static long open_parents_variables(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/environ", parent);
    return open_at(path, O_RDONLY);
}
static long open_with_rules(void) {
    uint64_t how[3] = {O_RDONLY};
    return syscall(437, AT_FDCWD, "/etc/passwd", how, sizeof how);
}
static long look_at_file(void) {
    struct stat status;
    return syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", &status, 0);
}
static long look_at_file_as_if_open(void) {
    struct stat status;
    return syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", &status, AT_EMPTY_PATH);
}
// The first of the fonts that stay open.
enum { FONT = 64 };
static long write_to_font(void) { return write(FONT, "x", 1); }
static long open_font_to_write(void) { return open_at("/proc/self/fd/64", O_RDWR); }
static long open_folder_of_fonts(void) { return open_at("/usr/share/fonts", O_RDONLY | O_DIRECTORY); }
static long look_at_file_in_detail(void) {
    char status[256];
    return syscall(SYS_statx, AT_FDCWD, "/etc/passwd", 0, 0x7ff, status);
}
static long remove_file(void) { return syscall(SYS_unlinkat, AT_FDCWD, "/tmp/no-such-file", 0) < 0 && errno == EACCES ? -1 : 0; }
static long read_link(void) { return syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", bytes, sizeof bytes); }
static long make_folder(void) { return syscall(SYS_mkdirat, AT_FDCWD, "/tmp/calotype-escaped-folder", 0700); }
static long rename_file(void) { return syscall(SYS_renameat2, AT_FDCWD, "/tmp/a", AT_FDCWD, "/tmp/b", 0) < 0 ? -1 : 0; }
static long connect_to_network(void) { return socket(AF_INET, SOCK_STREAM, 0); }
static long send_datagrams(void) { return socket(AF_INET, SOCK_DGRAM, 0); }
static long connect_locally(void) { return socket(AF_UNIX, SOCK_STREAM, 0); }
static long make_pair(void) {
    int ends[2];
    return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}
static long ask_kernel(void) { return socket(AF_NETLINK, SOCK_RAW, 0); }
static long send_descriptors(void) {
    char control[CMSG_SPACE(sizeof(int))] = {0};
    uint64_t words[4] = {9};
    struct iovec part = {words, sizeof words};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr) {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
    int memory = MEMORY;
    memcpy(CMSG_DATA(header), &memory, sizeof memory);
    return sendmsg(SOCKET, &message, 0);
}
static long make_process(void) { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }
static long make_process_anew(void) {
    uint64_t arguments[8] = {0, 0, 0, 0, SIGCHLD};
    return syscall(435, arguments, sizeof arguments);
}
static long run_program(void) { return execl("/bin/true", "true", (char *) NULL); }
static long run_open_program(void) {
    char *const none[] = {NULL};
    return syscall(SYS_execveat, MEMORY, "", none, none, AT_EMPTY_PATH);
}
static long signal_parent(void) { return kill(parent, 0); }
static long signal_group(void) { return kill(0, 0); }
static long signal_parents_thread(void) { return syscall(SYS_tgkill, parent, parent, 0); }
static long trace_parent(void) { return ptrace(PTRACE_SEIZE, parent, NULL, NULL); }
static long read_parent(void) { return process_vm_readv(parent, &own, 1, &foreign, 1, 0); }
static long write_to_parent(void) { return process_vm_writev(parent, &own, 1, &foreign, 1, 0); }
static long hold_parent(void) { return syscall(434, parent, 0); }
static long take_descriptor(void) { return syscall(438, 0, 0, 0); }
static long limit_parent(void) {
    struct rlimit limit;
    return prlimit(parent, RLIMIT_NOFILE, NULL, &limit);
}
static long slow_parent_down(void) { return setpriority(PRIO_PROCESS, (id_t) parent, 19); }
static long map_code(void) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? -1 : 0;
}
static long map_open_code(void) {
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, MEMORY, 0) == MAP_FAILED ? -1 : 0;
}
static long make_code(void) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? -1 : mprotect(memory, 4096, PROT_READ | PROT_EXEC);
}
static long share_memory(void) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? -1 : 0;
}
static long make_memory_file(void) { return memfd_create("escaped", 0); }
static long seal_memory(void) { return fcntl(MEMORY, F_ADD_SEALS, F_SEAL_WRITE); }
static long queue_calls(void) {
    char parameters[128] = {0};
    return syscall(425, 1, parameters);
}
static long become_root(void) { return unshare(CLONE_NEWUSER); }
static long change_root(void) { return syscall(SYS_chroot, "/"); }
static long mount_files(void) { return syscall(SYS_mount, "none", "/no-such-folder", "tmpfs", 0, NULL); }
static long load_kernel_code(void) { return syscall(SYS_bpf, 0, bytes, sizeof bytes) < 0 ? -1 : 0; }
static long handle_faults(void) { return syscall(SYS_userfaultfd, 1); }
static long measure(void) {
    uint32_t attributes[32] = {1, sizeof attributes};
    return syscall(SYS_perf_event_open, attributes, 0, -1, -1, 0);
}
static long use_keys(void) { return syscall(SYS_keyctl, 0, -3, 0); }
static long show_memory(void) { return prctl(PR_SET_DUMPABLE, 1); }
static long outlive_program(void) { return prctl(PR_SET_PDEATHSIG, 0); }
static long replace_filter(void) { return syscall(SYS_seccomp, 0, 0, NULL); }
static long type_into_terminal(void) { return ioctl(0, TIOCSTI, "x") < 0 && errno == EACCES ? -1 : 0; }
static long write_to_terminal(void) {
    struct stat status;
    for (int i = 0; i < 3; i++) {
        if (syscall(SYS_fstat, i, &status) || status.st_rdev != makedev(1, 3)) return 0;
    }
    return -1;
}
static long work_without_limits(void) {
    static const int limited[] = {RLIMIT_CPU, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_CORE};
    for (size_t i = 0; i < sizeof limited / sizeof *limited; i++) {
        struct rlimit limit;
        if (getrlimit(limited[i], &limit) || limit.rlim_cur == RLIM_INFINITY) return 0;
    }
    return -1;
}
#if defined(__x86_64__)
static long call_as_32_bits(void) {
    long result = 20;
    __asm__ volatile("int $0x80" : "+a"(result) : : "r8", "r9", "r10", "r11", "memory");
    return result;
}
static long call_as_x32(void) { return syscall(0x40000000 + 39) < 0 && errno == ENOSYS ? -1 : 0; }
static long fork_as_before(void) { return syscall(SYS_fork); }
static long open_as_before(void) { return syscall(SYS_open, "/etc/passwd", O_RDONLY); }
#endif

#define ATTEMPT(name) {#name, name},
static const struct {
    const char *name;
    long (*make)(void);
} attempts[] = {
    ATTEMPT(open_password_file) ATTEMPT(create_file) ATTEMPT(open_folder) ATTEMPT(open_own_memory)
    ATTEMPT(open_parents_memory) ATTEMPT(open_parents_variables) ATTEMPT(open_with_rules) ATTEMPT(look_at_file)
    ATTEMPT(look_at_file_as_if_open) ATTEMPT(write_to_font) ATTEMPT(open_font_to_write) ATTEMPT(open_folder_of_fonts)
    ATTEMPT(look_at_file_in_detail) ATTEMPT(remove_file) ATTEMPT(read_link) ATTEMPT(make_folder) ATTEMPT(rename_file)
    ATTEMPT(connect_to_network) ATTEMPT(send_datagrams) ATTEMPT(connect_locally) ATTEMPT(make_pair) ATTEMPT(ask_kernel)
    ATTEMPT(send_descriptors) ATTEMPT(make_process) ATTEMPT(make_process_anew) ATTEMPT(run_program)
    ATTEMPT(run_open_program) ATTEMPT(signal_parent) ATTEMPT(signal_group) ATTEMPT(signal_parents_thread)
    ATTEMPT(trace_parent) ATTEMPT(read_parent) ATTEMPT(write_to_parent) ATTEMPT(hold_parent) ATTEMPT(take_descriptor)
    ATTEMPT(limit_parent) ATTEMPT(slow_parent_down) ATTEMPT(map_code) ATTEMPT(map_open_code) ATTEMPT(make_code)
    ATTEMPT(share_memory) ATTEMPT(make_memory_file) ATTEMPT(seal_memory) ATTEMPT(queue_calls) ATTEMPT(become_root)
    ATTEMPT(change_root) ATTEMPT(mount_files) ATTEMPT(load_kernel_code) ATTEMPT(handle_faults) ATTEMPT(measure)
    ATTEMPT(use_keys) ATTEMPT(show_memory) ATTEMPT(outlive_program) ATTEMPT(replace_filter) ATTEMPT(type_into_terminal)
    ATTEMPT(write_to_terminal) ATTEMPT(work_without_limits)
#if defined(__x86_64__)
    ATTEMPT(call_as_32_bits) ATTEMPT(call_as_x32) ATTEMPT(fork_as_before) ATTEMPT(open_as_before)
#endif
};

int escapes_count(void) { return sizeof attempts / sizeof *attempts; }

const char *escapes_name(int attempt) { return attempts[attempt].name; }

void escapes_try(int attempt) {
    _exit(attempts[attempt].make() < 0 ? escapes_failed : escapes_succeeded);
}
