import CalotypeCodec
import CalotypeHTTP
import TaskFlow

/// The spans that a load leaves in the task trace, stage by stage; its parts are timed where they happen.
enum LoadTrace {
    /// The wait for permits that has just ended.
    static func recordQueue(_ waited: Duration) {
        TaskTrace.record("queued", category: "wait", duration: waited)
    }

    /// The exchange that has just ended, last part first.
    static func record(_ timings: HTTPTimings) {
        let parts = [
            ("body", timings.body), ("first byte", timings.firstByte),
            ("connect", timings.connect + timings.tls),
            ("dns", timings.dns),
        ]
        record(parts, category: "network")
    }

    /// The rendition that has just been made, last part first.
    static func record(_ coded: CodedPicture) {
        record([("encode", coded.encoding), ("decode", coded.decoding)], category: "codec")
        TaskTrace.record(
            "queued",
            category: "wait",
            duration: coded.queued,
            endedBefore: coded.encoding + coded.decoding
        )
    }

    private static func record(_ parts: [(String, Duration)], category: String) {
        var end = Duration.zero
        for (name, duration) in parts where duration > .zero {
            TaskTrace.record(name, category: category, duration: duration, endedBefore: end)
            end += duration
        }
    }
}
