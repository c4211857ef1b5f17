import CalotypeCPictures
import CalotypeCore

/// Scales one plane of interleaved samples, row by row; returns groups of eight output rows.
///
/// It filters rows from top to bottom first, all samples of a row alike; then it filters the few resulting
/// rows from left to right. It needs memory for some rows, whatever the picture's height and however much it
/// shrinks.
// SAFETY: pointers into `memory` are kept within `size(of:)` of their regions; they do not leave the loops'
// calls.
@safe
final class PlaneScaler {
    let shape: PlaneShape
    private let conversion: cscaler_conversion
    private let arithmetic: cscaler_arithmetic
    private let weights: PlaneWeights
    private let memory: ScalerMemory
    private let starts: [UnsafeMutableRawPointer]
    /// The slots of held pairs, listed twice, so that every run of pairs has adjacent slots.
    private let places: [UnsafeRawPointer]
    private var schedule: RowSchedule
    /// The number of source rows taken so far.
    private var taken = 0
    /// The number of rows of the group that are filtered from top to bottom.
    private var lines = 0

    /// - Throws: `encode_failed` if memory runs out.
    init(
        _ shape: PlaneShape,
        weights: PlaneWeights,
        conversion: cscaler_conversion,
        kernels: cscaler_kernels
    ) throws(CalotypeError) {
        self.shape = shape
        self.conversion = conversion
        arithmetic = shape.isFixed ? kernels.fixed : kernels.floating
        self.weights = weights
        schedule = RowSchedule(weights.rows.windows, capacity: shape.heldPairs)
        let sizes = ScalerRegion.allCases.map(shape.size)
        memory = try ScalerMemory(bytes: sizes.reduce(0, +))
        var next = unsafe memory.start
        unsafe starts = sizes.map { size in
            defer { unsafe next += size }
            return unsafe next
        }
        let pairs = unsafe starts[ScalerRegion.pairs.rawValue]
        let (held, pairSize) = (shape.heldPairs, shape.pairSize)
        unsafe places = (0..<2 * held).map { unsafe UnsafeRawPointer(pairs + $0 % held * pairSize) }
    }

    /// Takes the next source row.
    ///
    /// Passes the levels of each group that the row completes to `body`, with its number of rows.
    func take(_ row: Span<UInt8>, _ body: (_ levels: Span<Int16>, _ rows: Int) throws -> Void) rethrows {
        let index = taken
        taken += 1
        guard index / 2 == schedule.held.upperBound, !schedule.isDone else { return }
        stage(row, odd: index % 2 != 0)
        guard index % 2 != 0 || taken == shape.rows.samples else { return }
        addPair()
        while let step = schedule.finished() {
            add(step, isLast: true)
            guard lines == CSCALER_GROUP || schedule.isDone else { continue }
            try finish(body)
        }
        for step in schedule.folded() { add(step, isLast: false) }
    }

    private func start(_ region: ScalerRegion) -> UnsafeMutableRawPointer {
        unsafe starts[region.rawValue]
    }

    /// Copies the relevant part of a row to memory where the loops may read a little beyond it.
    private func stage(_ row: Span<UInt8>, odd: Bool) {
        let width = shape.columns.samples * shape.channels
        precondition(row.count >= width, "a row has \(row.count) samples and not \(width)")
        let count = min(width - shape.firstSample, shape.rowSamples)
        unsafe row.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe (start(.staged) + (odd ? shape.rowSamples : 0))
                .copyMemory(from: base + shape.firstSample, byteCount: count)
        }
    }

    /// Makes a pair from the two staged rows; after the last of an odd number of rows, the other row has no
    /// weight.
    private func addPair() {
        let place = schedule.held.upperBound % shape.heldPairs
        let even = unsafe start(.staged).assumingMemoryBound(to: UInt8.self)
        unsafe arithmetic.pair(
            start(.pairs) + place * shape.pairSize,
            even,
            even + shape.rowSamples,
            shape.rowSamples,
            conversion
        )
        schedule.add()
    }

    /// Adds held pairs to an output row's sum, and moves the sum to the group if they are the last.
    private func add(_ step: RowSchedule.Step, isLast: Bool) {
        let sum = unsafe start(.sums) + step.output % max(1, shape.openSums) * shape.sumSize
        let weight = unsafe weights.rows.values + step.firstWeight * weights.rows.pairBytes
        unsafe places.withUnsafeBufferPointer { places in
            guard let first = places.baseAddress else { return }
            unsafe arithmetic.down(
                first + step.pairs.lowerBound % shape.heldPairs,
                weight,
                step.pairs.count,
                weights.rows.shift,
                shape.rowSamples,
                step.isBegun ? UnsafeRawPointer(sum) : nil,
                sum,
                isLast ? start(.lines) + lines * shape.lineSize : nil
            )
        }
        if isLast { lines += 1 }
    }

    /// Filters a group from left to right.
    private func finish(_ body: (_ levels: Span<Int16>, _ rows: Int) throws -> Void) rethrows {
        let pixels = shape.rowSamples / shape.channels
        let channels = Int32(shape.channels)
        unsafe arithmetic.turn(start(.lines), shape.rowSamples, pixels, channels, start(.columns))
        let levels = unsafe start(.levels).assumingMemoryBound(to: Int16.self)
        if let spans = unsafe weights.columns.spans.baseAddress {
            unsafe arithmetic.across(
                start(.columns),
                UInt32(shape.firstSample / shape.channels / 2),
                spans,
                weights.columns.values,
                weights.columns.shift,
                shape.columns.kept.count,
                conversion,
                levels
            )
        }
        let rows = lines
        lines = 0
        try body(unsafe UnsafeBufferPointer(start: levels, count: shape.levelCount).span, rows)
    }
}

/// Decides which source rows make an output row, and when, while only the last few pairs of source rows are
/// held.
///
/// If an output row depends on more pairs than can be held, its sum starts with the pairs that are dropped.
struct RowSchedule {
    /// An addition of held pairs to an output row's sum.
    struct Step {
        /// The output row, counted from the first kept one.
        var output: Int
        /// The pairs to add.
        var pairs: Range<Int>
        /// The position of the first pair's weights among all, in pairs.
        var firstWeight: Int
        /// Whether the sum was started with pairs that are no longer held.
        var isBegun: Bool
    }

    /// The pairs of each output row.
    private let windows: [Range<Int>]
    /// Where the weights of each output row begin, in pairs.
    private let weights: [Int]
    /// The maximum number of held pairs.
    private let capacity: Int
    private(set) var held: Range<Int>
    private var next = 0

    /// Starts before the first pair that the output rows, in `windows`, depend on.
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

    /// Whether all output rows are complete.
    var isDone: Bool { next == windows.count }

    /// Adds the next pair.
    mutating func add() {
        held = held.lowerBound..<held.upperBound + 1
    }

    /// Returns the next output row that has all its pairs now.
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

    /// Drops all pairs if no other fits, after starting the sums that depend on them.
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
