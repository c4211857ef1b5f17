/// Decides when a row of the output is made of which source rows, as pairs of source rows come in and only the last few of
/// them are held.
///
/// Where an output row depends on more pairs than are held, its sum begins with those that go.
struct RowSchedule {
    /// An addition of held pairs to an output row's sum.
    struct Step {
        /// The output row, counted from the first kept one.
        var output: Int
        /// The pairs that are added.
        var pairs: Range<Int>
        /// The place of the first pair's weights among all, in pairs.
        var firstWeight: Int
        /// Whether the sum has begun with pairs that are no longer held.
        var isBegun: Bool
    }

    /// The pairs of each output row.
    private let windows: [Range<Int>]
    /// Where the weights of each output row begin, in pairs.
    private let weights: [Int]
    /// How many pairs are held at most.
    private let capacity: Int
    private(set) var held: Range<Int>
    private var next = 0

    /// Begins before the first pair that the output rows, in `windows`, depend on.
    init(_ windows: [Range<Int>], capacity: Int) {
        self.windows = windows
        var next = 0
        weights = windows.map { window in
            defer { next += window.count }
            return next
        }
        self.capacity = capacity
        let first = windows.first?.lowerBound ?? 0
        held = first..<first
    }

    /// Whether all output rows are made.
    var isDone: Bool { next == windows.count }

    /// Takes in the pair after the last one.
    mutating func add() {
        held = held.lowerBound..<held.upperBound + 1
    }

    /// The next output row that has all its pairs now.
    mutating func finished() -> Step? {
        guard !isDone, windows[next].upperBound <= held.upperBound else { return nil }
        let step = step(next)
        next += 1
        if !isDone {
            let first = min(windows[next].lowerBound, held.upperBound)
            held = max(first, held.lowerBound)..<held.upperBound
        }
        return step
    }

    /// Lets all pairs go if no other fits in; what is begun with them before.
    mutating func folded() -> [Step] {
        guard !isDone, held.count == capacity else { return [] }
        let open = windows[next...].prefix { $0.lowerBound < held.upperBound }
        let steps = open.indices.map(step)
        held = held.upperBound..<held.upperBound
        return steps
    }

    private func step(_ output: Int) -> Step {
        let window = windows[output]
        let isBegun = window.lowerBound < held.lowerBound
        let first = max(window.lowerBound, held.lowerBound)
        return Step(
            output: output,
            pairs: first..<min(window.upperBound, held.upperBound),
            firstWeight: weights[output] + first - window.lowerBound,
            isBegun: isBegun
        )
    }
}
