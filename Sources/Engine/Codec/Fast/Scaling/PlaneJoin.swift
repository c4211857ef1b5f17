import CalotypeCPictures
import CalotypeCore

/// Scales planes of Y, Cb and Cr separately and joins them into rows of red, green and blue at the output's
/// size.
///
/// The planes' levels are joined before they are rounded to bytes, so that rounding happens only once.
final class PlaneJoin {
    private let loops: cscaler_kernels
    private let scalers: [PlaneScaler]
    private let rows: GroupRows
    private let width: Int
    /// For each plane, the groups that wait for those of the other planes: as many as its rows are ahead.
    private var waiting: [[Group]]
    private let joined: ScalerMemory

    private struct Group {
        var levels: [Int16]
        var rows: Int
    }

    /// - Throws: `encode_failed` if memory runs out.
    init(_ plan: ResamplerPlan, kernels: cscaler_kernels) throws(CalotypeError) {
        loops = kernels
        width = plan.shapes[0].columns.kept.count
        scalers = try Self.scalers(plan, kernels)
        waiting = scalers.map { _ in [] }
        rows = try GroupRows(width: width, channels: 3, kernels: kernels)
        joined = try ScalerMemory(bytes: Self.joinedCount(width: width) * 2)
    }

    /// Takes the next row of a plane, and passes each output row that it completes to `body`.
    func take(_ row: Span<UInt8>, plane: Int, _ body: (Span<UInt8>) throws -> Void) rethrows {
        scalers[plane].take(row) { levels, count in
            let copy = unsafe levels.withUnsafeBufferPointer { unsafe Array($0) }
            waiting[plane].append(Group(levels: copy, rows: count))
        }
        while waiting.allSatisfy({ !$0.isEmpty }) {
            let groups = waiting.indices.map { waiting[$0].removeFirst() }
            let levels = unsafe joined.start.assumingMemoryBound(to: Int16.self)
            unsafe loops.join(groups[0].levels, groups[1].levels, groups[2].levels, width, levels)
            let count = Self.joinedCount(width: width)
            try rows.give(unsafe UnsafeBufferPointer(start: levels, count: count).span, groups[0].rows, body)
        }
    }

    private static func scalers(
        _ plan: ResamplerPlan,
        _ kernels: cscaler_kernels
    ) throws(CalotypeError) -> [PlaneScaler] {
        var scalers: [PlaneScaler] = []
        var known: [PlaneShape: PlaneWeights] = [:]
        for shape in plan.shapes {
            let weights = if let same = known[shape] { same } else { try PlaneWeights(shape) }
            known[shape] = weights
            scalers.append(
                try PlaneScaler(shape, weights: weights, conversion: plan.conversion, kernels: kernels)
            )
        }
        return scalers
    }

    /// The number of levels in a group of rows of `width` colours.
    private static func joinedCount(width: Int) -> Int {
        (3 * width).roundedUp(to: Int(CSCALER_GROUP)) * Int(CSCALER_GROUP)
    }
}

/// Converts groups of levels to rows of bytes.
// SAFETY: the rows lie within `memory`, which this class owns; spans of them end with the call that receives
// them.
@safe
final class GroupRows {
    private let loops: cscaler_kernels
    private let memory: ScalerMemory
    /// The samples of a row, without and with the padding for the loops' last step.
    private let samples: Int
    private let stride: Int

    /// - Throws: `encode_failed` if memory runs out.
    init(width: Int, channels: Int, kernels: cscaler_kernels) throws(CalotypeError) {
        loops = kernels
        samples = width * channels
        stride = samples.roundedUp(to: Int(CSCALER_GROUP))
        memory = try ScalerMemory(bytes: Self.bytes(width: width, channels: channels))
    }

    /// The memory for rows of `width` pixels.
    static func bytes(width: Int, channels: Int) -> Int {
        (width * channels).roundedUp(to: Int(CSCALER_GROUP)) * Int(CSCALER_GROUP)
    }

    /// Rounds the first `count` rows of a group to bytes and passes them to `body`.
    func give(_ levels: Span<Int16>, _ count: Int, _ body: (Span<UInt8>) throws -> Void) rethrows {
        precondition(levels.count >= stride * Int(CSCALER_GROUP), "a group has \(levels.count) levels")
        let rows = unsafe memory.start.assumingMemoryBound(to: UInt8.self)
        unsafe levels.withUnsafeBufferPointer { levels in
            guard let first = levels.baseAddress else { return }
            unsafe loops.bytes(first, stride, rows, stride)
        }
        for row in 0..<count {
            try body(unsafe UnsafeBufferPointer(start: rows + row * stride, count: samples).span)
        }
    }
}
