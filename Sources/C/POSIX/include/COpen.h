// openat2(2) for Swift: glibc has no function for it, and syscall(2) is variadic.
#pragma once

/// Opens the file at `path` below `folder` for reading, closed on exec, without waiting for a writer of a
/// pipe. Does not follow `..`, absolute paths or symbolic links. Returns -1 with errno on failure, ENOSYS if
/// the kernel (before Linux 5.6) or a sandbox does not have the call.
int calotype_open_beneath(int folder, const char *path);
