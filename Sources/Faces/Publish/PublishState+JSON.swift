internal import CalotypeCore
internal import FoundationEssentials

extension PublishState {
    /// The state as a JSON object on one line, for programs.
    ///
    /// ```json
    /// {"stage": "uploading", "fraction": 0.42, "acknowledged": 420, "total": 1000, "rewinds": 0, "pause": 12.5, "problem": "…",
    ///  "retry_in": 1.5, "items": [{"name": "1.jpg", "stage": "uploading", "size": 1000, "sent": 500, "acknowledged": 420,
    ///  "attempt": 1, "rewinds": 0, "problem": "…", "retry_in": 2.5}]}
    /// ```
    ///
    /// Sizes are in bytes, times in seconds from now; `pause` is the one that the server asked for. `pause`,
    /// `problem` and `retry_in` are left out if they have no value.
    package func json(at now: ContinuousClock.Instant = .now) -> String {
        JSONLine.text(PublishStateDocument(self, at: now))
    }
}

/// The JSON form of a state; see ``PublishState/json(at:)``.
package struct PublishStateDocument: Encodable, Sendable {
    private struct Item: Encodable {
        enum CodingKeys: String, CodingKey {
            case name, stage, size, sent, acknowledged, attempt, rewinds, problem
            case retryIn = "retry_in"
        }

        let name: String
        let stage: String
        let size: Int
        let sent: Int
        let acknowledged: Int
        let attempt: Int
        let rewinds: Int
        let problem: String?
        let retryIn: Double?
    }

    private enum CodingKeys: String, CodingKey {
        case stage, fraction, acknowledged, total, rewinds, pause, problem, items
        case retryIn = "retry_in"
    }

    private let stage: String
    private let fraction: Double
    private let acknowledged: Int
    private let total: Int
    private let rewinds: Int
    private let pause: Double?
    private let problem: String?
    private let retryIn: Double?
    private let items: [Item]

    /// Creates the document; pauses become the remaining time after `now`.
    package init(_ state: PublishState, at now: ContinuousClock.Instant = .now) {
        stage = state.stage.rawValue
        fraction = state.fraction
        acknowledged = state.acknowledged.bytes
        total = state.total.bytes
        rewinds = state.rewinds
        pause = Self.seconds(until: state.rateLimitedUntil, now)
        problem = state.problem
        retryIn = Self.seconds(until: state.waitsUntil, now)
        items = state.items.map { item in
            Item(
                name: item.name,
                stage: item.stage.rawValue,
                size: item.size.bytes,
                sent: item.sent.bytes,
                acknowledged: item.acknowledged.bytes,
                attempt: item.attempt,
                rewinds: item.rewinds,
                problem: item.problem,
                retryIn: Self.seconds(until: item.waitsUntil, now)
            )
        }
    }

    /// Returns the remaining time in seconds, rounded to tenths.
    private static func seconds(
        until end: ContinuousClock.Instant?,
        _ now: ContinuousClock.Instant
    ) -> Double? {
        guard let end, end > now else { return nil }
        return (now.duration(to: end) / .seconds(1) * 10).rounded() / 10
    }
}
