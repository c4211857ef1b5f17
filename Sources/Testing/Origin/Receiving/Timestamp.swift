import Glibc

/// The time of day.
enum Timestamp {
    /// Seconds since the start of 1970, to the microsecond.
    static func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec / 1000) / 1_000_000
    }
}
