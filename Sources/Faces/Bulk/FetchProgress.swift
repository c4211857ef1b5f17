public import CalotypeCore
import CalotypeFiles

/// Something that a run tells while it goes on.
public enum FetchEvent: Sendable {
    /// How far it is; ten times a second and at the end.
    case progress(FetchProgress)
    /// Something that does not end the run but should be known; each once.
    case warning(String)
}

/// How far a run is at one moment.
public struct FetchProgress: Hashable, Sendable {
    /// Entries that have ended, whichever way.
    public var done = 0
    /// All entries, where they have been counted.
    public var total: Int?
    /// Entries by how they ended.
    public var succeeded = 0
    /// Entries that failed.
    public var failed = 0
    /// Entries that a former run had completed.
    public var skipped = 0
    /// Entries that have begun and not ended.
    public var active = 0
    /// What was received of sources, cut downloads included; what came from a store was not.
    public var bytesIn = ByteCount(0)
    /// The length of all files written.
    public var bytesOut = ByteCount(0)
    /// The time since the run began.
    public var elapsed = Duration.zero
    /// Pictures a second over the last seconds, skipped ones not counted.
    public var imagesPerSecond = 0.0
    /// Bytes received a second over the last seconds.
    public var bytesPerSecond = 0.0

    /// Creates the progress of a run that has not begun.
    public init() {}

    /// How much is done, 0 to 1, where the whole is known.
    public var fraction: Double? {
        total.map { $0 > 0 ? Double(done) / Double($0) : 1 }
    }

    /// The time that the rest will take at the present rate, where that can be told.
    public var remaining: Duration? {
        guard let total, imagesPerSecond > 0 else { return nil }
        return .seconds(Double(max(0, total - done)) / imagesPerSecond)
    }

    /// Phrases for a progress line, the most important first.
    public var phrases: [String] {
        var phrases = [total.map { "\(done)/\($0)" } ?? "\(done) done"]
        if failed > 0 { phrases.append("\(failed) failed") }
        phrases.append("\(Decimal.text(imagesPerSecond, places: 1)) images/s")
        if let remaining { phrases.append("\(Clocktime.text(remaining)) left") }
        phrases.append("\(ByteCount(Int(clamping: bytesPerSecond)))/s")
        if skipped > 0 { phrases.append("\(skipped) skipped") }
        return phrases
    }

    /// The same as a JSON object on one line, for programs.
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

/// Rates over the last few seconds, from sums that are read now and then.
struct RateMeter {
    private struct Sample {
        var time: Double
        var images: Int
        var bytes: Int
    }

    private var samples = [Sample(time: 0, images: 0, bytes: 0)]

    /// Takes the sums at `time` and returns the rates a second since some five seconds before.
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
