/// What a soak has done.
package struct SoakSummary: CustomStringConvertible, Sendable {
    var kills = 0
    private var checks = 0
    private var hits = 0
    private var changes = 0
    private var slowest = Duration.zero

    mutating func add(_ reading: SoakReading, changes: Int) {
        checks += 1
        hits += reading.hits
        self.changes = changes
        slowest = max(slowest, reading.firstHit ?? .zero)
    }

    package var description: String {
        """
        \(kills) kills, \(changes) changes, \(checks) checks: all \(hits) hits right, \
        the slowest first hit after \(Int(slowest / .milliseconds(1))) ms
        """
    }
}
