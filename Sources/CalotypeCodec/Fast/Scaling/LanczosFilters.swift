import CScaler

/// The filters of all kept output samples along an axis, in doubles.
struct LanczosFilters {
    /// The source samples of each output sample.
    private(set) var windows: [Range<Int>] = []
    /// Where the weights of each output sample begin.
    private var starts: [Int] = []
    private var weights: [Double] = []

    init(_ axis: ScaledAxis) {
        windows.reserveCapacity(axis.kept.count)
        starts.reserveCapacity(axis.kept.count)
        weights.reserveCapacity(axis.kept.count * 2 * axis.mostPairs)
        for index in axis.kept {
            let other = axis.mirrored(index)
            append(axis, other ?? index)
            guard other != nil, let start = starts.last else { continue }
            weights[start...].reverse()
            windows[windows.count - 1] = axis.window(index)
        }
    }

    private mutating func append(_ axis: ScaledAxis, _ index: Int) {
        let window = axis.window(index)
        let offset = (Double(window.lowerBound) + 0.5 - axis.centre(index)) / axis.stretch
        let start = weights.count
        windows.append(window)
        starts.append(start)
        weights.append(contentsOf: repeatElement(1, count: window.count))
        guard window.count > 1 else { return }
        unsafe weights.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            unsafe cscaler_lanczos3(offset, 1 / axis.stretch, base + start, window.count)
        }
    }

    /// The most binary places, up to `places`, with which all weights fit in 16 bits.
    func shift(places: Int) -> Int32 {
        let most = weights.reduce(1.0 / 65_536) { max($0, abs($1)) }
        var shift = places
        while most * Double(1 << shift) > 32_766 { shift -= 1 }
        return Int32(shift)
    }

    /// The weights in fixed point, from each span's first pair on.
    func fixed(_ spans: [cscaler_span], count: Int, shift: Int32) -> [Int16] {
        unsafe [Int16](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe buffer.initialize(repeating: 0)
            initialized = count
            unsafe weights.withUnsafeBufferPointer { weights in
                guard let source = weights.baseAddress, let target = buffer.baseAddress else { return }
                for (index, span) in spans.enumerated() {
                    let place = 2 * span.weights + windows[index].lowerBound % 2
                    unsafe cscaler_fixed_weights(
                        source + starts[index],
                        windows[index].count,
                        shift,
                        target + place
                    )
                }
            }
        }
    }

    /// The weights as floats, from each span's first pair on.
    func floating(_ spans: [cscaler_span], count: Int) -> [Float] {
        var values = [Float](repeating: 0, count: count)
        for (index, span) in spans.enumerated() {
            let place = 2 * span.weights + windows[index].lowerBound % 2
            for tap in 0..<windows[index].count { values[place + tap] = Float(weights[starts[index] + tap]) }
        }
        return values
    }
}
