// Calls for files that Swift cannot make: glibc has no function for openat2(2), and its Swift module omits what
// needs _GNU_SOURCE.
#pragma once

/// Opens the file at `path` below `folder` for reading, closed on exec, without waiting for a writer of a
/// pipe. Does not follow `..`, absolute paths or symbolic links. Returns -1 with errno on failure, ENOSYS if
/// the kernel (before Linux 5.6) or a sandbox does not have the call.
int calotype_open_beneath(int folder, const char *path);

/// Lets the kernel begin to write the file's changed pages to the disk (sync_file_range(2)), without waiting.
/// Returns -1 with errno on failure; the pages are then written later.
int calotype_start_sync(int descriptor);

/// Waits until the disk has all that was written to the file system of `descriptor` (syncfs(2)), which Glibc's
/// Swift module lacks. Returns -1 with errno on failure.
int calotype_sync_all(int descriptor);

/// Whether the calling thread belongs to the global queues of libdispatch, which run Swift's tasks: it knows
/// them by the names that libdispatch gives its threads.
int calotype_is_pool_thread(void);
