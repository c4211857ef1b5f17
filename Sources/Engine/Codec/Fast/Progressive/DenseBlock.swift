/// All coefficients of a block, for data that no encoder writes: they are read exactly as libjpeg does.
struct DenseBlock {
    /// The coefficients in zigzag order.
    private var values = [Int16](repeating: 0, count: 64)
    private let before: UInt64

    /// Whether coefficients outside the band were set, or to what later scans do not expect.
    private(set) var isIrregular = false

    /// The block whose values, of those in `mask`, are the first of `values`.
    init(_ mask: UInt64, _ values: ArraySlice<Int16>) {
        before = mask
        for (number, value) in zip((1..<64).filter { mask >> UInt64($0) & 1 == 1 }, values) {
            self.values[number] = value
        }
    }

    /// The numbers of the coefficients that are not zero.
    var mask: UInt64 { (1..<64).reduce(0) { values[$1] == 0 ? $0 : $0 | 1 << UInt64($1) } }

    /// Writes the values that are not zero.
    func write(to out: inout [Int16], _ cursor: inout BandCursor) {
        for value in values where value != 0 {
            out[cursor.written] = value
            cursor.written += 1
        }
    }

    /// Reads the part of a scan.
    mutating func read(_ band: Band, _ words: Span<UInt64>, _ cursor: inout BandCursor) {
        if band.isRefining {
            refine(band, words, &cursor)
        } else {
            begin(band, words, &cursor)
        }
    }

    private mutating func begin(_ band: Band, _ words: Span<UInt64>, _ cursor: inout BandCursor) {
        guard cursor.endRun == 0 else {
            cursor.endRun -= 1
            return
        }
        var number = band.start
        while number <= band.end {
            let symbol = Self.symbol(band, words, &cursor)
            let (run, size) = (symbol >> 4, symbol & 15)
            if size == 0, run < 15 {
                cursor.endRun = 1 << run + Self.bits(run, words, &cursor) - 1
                return
            }
            number += run
            if size > 0 {
                let value = extended(Self.bits(size, words, &cursor), size: size) << band.low
                isIrregular = isIrregular || number > band.end || size + band.low > 15
                set(Int16(truncatingIfNeeded: value), at: number)
            }
            number += 1
        }
    }

    private mutating func refine(_ band: Band, _ words: Span<UInt64>, _ cursor: inout BandCursor) {
        let one = Int16(truncatingIfNeeded: 1 << band.low)
        var number = band.start
        while cursor.endRun == 0, number <= band.end {
            let symbol = Self.symbol(band, words, &cursor)
            var (run, size) = (symbol >> 4, symbol & 15)
            if size == 0, run < 15 {
                cursor.endRun = 1 << run + Self.bits(run, words, &cursor)
                break
            }
            let sign = size > 0 ? Self.bits(1, words, &cursor) : 0
            while number <= band.end {
                if values[number] != 0 {
                    correct(number, one, words, &cursor)
                } else {
                    run -= 1
                    if run < 0 { break }
                }
                number += 1
            }
            if size > 0 {
                isIrregular = isIrregular || number > band.end
                set(sign == 1 ? one : 0 - one, at: number)
            }
            number += 1
        }
        guard cursor.endRun > 0 else { return }
        while number <= band.end {
            if values[number] != 0 { correct(number, one, words, &cursor) }
            number += 1
        }
        cursor.endRun -= 1
    }

    private mutating func correct(
        _ number: Int,
        _ one: Int16,
        _ words: Span<UInt64>,
        _ cursor: inout BandCursor
    ) {
        guard Self.bits(1, words, &cursor) == 1, values[number] & one == 0 else { return }
        values[number] &+= values[number] >= 0 ? one : 0 - one
    }

    /// Sets a coefficient; those beyond the block are its last one for libjpeg.
    private mutating func set(_ value: Int16, at number: Int) { values[min(number, 63)] = value }

    private static func symbol(_ band: Band, _ words: Span<UInt64>, _ cursor: inout BandCursor) -> Int {
        let (symbol, length, _) = band.code.decode(words.bits(at: cursor.position))
        cursor.position += length
        return symbol
    }

    private static func bits(_ count: Int, _ words: Span<UInt64>, _ cursor: inout BandCursor) -> Int {
        defer { cursor.position += count }
        return Int((words.bits(at: cursor.position) >> 1) >> UInt64(63 - count))
    }
}
