internal import CalotypeCore

/// One picture's way through a run: a bar of the timeline.
struct TimelineBar {
    /// The parts that a bar shows, in the order in which they follow each other.
    enum Part: Int, CaseIterable {
        case queue, connect, wait, download, decode, encode, rest

        var title: String {
            switch self {
            case .queue: "waiting for a turn"
            case .connect: "name and connection"
            case .wait: "waiting for the answer"
            case .download: "download"
            case .decode: "decode"
            case .encode: "encode"
            case .rest: "retries and storing"
            }
        }
    }

    let index: Int
    let isFailed: Bool
    /// Milliseconds since the run began.
    let start: Float
    let end: Float
    /// Milliseconds by part.
    let parts: [Float]

    init(_ outcome: FetchOutcome, start: Duration, end: Duration) {
        index = outcome.index
        isFailed = outcome.status == .failed
        self.start = Float(start.inMilliseconds)
        self.end = max(self.start, Float(end.inMilliseconds))
        let timings = outcome.timings ?? LoadTimings()
        let known = [
            timings.queue, timings.dns + timings.connect, timings.firstByte, timings.body, timings.decode,
            timings.encode,
        ].map { Float(max(0, $0.inMilliseconds)) }
        let length = self.end - self.start
        let sum = known.reduce(0, +)
        // Parts that overlap are longer than the whole together; the bar is not.
        let scale = sum > length && sum > 0 ? length / sum : 1
        parts = known.map { $0 * scale } + [max(0, length - sum)]
    }
}
