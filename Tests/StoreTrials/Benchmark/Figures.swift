internal import CalotypePlatform

/// Numbers for people.
enum Figures {
    static func milliseconds(_ duration: Duration) -> String { fixed(duration / .milliseconds(1), 2) + " ms" }
    static func microseconds(_ duration: Duration) -> String { fixed(duration / .microseconds(1), 2) + " µs" }
    static func megabytes(_ bytes: Int) -> String { fixed(Double(bytes) / 1e6, 1) + " MB" }

    static func fixed(_ number: Double, _ digits: Int) -> String {
        let scale = pow(10, Double(digits))
        return "\((number * scale).rounded() / scale)"
    }

    /// The value that `share` of the sorted values do not exceed.
    static func percentile(_ share: Double, of sorted: [Duration]) -> Duration {
        guard !sorted.isEmpty else { return .zero }
        return sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
    }

    static func line(_ what: String, _ figure: String, goal: String? = nil) {
        print("  \(what): \(figure)" + (goal.map { "   (goal: \($0))" } ?? ""))
    }

    /// The processor time that this process has taken, on all cores.
    static func processorTime() -> Duration {
        var use = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &use)
        let times = [use.ru_utime, use.ru_stime]
        return times.reduce(.zero) { $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec) }
    }
}
