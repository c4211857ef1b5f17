/// What came of a run.
struct Tally: Sendable {
    var made = 0
    var failures = 0
    /// The first few, with their reasons.
    var firstFailures: [String] = []
    var took = Clocks(wall: 0, cpu: 0)

    /// How many pictures came from which decoder.
    var decoders: [String: Int] = [:]

    mutating func succeed(_ decoder: String) {
        made += 1
        decoders[decoder, default: 0] += 1
    }

    mutating func fail(_ path: String, _ reason: String) {
        failures += 1
        if firstFailures.count < 10 { firstFailures.append("\(path): \(reason)") }
    }
}
