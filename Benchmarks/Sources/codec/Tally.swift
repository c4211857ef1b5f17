/// What came of a run.
struct Tally: Sendable {
    var made = 0
    var failures = 0
    /// The first few, with their reasons.
    var firstFailures: [String] = []
    var took = Clocks(wall: 0, cpu: 0)

    mutating func fail(_ path: String, _ reason: String) {
        failures += 1
        if firstFailures.count < 10 { firstFailures.append("\(path): \(reason)") }
    }
}
