/// A Huffman code as a DHT segment defines it (ITU-T T.81, C and F.2.2.3), checked.
struct HuffmanCode: Sendable {
    /// The number of leading bits that a lookup decodes at once.
    static let lookupBits = 10
    private static let mostLength = 16

    private let counts: [UInt8]
    private let symbols: [UInt8]
    /// For each length the end of its codes and of all shorter ones, as the leading 16 bits of the data.
    private let ends: [UInt32]
    /// For each length what is added to a code to get the number of its symbol.
    private let offsets: [Int]

    /// The symbols in the order of their codes; `counts` has the number of codes of each length from 1 to 16.
    ///
    /// `nil` if these are not the codes of any tree, or if a code consists of ones only.
    init?(counts: [UInt8], symbols: [UInt8]) {
        guard counts.count == Self.mostLength else { return nil }
        guard symbols.count <= 256, symbols.count == counts.reduce(0, { $0 + Int($1) }) else { return nil }
        var (ends, offsets): ([UInt32], [Int]) = ([0], [0])
        var (code, index) = (0, 0)
        for length in 1...Self.mostLength {
            let count = Int(counts[length - 1])
            offsets.append(index - code)
            code += count
            index += count
            guard count == 0 || code < 1 << length else { return nil }
            ends.append(UInt32(code << (Self.mostLength - length)))
            code <<= 1
        }
        (self.counts, self.symbols, self.ends, self.offsets) = (counts, symbols, ends, offsets)
    }

    /// The code without symbols, for scans that need none.
    static let empty = HuffmanCode()

    private init() {
        (counts, symbols) = ([], [])
        ends = [UInt32](repeating: 0, count: Self.mostLength + 1)
        offsets = [Int](repeating: 0, count: Self.mostLength + 1)
    }

    /// Whether all symbols are sizes of differences.
    var suitsDifferences: Bool { symbols.allSatisfy { $0 <= 15 } }

    /// The fewest bits of a coefficient other than zero, its code and its own.
    var fewestBits: Int {
        var (fewest, index) = (Self.mostLength, 0)
        for (length, count) in counts.enumerated() {
            for symbol in symbols[index..<index + Int(count)] where symbol & 15 > 0 {
                fewest = min(fewest, length + 1 + Int(symbol & 15))
            }
            index += Int(count)
        }
        return fewest
    }

    /// The symbol at the head of `bits` and its length; libjpeg takes what is no code for a zero of 17 bits.
    func decode(_ bits: UInt64) -> (symbol: Int, length: Int, isCode: Bool) {
        let head = UInt32(truncatingIfNeeded: bits >> 48)
        for length in 1...Self.mostLength where head < ends[length] {
            let code = Int(head >> UInt32(Self.mostLength - length))
            return (Int(symbols[code + offsets[length]]), length, true)
        }
        return (0, Self.mostLength + 1, false)
    }

    /// Lists, for each possible head of the data, what it begins with: see ``HuffmanLookup``.
    ///
    /// Unless `shift` is nil, coefficients that end within the head are decoded too, shifted left by as much.
    func lookup(shift: Int?) -> [UInt32] {
        (0..<1 << Self.lookupBits).map { head in
            let (symbol, length, isCode) = decode(UInt64(head) << UInt64(64 - Self.lookupBits))
            guard isCode, length <= Self.lookupBits else { return 0 }
            let (run, size) = (symbol >> 4, symbol & 15)
            guard let shift, size > 0, size + shift <= 15, length + size <= Self.lookupBits else {
                return HuffmanLookup.symbol(symbol, length: length)
            }
            let bits = head >> (Self.lookupBits - length - size) & ((1 << size) - 1)
            let value = extended(bits, size: size) << shift
            return HuffmanLookup.coefficient(value, run: run, length: length + size)
        }
    }
}

/// What the leading bits of the data mean: a whole coefficient, a symbol, or zero for a longer code.
enum HuffmanLookup {
    /// A coefficient other than zero: its value in the upper 16 bits, then the zeros before it, then its bits.
    static func coefficient(_ value: Int, run: Int, length: Int) -> UInt32 {
        UInt32(UInt16(truncatingIfNeeded: value)) << 16 | UInt32(run) << 6 | UInt32(length)
    }

    /// A symbol in 8 bits, then the length of its code.
    static func symbol(_ symbol: Int, length: Int) -> UInt32 { UInt32(symbol) << 8 | UInt32(length) }
}

/// The number that `bits` of a given size stand for (ITU-T T.81, figure F.12).
@inline(__always)
func extended(_ bits: Int, size: Int) -> Int {
    bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits
}
