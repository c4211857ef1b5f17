/// Bytes put together from bits, the first bit of a code in the order that the format wants.
struct BitWriter {
    /// Which bit of a byte is filled first.
    enum Order {
        case highestFirst, lowestFirst
    }

    private let order: Order
    private(set) var bytes: [UInt8] = []
    private var used = 8

    init(_ order: Order) {
        self.order = order
    }

    /// Adds `count` bits of `value`, in the writer's order.
    mutating func write(_ value: Int, _ count: Int) {
        for index in 0..<count {
            let shift = order == .lowestFirst ? index : count - 1 - index
            write(bit: value >> shift & 1)
        }
    }

    /// Fills the last byte up with `bit`.
    mutating func fill(with bit: Int) {
        while used < 8 { write(bit: bit) }
    }

    private mutating func write(bit: Int) {
        if used == 8 {
            bytes.append(0)
            used = 0
        }
        bytes[bytes.count - 1] |= UInt8(bit << (order == .lowestFirst ? used : 7 - used))
        used += 1
    }
}

extension [UInt8] {
    /// A number in `length` bytes, the most significant first.
    static func big(_ value: Int, _ length: Int) -> [UInt8] {
        (0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A number in `length` bytes, the least significant first.
    static func little(_ value: Int, _ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// The bytes in runs of at most `length`.
    func runs(of length: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: count, by: length).map { self[$0..<Swift.min($0 + length, count)] }
    }
}
