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
        var tenths = bytes.magnitude &* 10
        var unit = "B"
        for larger in ["kB", "MB", "GB", "TB"] where tenths >= 10_000 {
            tenths = (tenths + 500) / 1000
            unit = larger
        }
        let number = unit == "B" ? "\(bytes.magnitude)" : "\(tenths / 10).\(tenths % 10)"
        return "\(bytes < 0 ? "-" : "")\(number) \(unit)"
    }
}
