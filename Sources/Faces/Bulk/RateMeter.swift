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
