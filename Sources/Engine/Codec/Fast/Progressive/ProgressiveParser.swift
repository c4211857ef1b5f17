/// Reads the segments of a progressive JPEG, and checks each against those before it.
struct ProgressiveParser {
    private var reader: ByteReader
    private var offset = 2
    private var tables: Set<Int> = []
    private var codes: [Int: HuffmanCode] = [:]
    private var interval = 0
    /// For each component the number of bits that each coefficient lacks yet; -1 before its first scan.
    private var lacking: [[Int]] = []

    private(set) var frame: ProgressiveFrame?
    private(set) var scans: [ProgressiveScan] = []

    /// More segments than any encoder writes.
    private static let mostSegments = 10_000
    /// As many scans as libjpeg may read.
    private static let mostScans = 100

    init(_ reader: ByteReader) { self.reader = reader }

    /// Whether the scans together have every bit of every coefficient.
    var isComplete: Bool { !lacking.isEmpty && lacking.allSatisfy { $0.allSatisfy { $0 == 0 } } }

    /// Reads to the end of the picture; returns whether all is as it should be.
    mutating func parse() throws(CodecError) -> Bool {
        for _ in 0..<Self.mostSegments {
            let marker: Int
            (marker, offset) = try JPEGHeader.nextMarker(&reader, from: offset)
            if marker == 0xD9 { return !scans.isEmpty }
            guard marker == 0xC2 || marker == 0xC4 || marker >= 0xDA, marker != 0xDC else { return false }
            let length = try reader.big(offset, 2)
            guard length >= 2, offset + length <= reader.count else { return false }
            let content = offset + 2..<offset + length
            offset = content.upperBound
            guard try read(marker, content) else { return false }
        }
        return false
    }

    private mutating func read(_ marker: Int, _ content: Range<Int>) throws(CodecError) -> Bool {
        switch marker {
        case 0xC2: try readFrame(content)
        case 0xC4: try readCodes(content)
        case 0xDA: try readScan(content)
        // libjpeg keeps the quantization of each component's first scan.
        case 0xDB: scans.isEmpty
        case 0xDD: try readInterval(content)
        case 0xE0...0xEF, 0xFE: true
        default: false
        }
    }

    private mutating func readFrame(_ content: Range<Int>) throws(CodecError) -> Bool {
        guard frame == nil, content.count >= 6 else { return false }
        let bytes = try reader.bytes(content.lowerBound, content.count)
        let count = Int(bytes[5])
        guard bytes[0] == 8, count == 1 || count == 3, bytes.count == 6 + 3 * count else { return false }
        let components = (0..<count).map { i in
            let factors = Int(bytes[7 + 3 * i])
            return ProgressiveFrame.Component(name: bytes[6 + 3 * i], sampling: (factors >> 4, factors & 15))
        }
        let (height, width) = (Int(bytes[1]) << 8 | Int(bytes[2]), Int(bytes[3]) << 8 | Int(bytes[4]))
        guard width > 0, height > 0, Set(components.map(\.name)).count == count else { return false }
        guard
            components.allSatisfy({
                (1...4).contains($0.sampling.across) && (1...4).contains($0.sampling.down)
            })
        else { return false }
        frame = ProgressiveFrame(width: width, height: height, components: components)
        lacking = components.map { _ in [Int](repeating: -1, count: 64) }
        return true
    }

    private mutating func readCodes(_ content: Range<Int>) throws(CodecError) -> Bool {
        let bytes = try reader.bytes(content.lowerBound, content.count)
        var at = 0
        while at < bytes.count {
            guard at + 17 <= bytes.count, bytes[at] & 15 < 4, bytes[at] >> 4 < 2 else { return false }
            let counts = Array(bytes[at + 1..<at + 17])
            let end = at + 17 + counts.reduce(0) { $0 + Int($1) }
            guard end <= bytes.count else { return false }
            guard let code = HuffmanCode(counts: counts, symbols: Array(bytes[at + 17..<end])) else {
                return false
            }
            guard bytes[at] >> 4 == 1 || code.suitsDifferences else { return false }
            codes[Int(bytes[at])] = code
            at = end
        }
        return true
    }

    private mutating func readInterval(_ content: Range<Int>) throws(CodecError) -> Bool {
        guard content.count == 2 else { return false }
        interval = try reader.big(content.lowerBound, 2)
        return true
    }

    private mutating func readScan(_ content: Range<Int>) throws(CodecError) -> Bool {
        let bytes = try reader.bytes(content.lowerBound, content.count)
        guard let frame, let count = bytes.first.map(Int.init), (1...4).contains(count) else { return false }
        guard bytes.count == 4 + 2 * count, scans.count < Self.mostScans else { return false }
        let (start, end) = (Int(bytes[1 + 2 * count]), Int(bytes[2 + 2 * count]))
        let (high, low) = (Int(bytes[3 + 2 * count] >> 4), Int(bytes[3 + 2 * count] & 15))
        guard start == 0 ? end == 0 : start <= end && end <= 63 && count == 1 else { return false }
        guard low <= 13, high == 0 || high == low + 1 else { return false }
        var (parts, scanCodes): ([Int], [HuffmanCode]) = ([], [])
        for i in 0..<count {
            let (name, selected) = (bytes[1 + 2 * i], Int(bytes[2 + 2 * i]))
            guard let part = frame.components.firstIndex(where: { $0.name == name }) else { return false }
            guard !parts.contains(part), advance(part, start...end, high, low) else { return false }
            let code = start == 0 ? (high == 0 ? codes[selected >> 4] : .empty) : codes[16 | selected & 15]
            guard let code else { return false }
            parts.append(part)
            scanCodes.append(code)
        }
        let units = frame.units(of: parts)
        guard frame.unitBlocks(of: parts) <= 10 else { return false }
        guard let data = try skimData(units: units.across * units.down) else { return false }
        scans.append(
            ProgressiveScan(
                components: parts,
                start: start,
                end: end,
                high: high,
                low: low,
                codes: scanCodes,
                interval: interval,
                data: data,
                isLast: try reader.byte(offset + 1) == 0xD9
            )
        )
        return true
    }

    /// Notes that a scan brings `band` of `part` from `high` lacking bits to `low`; returns whether that fits.
    private mutating func advance(_ part: Int, _ band: ClosedRange<Int>, _ high: Int, _ low: Int) -> Bool {
        guard band.lowerBound == 0 || lacking[part][0] >= 0 else { return false }
        for number in band {
            guard lacking[part][number] == (high == 0 ? -1 : high) else { return false }
            lacking[part][number] = low
        }
        return true
    }

    /// Finds the marker after the data at the offset; `nil` unless `units` fit the restart markers in it.
    private mutating func skimData(units: Int) throws(CodecError) -> Range<Int>? {
        let start = offset
        var restarts = 0
        while true {
            try reader.skip(to: 0xFF, &offset)
            let next = try reader.byte(offset + 1)
            if next == 0 {
                offset += 2
            } else if (0xD0...0xD7).contains(next) {
                guard next == 0xD0 + restarts % 8 else { return nil }
                restarts += 1
                offset += 2
            } else {
                break
            }
        }
        // Bytes of ones may stand before a marker, but not before a zero or a restart marker.
        let marker = try JPEGHeader.nextMarker(&reader, from: offset).marker
        guard marker != 0, !(0xD0...0xD7).contains(marker) else { return nil }
        guard restarts == (interval > 0 ? (units - 1) / interval : 0) else { return nil }
        return start..<offset
    }
}
