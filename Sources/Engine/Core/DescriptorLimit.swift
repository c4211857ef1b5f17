internal import Glibc

/// How many descriptors this process may have open: files, sockets, counters of events.
package enum DescriptorLimit {
    /// The limit in force.
    package static var current: Int { read().soft }

    /// Raises the limit as far as the process may, which is what the system's hard limit says.
    ///
    /// It is for the start of a program; a library leaves the limits of its process alone.
    package static func raise() {
        let (soft, hard) = read()
        guard soft < hard else { return }
        var limit = rlimit(rlim_cur: rlim_t(hard), rlim_max: rlim_t(hard))
        // A system that refuses leaves the limit as it was, which is what counts from then on.
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func read() -> (soft: Int, hard: Int) {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return (1024, 1024)
        }
        return (Int(clamping: limit.rlim_cur), Int(clamping: limit.rlim_max))
    }
}
