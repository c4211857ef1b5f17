public import CalotypeCore

/// The options of a list job.
public struct FetchOptions: Sendable {
    /// The order of the report's lines.
    public enum Order: String, CaseIterable, Sendable {
        /// In the order in which pictures are finished.
        case completion
        /// In the order of the list; a line waits for those before it.
        case input
    }

    /// Maximum number of sizes of one picture.
    public static let sizeLimit = 16

    /// The source of the URLs.
    public var source: ListSource
    /// The output folder, created if it is missing.
    public var output: String
    /// How to scale and crop each picture.
    public var transform = Transform.none
    /// The sides of the square boxes to fit each picture into; empty, the default, for a single size.
    ///
    /// They replace the transform's own mode and box. At most ``sizeLimit`` sizes, each from 1 to 65,535 and
    /// only once. The files are named `000000000-256.jpg` and so on.
    public var sizes: [Int] = []
    /// The formats to encode each picture in; ``OutputFormat/jpeg`` by default.
    ///
    /// Each format only once, and `original` only alone.
    public var formats: [OutputFormat] = [.jpeg(quality: OutputFormat.defaultQuality)]
    /// Whether entries may also be paths of files on this machine and `file:` URLs; `false` by default.
    ///
    /// Only for lists that are trusted: others could name any file that this process can read.
    public var allowsFiles = false
    /// The limits for each source.
    public var limits = ImageLimits()
    /// How to use cached data; ``CachePolicy/reload`` also recreates the output of earlier runs.
    public var cachePolicy = CachePolicy.use
    /// The order of the report, by completion by default.
    public var order = Order.completion
    /// Whether to stop at the first failure.
    public var failFast = false
    /// Maximum number of entries that have been read and have not ended; 1,024 by default.
    ///
    /// Most of them wait, and need little memory. The window is larger than ``concurrency``, so that entries
    /// for a busy or dead host do not delay the others.
    public var window = 1024
    /// Maximum number of entries in progress, including those that wait for a connection, a decoder or the
    /// disk; 256 by default.
    public var concurrency = 256
    /// Maximum number of entries in progress whose URLs name the same host; 16 by default.
    public var concurrencyPerHost = 16
    /// The manners towards hosts, of the same object as in the pipeline's configuration; none by default.
    public var manners: HostManners?
    /// The path of the report (JSON Lines), `-` for standard output.
    public var report: String?
    /// The path of the contact sheet (HTML).
    public var contactSheet: String?
    /// The folder for the state of earlier runs; if `nil`, `$XDG_STATE_HOME` or `~/.local/state`.
    public var stateHome: String?
    /// How long an interrupted run waits for work that cannot be interrupted before it calls `onAbandon`.
    ///
    /// 50 ms by default. It has no effect without an `onAbandon`.
    public var grace = Duration.milliseconds(50)

    /// Creates options with the defaults.
    public init(source: ListSource, output: String) {
        self.source = source
        self.output = output
    }

    /// Sets the window and the numbers of entries in progress for a loader with these limits.
    ///
    /// While some entries of a host use its connections, a few others are decoded and stored: not more than
    /// decoders can take soon, because each holds its source in memory. Others wait for the addresses of their
    /// hosts, which takes no connection.
    public mutating func fit(connections: Int, perHost: Int) {
        let (connections, perHost) = (min(max(connections, 1), 1 << 16), min(max(perHost, 1), 1 << 16))
        concurrency = connections + min(max(3 * connections, 64), 256)
        concurrencyPerHost = perHost + min(max(perHost, 8), 24)
        window = max(1024, 16 * connections)
    }

    /// The output format if there is only one; the first of ``formats``.
    public var format: OutputFormat {
        get { formats.first ?? .jpeg(quality: OutputFormat.defaultQuality) }
        set { formats = [newValue] }
    }

    /// Returns the transform for one of the sizes, or for a single size.
    func transform(of size: Int?) -> Transform {
        guard let size else { return transform }
        var fitted = Transform.fit(size, size, enlarges: transform.enlarges)
        (fitted.effort, fitted.isLinearLight) = (transform.effort, transform.isLinearLight)
        (fitted.edits, fitted.processors) = (transform.edits, transform.processors)
        return fitted
    }
}
