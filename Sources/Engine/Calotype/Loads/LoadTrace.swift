import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPMessages
import TaskFlow

/// The spans of a load in the task trace; each part is timed where it happens.
enum LoadTrace {
    /// Records a wait for permits that has just ended.
    static func recordQueue(_ waited: Duration) {
        TaskTrace.record("queued", category: "wait", duration: waited, arguments: arguments)
    }

    /// Records a name resolution that has just ended.
    static func recordDNS(_ duration: Duration) {
        record([("dns", duration)], category: "network")
    }

    /// Records an exchange whose response head has just arrived, last part first.
    static func recordHead(_ timings: HTTPTimings) {
        let parts = [("first byte", timings.firstByte), ("connect", timings.connect + timings.tls)]
        record(parts, category: "network", endedBefore: timings.body)
    }

    /// Records an exchange that has just ended.
    static func recordBody(_ timings: HTTPTimings) {
        record([("body", timings.body)], category: "network")
    }

    /// Records an attempt that has just failed.
    static func recordFailedTry(_ duration: Duration) {
        record([("failed try", duration)], category: "network")
    }

    /// Records the pictures that one decode has just made, last part first.
    static func record(_ pictures: [Result<CodedPicture, CalotypeError>]) {
        // Failures have no times.
        let made = pictures.compactMap { try? $0.get() }
        guard let first = made.first(where: { !$0.isVerbatim }) ?? made.first else { return }
        let encoding = made.reduce(Duration.zero) { $0 + $1.encoding }
        record([("encode", encoding), ("decode", first.decoding)], category: "codec")
        TaskTrace.record(
            "queued",
            category: "wait",
            duration: first.queued,
            endedBefore: encoding + first.decoding,
            arguments: arguments
        )
    }

    private static func record(
        _ parts: [(String, Duration)],
        category: String,
        endedBefore end: Duration = .zero
    ) {
        var end = end
        for (name, duration) in parts where duration > .zero {
            TaskTrace.record(
                name,
                category: category,
                duration: duration,
                endedBefore: end,
                arguments: arguments
            )
            end += duration
        }
    }

    /// The distributed trace to which the load belongs.
    private static var arguments: [TraceEvent.Argument] {
        TraceContext.current.map { [TraceEvent.Argument("trace", $0.traceID)] } ?? []
    }
}
