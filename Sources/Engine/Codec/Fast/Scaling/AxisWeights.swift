import CalotypeCPictures
import CalotypeCore

/// The weights of Lanczos-3 for all output samples along one axis, in pairs of source samples.
///
/// The filter follows Duchon, "Lanczos Filtering in One and Two Dimensions" (1979), with three lobes,
/// stretched when it shrinks. Samples outside the picture have no weight; the others add up to 1 for each
/// output sample.
// SAFETY: the pointers are into memory that this class owns.
@safe
final class AxisWeights {
    /// The pairs on which each kept output sample depends, and where their weights begin.
    let spans: UnsafeBufferPointer<cscaler_span>
    /// Two weights for each pair.
    let values: UnsafeRawPointer
    /// The number of binary places of fixed-point weights.
    let shift: Int32
    /// The bytes of two weights.
    let pairBytes: Int

    private let memory: ScalerMemory

    /// Computes the weights, with at most `places` binary places in fixed point, or as floats for `nil`.
    ///
    /// - Throws: `encode_failed` if memory runs out.
    init(_ axis: ScaledAxis, places: Int?) throws(CalotypeError) {
        let filters = axis.kept.map(axis.filter)
        pairBytes = places == nil ? 8 : 4
        let pairs = filters.reduce(0) { $0 + $1.pairs.count }
        let spanBytes = filters.count * MemoryLayout<cscaler_span>.stride
        let taps = filters.reduce(0) { $0 + Int($1.count) }
        let memory = try ScalerMemory(bytes: spanBytes + pairs * pairBytes)
        let doubles = try ScalerMemory(bytes: taps * 8)

        let spans = unsafe memory.start.bindMemory(to: cscaler_span.self, capacity: filters.count)
        var next = 0
        for (index, filter) in filters.enumerated() {
            let pairs = filter.pairs
            unsafe spans[index] = cscaler_span(
                first: UInt32(pairs.lowerBound),
                count: UInt32(pairs.count),
                weights: next
            )
            next += pairs.count
        }
        let weights = unsafe doubles.start.bindMemory(to: Double.self, capacity: taps)
        let most = unsafe cscaler_lanczos3(filters, filters.count, 1 / axis.stretch, weights)
        let values = unsafe memory.start + spanBytes
        if let places {
            shift = Self.shift(of: most, places: places)
            unsafe cscaler_fixed_pairs(
                filters,
                spans,
                filters.count,
                weights,
                shift,
                values.bindMemory(to: Int16.self, capacity: 2 * pairs)
            )
        } else {
            shift = 0
            unsafe cscaler_float_pairs(
                filters,
                spans,
                filters.count,
                weights,
                values.bindMemory(to: Float.self, capacity: 2 * pairs)
            )
        }
        unsafe self.spans = UnsafeBufferPointer(start: spans, count: filters.count)
        unsafe self.values = UnsafeRawPointer(values)
        self.memory = memory
    }

    /// The pairs on which each kept output sample depends.
    var windows: [Range<Int>] {
        unsafe spans.map { Int($0.first)..<Int($0.first) + Int($0.count) }
    }

    /// The maximum memory for the weights, also while they are being computed.
    static func bytes(_ axis: ScaledAxis) -> Int {
        axis.kept.count
            * (MemoryLayout<cscaler_span>.stride + MemoryLayout<cscaler_filter>.stride + axis.mostPairs * 24)
    }

    /// The maximum number of binary places, up to `places`, with which a weight of `most` fits in 16 bits.
    private static func shift(of most: Double, places: Int) -> Int32 {
        var shift = places
        while most * Double(1 << shift) > 32_766 { shift -= 1 }
        return Int32(shift)
    }
}

extension ScaledAxis {
    /// The source samples of output sample `index`, and where the first of them lies.
    fileprivate func filter(_ index: Int) -> cscaler_filter {
        let window = window(index)
        let other = mirrored(index)
        let source = other.map { _ in fromOtherEnd(window.upperBound) } ?? window.lowerBound
        return cscaler_filter(
            first: UInt32(window.lowerBound),
            count: UInt32(window.count),
            offset: (Double(source) + 0.5 - centre(other ?? index)) / stretch,
            is_mirrored: other == nil ? 0 : 1
        )
    }
}

extension cscaler_filter {
    /// The pairs that contain its source samples.
    fileprivate var pairs: Range<Int> { Int(first) / 2..<(Int(first) + Int(count) + 1) / 2 }
}

/// The weights for filtering a plane; planes of the same shape share them.
struct PlaneWeights {
    let rows: AxisWeights
    let columns: AxisWeights

    /// - Throws: `encode_failed` if memory runs out.
    init(_ shape: PlaneShape) throws(CalotypeError) {
        // 255 in 22 binary places, and levels of 16 bits in 16, fit in 32-bit sums even if the filter
        // overshoots.
        rows = try AxisWeights(shape.rows, places: shape.isFixed ? 22 : nil)
        columns = try AxisWeights(shape.columns, places: shape.isFixed ? 16 : nil)
    }
}
