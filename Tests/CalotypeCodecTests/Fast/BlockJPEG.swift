/// A JPEG (ITU-T T.81) of 8x8 blocks of one level each, written bit by bit, for kinds that no encoder at hand makes.
struct BlockJPEG {
    /// How the blocks are spread over scans.
    enum Scans {
        /// All components in one scan.
        case one
        /// A scan for each component.
        case each
        /// A scan for all first coefficients, then a number of scans for the others of the first component.
        case progressive(more: Int)
    }

    var width = 61
    var height = 43
    /// The factor by which the header tells a larger picture than there is.
    var exaggeration = 1
    /// The components' sampling factors, across and down.
    var sampling = [(2, 2), (1, 1), (1, 1)]
    var names: [UInt8] = [1, 2, 3, 4]
    /// The colour transform that an Adobe marker tells.
    var adobe: UInt8?
    /// The units after which a restart marker stands; 0 for none.
    var restart = 0
    var scans = Scans.one
    /// The level of a block, 0 to 255.
    var level: (_ component: Int, _ column: Int, _ row: Int) -> Int = { component, column, row in
        (40 + component * 60 + column * 17 + row * 29) % 256
    }

    var bytes: [UInt8] {
        var jpeg: [UInt8] = [0xFF, 0xD8]
        if let adobe { jpeg += segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, adobe]) }
        // Eight for all coefficients: that of a flat block is then its level.
        jpeg += segment(0xDB, [0] + [UInt8](repeating: 8, count: 64)) + frame
        // Nine lengths of differences, all coded in four bits; of the other coefficients only their end, in one bit.
        jpeg += segment(0xC4, [0x00, 0, 0, 0, 9] + [UInt8](repeating: 0, count: 12) + Array(0...8))
        jpeg += segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])
        if restart > 0 { jpeg += segment(0xDD, HandMade.big(restart, 2)) }
        return jpeg + allScans + [0xFF, 0xD9]
    }

    private var components: Range<Int> { sampling.indices }
    private var columns: Int { units(width, sampling.map(\.0).max() ?? 1) }
    private var rows: Int { units(height, sampling.map(\.1).max() ?? 1) }

    private var frame: [UInt8] {
        let size = HandMade.big(height * exaggeration, 2) + HandMade.big(width * exaggeration, 2)
        var content = [8] + size + [UInt8(sampling.count)]
        for i in components { content += [names[i], UInt8(sampling[i].0 << 4 | sampling[i].1), 0] }
        if case .progressive = scans { return segment(0xC2, content) }
        return segment(0xC0, content)
    }

    private var allScans: [UInt8] {
        switch scans {
        case .one: scan(Array(components), 0...63, interleaved())
        case .each: components.flatMap { scan([$0], 0...63, alone($0)) }
        case .progressive(let more): scan(Array(components), 0...0, interleaved()) + ends(more)
        }
    }

    private func ends(_ count: Int) -> [UInt8] {
        let blocks = alone(0).count
        let bits = [UInt8](repeating: 0, count: blocks / 8) + [UInt8(0xFF >> (blocks % 8))]
        let one = segment(0xDA, [1, names[0], 0, 1, 63, 0]) + bits
        return (0..<count).flatMap { _ in one }
    }

    /// The blocks of each unit, for a scan of all components.
    private func interleaved() -> [[Block]] {
        (0..<rows * columns).map { unit in
            components.flatMap { component -> [Block] in
                let (across, down) = sampling[component]
                return (0..<across * down).map { i in
                    Block(component, unit % columns * across + i % across, unit / columns * down + i / across)
                }
            }
        }
    }

    /// The blocks of a scan of one component, which has no more of them than the picture needs.
    private func alone(_ component: Int) -> [[Block]] {
        let (across, down) = sampling[component]
        let wide = divided(divided(width * across, sampling.map(\.0).max() ?? 1), 8)
        let high = divided(divided(height * down, sampling.map(\.1).max() ?? 1), 8)
        return (0..<wide * high).map { [Block(component, $0 % wide, $0 / wide)] }
    }

    private func scan(_ parts: [Int], _ band: ClosedRange<UInt8>, _ units: [[Block]]) -> [UInt8] {
        let names = parts.flatMap { [self.names[$0], UInt8(0)] }
        var bytes = segment(0xDA, [UInt8(parts.count)] + names + [band.lowerBound, band.upperBound, 0])
        let length = restart > 0 ? restart : units.count
        for (number, start) in stride(from: 0, to: units.count, by: length).enumerated() {
            if number > 0 { bytes += [0xFF, 0xD0 + UInt8((number - 1) % 8)] }
            bytes += coded(units[start..<min(start + length, units.count)], hasEnds: band.upperBound > 0)
        }
        return bytes
    }

    private func coded(_ units: ArraySlice<[Block]>, hasEnds: Bool) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ length: Int) {
            for bit in (0..<length).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        var last = [Int](repeating: 128, count: sampling.count)
        for block in units.joined() {
            let level = level(block.component, block.column, block.row)
            let difference = level - last[block.component]
            last[block.component] = level
            let length = Int.bitWidth - difference.magnitude.leadingZeroBitCount
            append(length, 4)
            append(difference < 0 ? difference + 1 << length - 1 : difference, length)
            if hasEnds { append(0, 1) }
        }
        return packed(bits)
    }

    /// The bits in bytes, filled up with ones; a byte that looks like a marker is followed by a zero.
    private func packed(_ bits: [Bool]) -> [UInt8] {
        stride(from: 0, to: bits.count, by: 8).flatMap { start -> [UInt8] in
            let byte = (0..<8).reduce(UInt8(0)) {
                $0 << 1 | (start + $1 < bits.count && !bits[start + $1] ? 0 : 1)
            }
            return byte == 0xFF ? [0xFF, 0] : [byte]
        }
    }

    private func units(_ length: Int, _ factor: Int) -> Int { divided(length, 8 * factor) }

    private func divided(_ number: Int, _ by: Int) -> Int { (number + by - 1) / by }

    private func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + HandMade.big(content.count + 2, 2) + content
    }
}

/// A block of a component by its place.
private struct Block {
    let component: Int
    let column: Int
    let row: Int

    init(_ component: Int, _ column: Int, _ row: Int) {
        self.component = component
        self.column = column
        self.row = row
    }
}
