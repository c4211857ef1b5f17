/// The last requests to what receives.
struct RequestLog: Sendable {
    private static let largestCount = 1000

    private(set) var entries: [Received.Request] = []

    mutating func add(_ entry: Received.Request) {
        if entries.count >= 2 * Self.largestCount { entries.removeFirst(Self.largestCount) }
        entries.append(entry)
    }

    /// The newest, oldest first.
    var latest: [Received.Request] { Array(entries.suffix(Self.largestCount)) }
}
