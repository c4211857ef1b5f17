/// What a scan over a band of coefficients of one component is (ITU-T T.81, G.1.2.2 and G.1.2.3).
struct Band {
    /// The numbers of the first and the last coefficient.
    let (start, end): (Int, Int)
    /// The number of bits that later scans add.
    let low: Int
    /// Whether it adds a bit to what earlier scans have set.
    let isRefining: Bool
    let code: HuffmanCode

    /// The coefficients of it, as bits.
    var mask: UInt64 { (~0 &>> UInt64(63 - end)) & ~below }
    /// The coefficients before it, as bits.
    var below: UInt64 { (1 &<< UInt64(start)) &- 1 }
}

/// Where a pass over a row of blocks stands.
struct BandCursor {
    /// The number of the next bit of the data.
    var position = 0
    /// The blocks to come that have nothing new.
    var endRun = 0
    /// The next block.
    var column = 0
    /// The number of values of earlier scans that were used.
    var taken = 0
    /// The number of values that were written.
    var written = 0
}

/// A pass over a component's blocks, which reads one scan of a band.
struct BandPass {
    private let band: Band
    private let lookup: [UInt32]
    private var bits: CodedBits
    private var endRun = 0
    /// The blocks of a segment, and what is left of it; the first is 0 if there are no restart markers.
    private let interval: Int
    private var left: Int
    /// Whether the data of the segment ended before its blocks.
    private var isDry = false
    private var scratch: [Int16]

    /// The first place where data is missing.
    private(set) var cut: ScanCut?

    init(_ band: Band, _ bits: CodedBits, interval: Int, across: Int) throws(CodecError) {
        self.band = band
        self.bits = bits
        self.interval = interval
        left = interval > 0 ? interval : .max
        lookup = band.code.lookup(shift: band.isRefining ? nil : band.low)
        scratch = [Int16](repeating: 0, count: across * 64)
        try self.bits.refill()
    }

    /// Reads the scan's part of `row` of `plane`.
    mutating func read(row: Int, of plane: inout CoefficientPlane) throws(CodecError) {
        let old = plane.rows[row]
        plane.rows[row] = []
        var cursor = BandCursor(endRun: endRun)
        while cursor.column < plane.across {
            if left == 0 { try restart(&cursor) }
            if bits.isLow { try bits.refill() }
            let start = cursor.column
            let stop = left < plane.across - start ? start + left : plane.across
            cursor.position = bits.position
            if isDry {
                keep(old, plane, row, &cursor, to: stop)
            } else {
                pass(old, &plane, row, &cursor, to: stop)
            }
            if interval > 0 { left -= cursor.column - start }
        }
        endRun = cursor.endRun
        plane.rows[row] = Array(scratch[..<cursor.written])
    }

    private mutating func restart(_ cursor: inout BandCursor) throws(CodecError) {
        try bits.nextSegment()
        (left, cursor.endRun, isDry) = (interval, 0, false)
    }

    /// Reads blocks up to `stop`, at least one, as long as there are enough bits.
    private mutating func pass(
        _ old: [Int16],
        _ plane: inout CoefficientPlane,
        _ row: Int,
        _ cursor: inout BandCursor,
        to stop: Int
    ) {
        let base = row * plane.across
        var isRegular = !plane.isIrregular
        if isRegular {
            // Behind the limit, there are always enough bits for one more block.
            let limit = bits.isWhole ? .max : bits.end - CodedBits.unitBits
            let (band, lookup, bits) = (band, lookup, bits)
            var masks = plane.masks.mutableSpan
            var out = scratch.mutableSpan
            isRegular =
                band.isRefining
                ? band.refine(
                    bits.words.span,
                    bits.end,
                    limit,
                    lookup.span,
                    old.span,
                    &masks,
                    base,
                    &out,
                    &cursor,
                    stop
                )
                : band.begin(
                    bits.words.span,
                    bits.end,
                    limit,
                    lookup.span,
                    old.span,
                    &masks,
                    base,
                    &out,
                    &cursor,
                    stop
                )
        }
        if !isRegular { slow(old, &plane, base, &cursor) }
        bits.position = cursor.position
        guard bits.isWhole, bits.isOverdrawn else { return }
        (isDry, cut) = (true, cut ?? bits.cut)
    }

    /// Reads one block coefficient by coefficient, as libjpeg does.
    private mutating func slow(
        _ old: [Int16],
        _ plane: inout CoefficientPlane,
        _ base: Int,
        _ cursor: inout BandCursor
    ) {
        let index = base + cursor.column
        var block = DenseBlock(plane.masks[index], old[cursor.taken...])
        cursor.taken += plane.masks[index].nonzeroBitCount
        block.read(band, bits.words.span, &cursor)
        plane.masks[index] = block.mask
        if block.isIrregular { plane.isIrregular = true }
        block.write(to: &scratch, &cursor)
        cursor.column += 1
    }

    /// Keeps the values of the blocks up to `stop` as they are.
    private mutating func keep(
        _ old: [Int16],
        _ plane: CoefficientPlane,
        _ row: Int,
        _ cursor: inout BandCursor,
        to stop: Int
    ) {
        let base = row * plane.across
        while cursor.column < stop {
            for _ in 0..<plane.masks[base + cursor.column].nonzeroBitCount {
                scratch[cursor.written] = old[cursor.taken]
                cursor.written += 1
                cursor.taken += 1
            }
            cursor.column += 1
        }
    }
}
