/// A pass over units of one or several components, which reads one scan of their first coefficients (ITU-T T.81,
/// G.1.2.1).
struct DifferencePass {
    private let scan: ProgressiveScan
    /// For each component of the scan its blocks in a unit: across and down.
    private let shapes: [(across: Int, down: Int)]
    /// For each block of a unit the number of its component in the scan.
    private let members: [Int]
    /// The lookups of the components, one after another.
    private let lookups: [UInt32]
    private var bits: CodedBits
    private var last: [Int]
    private var left: Int
    private var isDry = false
    /// The coefficients of a row of units in the order of the data, or the bits that a refining scan adds.
    private var row: [Int16]

    /// The units of a row.
    private let columns: Int
    /// The first place where data is missing.
    private(set) var cut: ScanCut?

    init(_ scan: ProgressiveScan, of frame: ProgressiveFrame, _ bits: CodedBits) throws(CodecError) {
        self.scan = scan
        self.bits = bits
        columns = frame.units(of: scan.components).across
        let shapes: [(across: Int, down: Int)] =
            scan.components.count == 1 ? [(1, 1)] : scan.components.map { frame.components[$0].sampling }
        self.shapes = shapes
        members = shapes.indices.flatMap { [Int](repeating: $0, count: shapes[$0].across * shapes[$0].down) }
        lookups = scan.codes.flatMap { $0.lookup(shift: 0) }
        last = shapes.map { _ in 0 }
        row = [Int16](repeating: 0, count: columns * members.count)
        left = scan.interval > 0 ? scan.interval : .max
        try self.bits.refill()
    }

    /// Reads the units of `row`.
    mutating func read(row: Int, of planes: inout [CoefficientPlane]) throws(CodecError) {
        var column = 0
        while column < columns {
            if left == 0 {
                try bits.nextSegment()
                (left, isDry) = (scan.interval, false)
                for i in last.indices { last[i] = 0 }
            }
            if bits.isLow { try bits.refill() }
            let start = column
            let stop = left < columns - start ? start + left : columns
            if isDry {
                // What is missing stays as it was: zero, or without further bits.
                for i in column * members.count..<stop * members.count { self.row[i] = 0 }
                column = stop
            } else {
                try readUnits(&column, to: stop)
            }
            if scan.interval > 0 { left -= column - start }
        }
        for (i, component) in scan.components.enumerated() { put(row, i, &planes[component]) }
    }

    /// Reads units up to `stop`, at least one, as long as there are enough bits.
    private mutating func readUnits(_ column: inout Int, to stop: Int) throws(CodecError) {
        let (source, lookups, members, codes) = (bits, lookups, members, scan.codes)
        let words = source.words.span
        let (end, limit) = (source.end, source.isWhole ? source.end : source.end - CodedBits.unitBits)
        var position = source.position
        var next = column * members.count
        repeat {
            for member in members.indices {
                var head = words.bits(at: position)
                if scan.isRefining {
                    row[next] = Int16(truncatingIfNeeded: (head &>> 63) &<< UInt64(scan.low))
                    position &+= 1
                } else {
                    let i = members[member]
                    let entry = lookups[i &<< HuffmanCode.lookupBits | Int(truncatingIfNeeded: head &>> 54)]
                    var difference = Int(Int16(truncatingIfNeeded: entry &>> 16))
                    var length = Int(truncatingIfNeeded: entry & 63)
                    if difference == 0 {
                        var size = Int(truncatingIfNeeded: entry &>> 8 & 15)
                        if length == 0 { (size, length, _) = codes[i].decode(head) }
                        if size > 0 {
                            head &<<= UInt64(truncatingIfNeeded: length)
                            difference = extended(
                                Int(truncatingIfNeeded: head &>> UInt64(truncatingIfNeeded: 64 &- size)),
                                size: size
                            )
                        }
                        length &+= size
                    }
                    position &+= length
                    last[i] &+= difference
                    guard Int32(exactly: last[i]) != nil else {
                        throw .corrupt("a coefficient is out of range")
                    }
                    row[next] = Int16(truncatingIfNeeded: last[i] &<< scan.low)
                }
                next &+= 1
            }
            column &+= 1
        } while column < stop && position < limit
        bits.position = position
        guard source.isWhole, position > end else { return }
        (isDry, cut) = (true, cut ?? bits.cut)
    }

    /// Puts the blocks of a component in their places; those outside the picture have none.
    private func put(_ unitRow: Int, _ i: Int, _ plane: inout CoefficientPlane) {
        let (shape, across, down) = (shapes[i], plane.across, plane.down)
        let offset = members.firstIndex(of: i) ?? 0
        let source = row.span
        var places = plane.first.mutableSpan
        for line in 0..<min(shape.down, down - unitRow * shape.down) {
            let base = (unitRow * shape.down + line) * across
            var from = offset + line * shape.across
            for x in stride(from: 0, to: across, by: shape.across) {
                for k in 0..<min(shape.across, across &- x) {
                    let value = source[from &+ k]
                    places[base &+ x &+ k] = scan.isRefining ? places[base &+ x &+ k] | value : value
                }
                from &+= members.count
            }
        }
    }
}
