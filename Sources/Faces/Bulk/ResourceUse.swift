internal import Glibc

/// What the process has used since it began.
struct ResourceUse {
    var cpu: Duration
    var peakMemoryBytes: Int

    /// What it has used until now, all threads together.
    static var now: ResourceUse {
        var usage = rusage()
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let cpu = [usage.ru_utime, usage.ru_stime].reduce(Duration.zero) {
            $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec)
        }
        // Linux counts the peak in KiB.
        return ResourceUse(cpu: cpu, peakMemoryBytes: usage.ru_maxrss << 10)
    }
}
