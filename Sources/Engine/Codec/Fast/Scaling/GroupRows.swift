import CalotypeCScaler
import CalotypeCore

/// Makes rows of bytes of groups of levels.
// SAFETY: the rows lie within `memory`, which this class owns; spans of them end with the call that they are given to.
@safe
final class GroupRows {
    private let loops: cscaler_kernels
    private let memory: ScalerMemory
    /// The samples of a row, without and with what fills up the loops' last step.
    private let samples: Int
    private let stride: Int

    /// - Throws: `encode_failed` where there is not enough memory.
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

    /// Rounds the first `count` rows of a group to bytes and hands them to `body`.
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
