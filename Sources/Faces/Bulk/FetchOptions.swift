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

    /// The most sizes of one picture.
    public static let sizeLimit = 16

    /// Where the URLs come from.
    public var source: ListSource
    /// The folder for the pictures; it is created where it is missing.
    public var output: String
    /// How each picture is scaled and cut.
    public var transform = Transform.none
    /// The sides of the square boxes that each picture is fitted into, once for each, in the place of the transform's own
    /// mode and box; none, the default, where there is one size only.
    ///
    /// At most ``sizeLimit``, each from 1 to 65,535 and only once. The files are called `000000000-256.jpg` and so on.
    public var sizes: [Int] = []
    /// What each picture is encoded as, once for each; ``OutputFormat/jpeg`` by default.
    ///
    /// Each kind of format only once, and `original` only by itself.
    public var formats: [OutputFormat] = [.jpeg(quality: OutputFormat.defaultQuality)]
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

    /// What each picture is encoded as, where that is one format; the first of ``formats``.
    public var format: OutputFormat {
        get { formats.first ?? .jpeg(quality: OutputFormat.defaultQuality) }
        set { formats = [newValue] }
    }

    /// How a picture is scaled to one of the sizes, or to the only one.
    func transform(of size: Int?) -> Transform {
        guard let size else { return transform }
        var fitted = Transform.fit(size, size, enlarges: transform.enlarges)
        (fitted.effort, fitted.isLinearLight) = (transform.effort, transform.isLinearLight)
        return fitted
    }
}
