/// How many searches are answered in any minute.
struct SearchAllowance: Sendable {
    private static let span: Duration = .seconds(60)

    /// The most searches in a minute; any number where `nil`.
    let limit: Int?
    /// When those of the last minute were answered.
    private var times: [ContinuousClock.Instant] = []

    init(limit: Int?) {
        self.limit = limit
    }

    /// Whether one more is answered `now`; then it counts.
    mutating func admits(_ now: ContinuousClock.Instant) -> Bool {
        guard let limit else { return true }
        times.removeAll { now - $0 >= Self.span }
        guard times.count < limit else { return false }
        times.append(now)
        return true
    }
}
