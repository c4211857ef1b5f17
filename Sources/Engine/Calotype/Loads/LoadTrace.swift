import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// The spans that a load leaves in the task trace, stage by stage; its parts are timed where they happen.
enum LoadTrace {
    /// The wait for permits that has just ended.
    static func recordQueue(_ waited: Duration) {
        TaskTrace.record("queued", category: "wait", duration: waited)
    }

    /// The name that has just been resolved, or found to have no address.
    static func recordDNS(_ duration: Duration) {
        record([("dns", duration)], category: "network")
    }

    /// The exchange whose answer's head has just come, last part first.
    static func recordHead(_ timings: HTTPTimings) {
        let parts = [("first byte", timings.firstByte), ("connect", timings.connect + timings.tls)]
        record(parts, category: "network", endedBefore: timings.body)
    }

    /// The exchange that has just ended.
    static func recordBody(_ timings: HTTPTimings) {
        record([("body", timings.body)], category: "network")
    }

    /// The attempt that has just failed, and had begun so long ago.
    static func recordFailedTry(_ duration: Duration) {
        record([("failed try", duration)], category: "network")
    }

    /// The pictures that one decode has just made, last part first.
    static func record(_ pictures: [Result<CodedPicture, CalotypeError>]) {
        // What failed has no times.
        let made = pictures.compactMap { try? $0.get() }
        guard let first = made.first(where: { !$0.isVerbatim }) ?? made.first else { return }
        let encoding = made.reduce(Duration.zero) { $0 + $1.encoding }
        record([("encode", encoding), ("decode", first.decoding)], category: "codec")
        TaskTrace.record(
            "queued",
            category: "wait",
            duration: first.queued,
            endedBefore: encoding + first.decoding
        )
    }

    private static func record(
        _ parts: [(String, Duration)],
        category: String,
        endedBefore end: Duration = .zero
    ) {
        var end = end
        for (name, duration) in parts where duration > .zero {
            TaskTrace.record(name, category: category, duration: duration, endedBefore: end)
            end += duration
        }
    }
}
