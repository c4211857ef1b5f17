import CalotypeFiles
import CalotypePlatform

/// Durations counted in fixed buckets.
struct Histogram: Hashable, Sendable {
    /// The upper bounds of the buckets in seconds; the last bucket has none.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

    private var counts = [Int](repeating: 0, count: bounds.count + 1)
    private var sum = 0.0

    mutating func add(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let value = Double(seconds) + Double(attoseconds) / 1e18
        counts[Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count] += 1
        sum += value
    }

    /// Writes the samples of the histogram `name`.
    func write(_ name: String, _ label: String, to text: inout PrometheusText) {
        var total = 0
        for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], counts) {
            total += count
            text.sample(
                "\(name)_bucket",
                label.isEmpty ? "le=\"\(bound)\"" : "\(label),le=\"\(bound)\"",
                total
            )
        }
        text.sample("\(name)_sum", label, sum)
        text.sample("\(name)_count", label, total)
    }
}

/// The resources that the process uses now, as the kernel reports them.
struct ProcessUse: Hashable, Sendable {
    /// Resident memory in bytes; 0 if unknown.
    let residentBytes: Int
    /// CPU time, including system time.
    let cpuSeconds: Double
    /// The number of open descriptors; 0 if unknown.
    let descriptors: Int

    init() {
        residentBytes = Platform.residentBytes
        var time = timespec()
        cpuSeconds =
            unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0
            ? Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 : 0
        descriptors = Self.openDescriptors
    }

    private static var openDescriptors: Int {
        // Without the descriptor of the folder itself.
        max(FolderNames.all(in: Platform.descriptorFolder).count - 1, 0)
    }
}
