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
    /// Number of all entries, if they have been counted.
    public var total: Int?
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
    /// The time since the start of the run.
    public var elapsed = Duration.zero
    /// Images per second over the last few seconds, without skipped ones.
    public var imagesPerSecond = 0.0
    /// Bytes received per second over the last few seconds.
    public var bytesPerSecond = 0.0

    /// Creates the progress at the start of a run.
    public init() {}

    /// The finished share, 0 to 1, if the total is known.
    public var fraction: Double? {
        total.map { $0 > 0 ? Double(done) / Double($0) : 1 }
    }

    /// The estimated remaining time at the current rate, if known.
    public var remaining: Duration? {
        guard let total, imagesPerSecond > 0 else { return nil }
        return .seconds(Double(max(0, total - done)) / imagesPerSecond)
    }

    /// Phrases for a progress line, most important first.
    public var phrases: [String] {
        var phrases = [total.map { "\(done)/\($0)" } ?? "\(done) done"]
        if failed > 0 { phrases.append("\(failed) failed") }
        phrases.append("\(Decimal.text(imagesPerSecond, places: 1)) images/s")
        if let remaining { phrases.append("\(Clocktime.text(remaining)) left") }
        phrases.append("\(ByteCount(Int(clamping: bytesPerSecond)))/s")
        if skipped > 0 { phrases.append("\(skipped) skipped") }
        return phrases
    }

    /// The progress as a JSON object on one line, for programs.
    public var json: String {
        var object = JSONObject()
        object.add("event", string: "progress")
        object.add("done", done)
        object.add("total", total)
        object.add("ok", succeeded)
        object.add("failed", failed)
        object.add("skipped", skipped)
        object.add("active", active)
        object.add("bytes_in", bytesIn.bytes)
        object.add("bytes_out", bytesOut.bytes)
        object.add("images_per_second", Decimal.text(imagesPerSecond, places: 2))
        object.add("bytes_per_second", Int(clamping: bytesPerSecond))
        object.add("elapsed_s", Decimal.text(elapsed.inSeconds, places: 3))
        object.add("eta_s", remaining.map { Decimal.text($0.inSeconds, places: 1) })
        return object.text
    }
}

/// Measures rates over the last few seconds from totals that are sampled now and then.
struct RateMeter {
    private struct Sample {
        var time: Double
        var images: Int
        var bytes: Int
    }

    private var samples = [Sample(time: 0, images: 0, bytes: 0)]

    /// Records the totals at `time`, and returns the rates per second over the last five seconds or so.
    mutating func rates(at time: Duration, images: Int, bytes: Int) -> (images: Double, bytes: Double) {
        let now = Sample(time: time.inSeconds, images: images, bytes: bytes)
        let oldest = samples[0]
        if now.time - (samples.last?.time ?? 0) >= 0.25 {
            samples.append(now)
            if samples.count > 20 { samples.removeFirst() }
        }
        let span = now.time - oldest.time
        guard span > 0 else { return (0, 0) }
        return (Double(images - oldest.images) / span, Double(bytes - oldest.bytes) / span)
    }
}
