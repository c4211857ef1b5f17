/// A number of bytes.
public struct ByteCount: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number itself.
    public var bytes: Int

    /// Creates a count of `bytes` bytes.
    public init(_ bytes: Int) {
        self.bytes = bytes
    }

    /// A count of `n` times 1,024 bytes.
    public static func kibibytes(_ n: Int) -> ByteCount { ByteCount(n << 10) }

    /// A count of `n` times 1,048,576 bytes.
    public static func mebibytes(_ n: Int) -> ByteCount { ByteCount(n << 20) }

    /// Orders counts by size.
    public static func < (lhs: ByteCount, rhs: ByteCount) -> Bool { lhs.bytes < rhs.bytes }

    /// The count in the largest decimal unit that gives at least one, such as `1.4 MB`.
    public var description: String {
        guard bytes.magnitude >= 1000 else { return "\(bytes) B" }
        var tenths = (bytes.magnitude + 50) / 100
        var unit = "kB"
        for larger in ["MB", "GB", "TB"] where tenths >= 10_000 {
            tenths = (tenths + 500) / 1000
            unit = larger
        }
        return "\(bytes < 0 ? "-" : "")\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
