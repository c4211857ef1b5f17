/// The bits of a scan up to its next marker, without the zeros after bytes of ones (ITU-T T.81, F.1.2.3).
///
/// Bits beyond the end are zeros, as for libjpeg; compare ``position`` with ``end`` to notice.
struct CodedBits {
    /// More bits than one unit of a scan takes: ten blocks of differences, or one of other coefficients.
    static let unitBits = 4096

    /// The number of the next bit.
    var position = 0
    /// Whether all bits up to the next marker are in ``words``.
    private(set) var isWhole = false

    private var buffer: WordBuffer
    private var source: ByteReader
    private var offset: Int
    private let limit: Int
    private let isLast: Bool

    /// The bits of the bytes in `range` of `source`; the caller found no markers in it but restart markers.
    ///
    /// The end of the picture follows it if `isLast`.
    init(_ source: ByteReader, _ range: Range<Int>, isLast: Bool) {
        self.source = source
        self.isLast = isLast
        (offset, limit) = (range.lowerBound, range.upperBound)
        buffer = WordBuffer(capacity: min(4096, range.count / 8 + 1), padding: Self.unitBits / 64 + 2)
    }

    /// The bits, the first one on top.
    var words: [UInt64] { _read { yield buffer.words } }
    /// The number of the bit after the last one in ``words``.
    var end: Int { buffer.filled << 6 + buffer.held }

    /// Whether another unit may need more bits than there are.
    var isLow: Bool { !isWhole && end - position < Self.unitBits }

    /// Whether bits were used that do not exist.
    var isOverdrawn: Bool { position > end }

    /// What it is if bits are missing before the next marker.
    var cut: ScanCut { isLast && offset >= limit ? .atEnd : .within }

    /// Adds bits behind the last ones.
    mutating func refill() throws(CodecError) {
        let used = min(position >> 6, buffer.filled)
        buffer.drop(used)
        position -= used << 6
        while !buffer.isFull, !isWhole {
            guard offset < limit else {
                isWhole = true
                break
            }
            try source.reach(offset)
            let start = source.windowStart
            let window = source.window
            let filled = buffer.fill(window.span, from: offset - start, to: limit - start)
            (offset, isWhole) = (start + filled.end, filled.meetsMarker)
            // At the end of the window the next one follows, after a byte of ones that is the last in it.
            if !isWhole, !buffer.isFull, filled.end < min(window.count, limit - start) { try escape() }
        }
        buffer.close()
    }

    /// Goes on after the next restart marker.
    mutating func nextSegment() throws(CodecError) {
        while !isWhole {
            position = end
            try refill()
        }
        offset += 2
        (position, isWhole) = (0, false)
        buffer.empty()
        try refill()
    }

    /// Takes a byte of ones at the end of a window, whose zero is in the next one.
    private mutating func escape() throws(CodecError) {
        guard offset + 1 < limit, try source.byte(offset + 1) == 0 else {
            isWhole = true
            return
        }
        buffer.add(0xFF)
        offset += 2
    }
}

/// Words that bytes are put into, the first byte on top.
private struct WordBuffer {
    private(set) var words: [UInt64]
    /// The number of whole words.
    private(set) var filled = 0
    /// The number of bits in the word after them.
    private(set) var held = 0

    private var word: UInt64 = 0
    private let capacity: Int

    /// A buffer for `capacity` words and as many zeros behind them as `padding` says.
    init(capacity: Int, padding: Int) {
        self.capacity = capacity
        words = [UInt64](repeating: 0, count: capacity + padding)
    }

    var isFull: Bool { filled >= capacity }

    /// Removes the first `count` words.
    mutating func drop(_ count: Int) {
        for i in 0..<filled - count { words[i] = words[i + count] }
        filled -= count
    }

    /// Removes all bits.
    mutating func empty() { (filled, held, word) = (0, 0, 0) }

    /// Adds the last bits, and zeros behind them.
    mutating func close() {
        words[filled] = word
        for i in filled + 1..<words.count { words[i] = 0 }
    }

    @inline(__always)
    mutating func add(_ byte: UInt8) {
        word |= UInt64(byte) << UInt64(56 - held)
        held += 8
        guard held == 64 else { return }
        words[filled] = word
        (filled, word, held) = (filled + 1, 0, 0)
    }

    /// Adds the bytes from `start` up to a marker or to `limit`, as far as they are in `window`.
    ///
    /// Returns where it stopped, and whether that is a marker.
    mutating func fill(_ window: Span<UInt8>, from start: Int, to limit: Int) -> (end: Int, meetsMarker: Bool)
    {
        let count = min(window.count, limit)
        var i = start
        while i < count, !isFull {
            while i &+ 8 <= count, !isFull {
                let next = Self.eight(window, i)
                // A byte of ones is a zero byte of the complement.
                let zeros = ~next
                guard (zeros &- 0x0101_0101_0101_0101) & ~zeros & 0x8080_8080_8080_8080 == 0 else { break }
                words[filled] = word | next >> UInt64(held)
                word = held > 0 ? next << UInt64(64 - held) : 0
                filled += 1
                i += 8
            }
            guard i < count, !isFull else { break }
            let byte = window[i]
            if byte == 0xFF {
                guard i + 1 < count else { return (i, false) }
                guard window[i + 1] == 0 else { return (i, true) }
                i += 1
            }
            i += 1
            add(byte)
        }
        return (i, false)
    }

    @inline(__always)
    private static func eight(_ bytes: Span<UInt8>, _ i: Int) -> UInt64 {
        var word: UInt64 = 0
        for k in 0..<8 { word |= UInt64(bytes[i &+ k]) << UInt64(56 - 8 * k) }
        return word
    }
}

extension Span<UInt64> {
    /// The 64 bits from `position` on.
    @inline(__always)
    func bits(at position: Int) -> UInt64 {
        let (word, shift) = (position >> 6, UInt64(truncatingIfNeeded: position & 63))
        return self[word] &<< shift | (self[word &+ 1] &>> 1) &>> (63 &- shift)
    }
}
