/// Random access to encoded bytes, in memory or in a file, that throws instead of trapping.
struct ByteReader {
    /// The number of bytes.
    let count: Int
    private let file: PictureFile?
    /// The bytes that were read last: all of them if they are in memory.
    private(set) var window: [UInt8]
    /// The offset of the first byte of ``window``.
    private(set) var windowStart = 0

    static let windowLength = 64 << 10

    init(_ bytes: [UInt8]) {
        count = bytes.count
        file = nil
        window = bytes
    }

    init(_ file: PictureFile) {
        count = file.count
        self.file = file
        window = []
    }

    /// The byte at `offset`.
    mutating func byte(_ offset: Int) throws(CodecError) -> Int {
        try reach(offset)
        return Int(window[offset - windowStart])
    }

    /// Moves ``window`` so that it has the byte at `offset`.
    mutating func reach(_ offset: Int) throws(CodecError) {
        guard offset >= 0, offset < count else { throw .outOfBytes }
        if offset < windowStart || offset - windowStart >= window.count { try moveWindow(to: offset) }
        guard offset - windowStart < window.count else { throw .outOfBytes }
    }

    /// Moves `offset` forward to the next byte that is `byte`.
    mutating func skip(to byte: UInt8, _ offset: inout Int) throws(CodecError) {
        while true {
            try reach(offset)
            let bytes = window.span
            var i = offset - windowStart
            while i < bytes.count, bytes[i] != byte { i &+= 1 }
            offset = windowStart + i
            if i < bytes.count { return }
        }
    }

    /// The `length` (at most 8) bytes at `offset` as a number, the most significant byte first.
    mutating func big(_ offset: Int, _ length: Int) throws(CodecError) -> Int {
        var value: UInt64 = 0
        for i in 0..<length { value = value << 8 | UInt64(try byte(offset + i)) }
        guard let number = Int(exactly: value) else { throw .corrupt("a number of 64 bits is out of range") }
        return number
    }

    /// The `length` (at most 8) bytes at `offset` as a number, the least significant byte first.
    mutating func little(_ offset: Int, _ length: Int) throws(CodecError) -> Int {
        var value: UInt64 = 0
        for i in 0..<length { value |= UInt64(try byte(offset + i)) << UInt64(8 * i) }
        guard let number = Int(exactly: value) else { throw .corrupt("a number of 64 bits is out of range") }
        return number
    }

    /// The four characters at `offset`.
    mutating func code(_ offset: Int) throws(CodecError) -> String {
        String(decoding: try bytes(offset, 4), as: UTF8.self)
    }

    /// The `length` bytes at `offset`.
    mutating func bytes(_ offset: Int, _ length: Int) throws(CodecError) -> [UInt8] {
        guard offset >= 0, length >= 0, length <= count - offset else { throw .outOfBytes }
        var result: [UInt8] = []
        result.reserveCapacity(length)
        while result.count < length {
            try reach(offset + result.count)
            let start = offset + result.count - windowStart
            result += window[start..<min(window.count, start + length - result.count)]
        }
        return result
    }

    /// The first 64 KiB, or all bytes if there are fewer.
    mutating func start() throws(CodecError) -> [UInt8] {
        if windowStart > 0 || window.isEmpty, count > 0 { try moveWindow(to: 0) }
        return Array(window.prefix(Self.windowLength))
    }

    /// Whether the bytes at `offset` are those of `text`.
    mutating func matches(_ text: StaticString, at offset: Int) throws(CodecError) -> Bool {
        let wanted = Array("\(text)".utf8)
        return try bytes(offset, wanted.count) == wanted
    }

    /// The position `distance` bytes after `offset`, never so large that a small addition overflows.
    static func position(_ offset: Int, plus distance: Int) throws(CodecError) -> Int {
        let (sum, overflow) = offset.addingReportingOverflow(distance)
        guard !overflow, distance >= 0, sum < 1 << 48 else { throw .corrupt("a length is out of range") }
        return sum
    }

    private mutating func moveWindow(to offset: Int) throws(CodecError) {
        guard let file else { throw .outOfBytes }
        windowStart = offset
        window = try file.read(at: offset, length: min(Self.windowLength, count - offset))
    }
}

extension [UInt8] {
    /// The lowest `count` bytes of `number`, the most significant byte first.
    init(big number: Int, _ count: Int) {
        self = (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// The lowest `count` bytes of `number`, the least significant byte first.
    init(little number: Int, _ count: Int) {
        self = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
