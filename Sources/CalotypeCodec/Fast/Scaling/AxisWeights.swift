import CScaler

/// The weights of Lanczos-3 for all output samples along one axis, in pairs of source samples.
///
/// The filter is as in Duchon, "Lanczos Filtering in One and Two Dimensions" (1979), with three lobes, stretched where it
/// shrinks. What lies outside of the picture has no weight; the others sum up to 1 for each output sample.
struct AxisWeights {
    /// Two weights for each pair, in the form that the loops read.
    enum Values {
        case fixed([Int16])
        case floating([Float])
    }

    /// Which pairs each kept output sample depends on, and where their weights begin.
    let spans: [cscaler_span]
    let values: Values
    /// The binary places of fixed weights.
    let shift: Int32

    /// Computes the weights, with at most `places` binary places in fixed point, or as floats for `nil`.
    init(_ axis: ScaledAxis, places: Int?) {
        let filters = LanczosFilters(axis)
        spans = Self.spans(filters)
        shift = places.map { filters.shift(places: $0) } ?? 0
        let count = spans.last.map { 2 * ($0.weights + Int($0.count)) } ?? 0
        values =
            places == nil
            ? .floating(filters.floating(spans, count: count))
            : .fixed(filters.fixed(spans, count: count, shift: shift))
    }

    /// The memory that the weights take, at most, while they are made too.
    static func bytes(_ axis: ScaledAxis) -> Int {
        axis.kept.count * (64 + axis.mostPairs * 24)
    }

    /// Calls `body` with the place of the weights that begin at pair `index`.
    func withWeights<Output>(at index: Int, _ body: (UnsafeRawPointer) throws -> Output) rethrows -> Output? {
        switch values {
        case .fixed(let weights):
            try unsafe weights.withUnsafeBytes { bytes in
                unsafe try bytes.baseAddress.map { unsafe try body($0 + index * 4) }
            }
        case .floating(let weights):
            try unsafe weights.withUnsafeBytes { bytes in
                unsafe try bytes.baseAddress.map { unsafe try body($0 + index * 8) }
            }
        }
    }

    private static func spans(_ filters: LanczosFilters) -> [cscaler_span] {
        var weights = 0
        return filters.windows.map { window in
            let pairs = window.lowerBound / 2..<(window.upperBound + 1) / 2
            defer { weights += pairs.count }
            return cscaler_span(first: UInt32(pairs.lowerBound), count: UInt32(pairs.count), weights: weights)
        }
    }
}
