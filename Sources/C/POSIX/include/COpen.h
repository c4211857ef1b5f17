// openat2(2) for Swift: glibc has no function for it, and syscall(2) is variadic.
#pragma once

/// Opens the file at `path` below `folder` for reading, closed on exec, without waiting for a writer of a pipe. Neither
/// `..` nor an absolute path nor a symbolic link leads anywhere. -1 and errno when that fails, ENOSYS where the kernel
/// (before Linux 5.6) or a sandbox does not have the call.
int calotype_open_beneath(int folder, const char *path);
