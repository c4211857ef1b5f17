import Glibc

/// Numbers for people.
enum Figures {
    static func milliseconds(_ duration: Duration) -> String { fixed(duration / .milliseconds(1), 2) + " ms" }
    static func microseconds(_ duration: Duration) -> String { fixed(duration / .microseconds(1), 2) + " µs" }

    static func fixed(_ number: Double, _ digits: Int) -> String {
        let scale = pow(10, Double(digits))
        let text = "\((number * scale).rounded() / scale)"
        return text
    }

    /// The value that `share` of the sorted values do not exceed.
    static func percentile(_ share: Double, of sorted: [Duration]) -> Duration {
        guard !sorted.isEmpty else { return .zero }
        return sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
    }

    static func line(_ what: String, _ figure: String, goal: String) {
        print("  \(what): \(figure)   (goal: \(goal))")
    }

    /// The memory of this process that is resident, in MB.
    static func residentMegabytes() -> Double {
        var text = [UInt8](repeating: 0, count: 256)
        let file = open("/proc/self/statm", O_RDONLY)
        let count = read(file, &text, text.count)
        close(file)
        let pages = String(decoding: text.prefix(max(count, 0)), as: UTF8.self).split(separator: " ")
            .dropFirst().first
        return Double(pages.flatMap { Int($0) } ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE))) / 1e6
    }
}
