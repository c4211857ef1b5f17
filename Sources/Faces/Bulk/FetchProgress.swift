public import CalotypeCore
import CalotypeFiles

/// An event of a run.
public enum FetchEvent: Sendable {
    /// The current progress; sent ten times a second and at the end.
    case progress(FetchProgress)
    /// A problem that does not end the run; each is sent once.
    case warning(String)
}

/// The progress of a run at one moment.
public struct FetchProgress: Hashable, Sendable {
    /// Number of finished entries, with any outcome.
    public var done = 0
    /// Number of all entries, if they have been counted or estimated.
    public var total: Int?
    /// Whether ``total`` is an estimate, by the share of the list that has been read.
    public var isTotalEstimated = false
    /// Number of entries that succeeded.
    public var succeeded = 0
    /// Number of entries that failed.
    public var failed = 0
    /// Number of entries that an earlier run had completed.
    public var skipped = 0
    /// Number of entries in progress.
    public var active = 0
    /// Bytes received from sources, including interrupted downloads but not data from a store.
    public var bytesIn = ByteCount(0)
    /// The total size of all files written.
    public var bytesOut = ByteCount(0)
    /// Number of complete shards that are being uploaded or wait for that; `nil` if none is uploaded.
    public var uploading: Int?
    /// The time since the start of the run.
    public var elapsed = Duration.zero
    /// The number of failures for each code.
    public var failures: [ErrorCode: Int] = [:]
    /// The hosts that need longest for the entries that were read, the slowest first; empty if hosts are not
    /// paced.
    public var slowestHosts: [HostProgress] = []
    /// Images per second over the last few seconds, without skipped ones.
    public var imagesPerSecond = 0.0
    /// Images per second over the last two minutes, without skipped ones.
    public var steadyImagesPerSecond = 0.0
    /// Bytes received per second over the last few seconds.
    public var bytesPerSecond = 0.0

    /// Creates the progress at the start of a run.
    public init() {}

    /// The finished share, 0 to 1, if the total is known.
    public var fraction: Double? {
        total.map { $0 > 0 ? Double(done) / Double($0) : 1 }
    }

    /// The estimated remaining time, if known: at the rate of the last two minutes, or that of the slowest host.
    public var remaining: Duration? {
        guard let total, steadyImagesPerSecond > 0 else { return nil }
        let all = Double(max(0, total - done)) / steadyImagesPerSecond
        return .seconds(slowestHosts.compactMap(\.remaining).reduce(all) { max($0, $1.inSeconds) })
    }

    /// Phrases for a progress line, most important first.
    public var phrases: [String] {
        let sign = isTotalEstimated ? "~" : ""
        var phrases = [total.map { "\(done)/\(sign)\($0)" } ?? "\(done) done"]
        if failed > 0 { phrases.append("\(failed) failed") }
        phrases.append("\(Decimal.text(imagesPerSecond, places: 1)) images/s")
        if let remaining { phrases.append("\(Clocktime.text(remaining)) left") }
        phrases.append("\(ByteCount(Int(clamping: bytesPerSecond)))/s")
        if skipped > 0 { phrases.append("\(skipped) skipped") }
        if let uploading, uploading > 0 {
            phrases.append("\(uploading) \(uploading == 1 ? "shard" : "shards") to upload")
        }
        phrases += commonFailures.prefix(2).map { "\($0.value) \($0.key)" }
        if let host = slowestHosts.first { phrases.append("slowest \(host.phrase)") }
        return phrases
    }

    mutating func add(_ rates: RateMeter.Rates) {
        (imagesPerSecond, bytesPerSecond, steadyImagesPerSecond) = (
            rates.images, rates.bytes, rates.steadyImages
        )
    }

    /// The failures by code, the most common first.
    private var commonFailures: [(key: ErrorCode, value: Int)] {
        failures.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
    }

    /// The progress as a JSON object on one line, for programs.
    public var json: String {
        var object = JSONObject()
        object.add("event", string: "progress")
        object.add("done", done)
        object.add("total", total)
        object.add("total_is_estimated", isTotalEstimated)
        object.add("ok", succeeded)
        object.add("failed", failed)
        object.add("skipped", skipped)
        object.add("active", active)
        object.add("bytes_in", bytesIn.bytes)
        object.add("bytes_out", bytesOut.bytes)
        if let uploading { object.add("uploading", uploading) }
        object.add("images_per_second", Decimal.text(imagesPerSecond, places: 2))
        object.add("steady_images_per_second", Decimal.text(steadyImagesPerSecond, places: 2))
        object.add("bytes_per_second", Int(clamping: bytesPerSecond))
        object.add("elapsed_s", Decimal.text(elapsed.inSeconds, places: 3))
        object.add("eta_s", remaining.map { Decimal.text($0.inSeconds, places: 1) })
        var codes = JSONObject()
        for (code, count) in commonFailures { codes.add(code.rawValue, count) }
        object.add("failures", codes)
        object.add("slowest_hosts", objects: slowestHosts.map(\.json))
        return object.text
    }
}

/// The progress of one host.
public struct HostProgress: Hashable, Sendable {
    /// The host, with its port unless it is the scheme's own, as URLs of the list name it.
    public var name: String
    /// Number of entries that were read and have not ended.
    public var left: Int
    /// Entries that ended per second since the first one began.
    public var imagesPerSecond: Double
    /// Maximum number of requests to it at a time, at present.
    public var connections: Int
    /// Whether it receives no requests until nothing else is left to do.
    public var isSetAside: Bool

    /// The time for the entries that were read at this rate, if known.
    public var remaining: Duration? {
        imagesPerSecond > 0 && !isSetAside ? .seconds(Double(left) / imagesPerSecond) : nil
    }

    fileprivate var phrase: String {
        let name = String(
            name.unicodeScalars.filter { (0x21...0x7E).contains($0.value) }.prefix(40).map(Character.init)
        )
        let rate = isSetAside ? "set aside" : "\(Decimal.text(imagesPerSecond, places: 1))/s"
        return "\(name): \(left) left, \(rate)"
    }

    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add("host", string: name)
        object.add("left", left)
        object.add("images_per_second", Decimal.text(imagesPerSecond, places: 2))
        object.add("connections", connections)
        object.add("set_aside", isSetAside)
        return object
    }
}

/// Measures rates over the last few seconds, and over the last minutes, from totals that are sampled now and
/// then.
struct RateMeter {
    /// Rates per second.
    struct Rates {
        var images: Double
        var bytes: Double
        /// Images per second over the last two minutes.
        var steadyImages: Double
    }

    private struct Sample {
        var time: Double
        var images: Int
        var bytes: Int
    }

    private static let count = 20

    private var recent = [Sample(time: 0, images: 0, bytes: 0)]
    private var long = [Sample(time: 0, images: 0, bytes: 0)]

    /// Records the totals at `time`, and returns the rates over the last five seconds or so, and two minutes.
    mutating func rates(at time: Duration, images: Int, bytes: Int) -> Rates {
        let now = Sample(time: time.inSeconds, images: images, bytes: bytes)
        let (oldest, first) = (recent[0], long[0])
        Self.add(now, to: &recent, every: 0.25)
        Self.add(now, to: &long, every: 6)
        return Rates(
            images: Self.rate(images - oldest.images, now.time - oldest.time),
            bytes: Self.rate(bytes - oldest.bytes, now.time - oldest.time),
            steadyImages: Self.rate(images - first.images, now.time - first.time)
        )
    }

    private static func add(_ now: Sample, to samples: inout [Sample], every step: Double) {
        guard now.time - (samples.last?.time ?? 0) >= step else { return }
        samples.append(now)
        if samples.count > count { samples.removeFirst() }
    }

    private static func rate(_ count: Int, _ span: Double) -> Double {
        span > 0 ? Double(count) / span : 0
    }
}
