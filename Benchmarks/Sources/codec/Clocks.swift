import Glibc

/// Wall time and the CPU time of all threads of this process, in seconds.
struct Clocks: Sendable {
    var wall: Double
    var cpu: Double

    static func now() -> Clocks {
        Clocks(wall: seconds(CLOCK_MONOTONIC), cpu: seconds(CLOCK_PROCESS_CPUTIME_ID))
    }

    static func - (end: Clocks, start: Clocks) -> Clocks {
        Clocks(wall: end.wall - start.wall, cpu: end.cpu - start.cpu)
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
