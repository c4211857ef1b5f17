public import CalotypeCore

/// What a list job does and where it puts things.
public struct FetchOptions: Sendable {
    /// The order of the report's lines.
    public enum Order: String, CaseIterable, Sendable {
        /// As pictures are finished.
        case completion
        /// As in the list; a line waits for those before it.
        case input
    }

    /// Where the URLs come from.
    public var source: ListSource
    /// The folder for the pictures; it is created where it is missing.
    public var output: String
    /// How each picture is scaled and cut.
    public var transform = Transform.none
    /// What each picture is encoded as.
    public var format = OutputFormat.jpeg(quality: OutputFormat.defaultQuality)
    /// What each source may cost.
    public var limits = ImageLimits()
    /// How what is stored is treated; with ``CachePolicy/reload`` what a former run has made is made anew too.
    public var cachePolicy = CachePolicy.use
    /// The order of the report, by completion unless set.
    public var order = Order.completion
    /// Whether the first failure ends the run.
    public var failFast = false
    /// How many entries are under way at most, those that wait for a host or a permit included; 1,024 by default.
    ///
    /// The pipeline's gates limit what really goes on: this window is larger, so that entries for a busy or dead
    /// host do not hold up the others.
    public var window = 1024
    /// The path of the report (JSON Lines), `-` for standard output.
    public var report: String?
    /// The path of the contact sheet (HTML).
    public var contactSheet: String?
    /// The folder under which former runs are remembered; `$XDG_STATE_HOME` or `~/.local/state` where `nil`.
    public var stateHome: String?
    /// How long an interrupted run waits for work that cannot be interrupted, before it calls `onAbandon`.
    ///
    /// 50 ms by default. It only matters where `FetchJob` was given an `onAbandon`.
    public var grace = Duration.milliseconds(50)

    /// Creates options with the defaults.
    public init(source: ListSource, output: String) {
        self.source = source
        self.output = output
    }

    /// The default window for a pipeline that does `concurrency` loads at a time.
    public static func window(forConcurrency concurrency: Int) -> Int {
        max(1024, concurrency.multipliedReportingOverflow(by: 16).partialValue)
    }

    /// What stands for the options in the state file: everything that shapes a picture.
    var fingerprint: UInt128 {
        let shape = "\(transform.mode) \(transform.box) \(transform.enlarges)"
        return StableHash.hash("1 \(shape) \(format)")
    }
}
