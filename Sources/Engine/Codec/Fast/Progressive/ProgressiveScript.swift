/// The frame header of a progressive JPEG (ITU-T T.81, B.2.2), checked.
struct ProgressiveFrame {
    struct Component {
        let name: UInt8
        /// The sampling factors across and down.
        let sampling: (across: Int, down: Int)
    }

    let (width, height): (Int, Int)
    let components: [Component]

    private var most: (across: Int, down: Int) {
        (components.map(\.sampling.across).max() ?? 1, components.map(\.sampling.down).max() ?? 1)
    }

    /// The units of a scan of `parts`, in a row and down: blocks if it is one component alone.
    func units(of parts: [Int]) -> (across: Int, down: Int) {
        guard parts.count == 1, let part = parts.first else {
            return (Self.divided(width, 8 * most.across), Self.divided(height, 8 * most.down))
        }
        let sampling = components[part].sampling
        return (
            Self.divided(width * sampling.across, 8 * most.across),
            Self.divided(height * sampling.down, 8 * most.down)
        )
    }

    /// The blocks of a unit in a scan of `parts`.
    func unitBlocks(of parts: [Int]) -> Int {
        parts.count == 1
            ? 1 : parts.reduce(0) { $0 + components[$1].sampling.across * components[$1].sampling.down }
    }

    /// Whether libjpeg needs only the first coefficients of `part` at `scale` eighths: it decodes colour of half
    /// the resolution at twice the scale.
    func isFlat(_ part: Int, scale: Int) -> Bool {
        let sampling = components[part].sampling
        let isFiner = most.across % (sampling.across * 2) == 0 && most.down % (sampling.down * 2) == 0
        return scale == 1 && !isFiner
    }

    private static func divided(_ number: Int, _ by: Int) -> Int { (number + by - 1) / by }
}

/// A scan of a progressive JPEG (ITU-T T.81, B.2.3).
struct ProgressiveScan {
    /// The numbers of its components in the frame.
    var components: [Int]
    /// The first and the last coefficient.
    let (start, end): (Int, Int)
    /// The bits of the coefficients that earlier scans have left out, and that this one leaves out.
    let (high, low): (Int, Int)
    /// The code of each component.
    let codes: [HuffmanCode]
    /// The units between restart markers; 0 if there are none.
    let interval: Int
    /// Its data in the file.
    var data: Range<Int>
    /// Whether the end of the picture follows it.
    var isLast = false

    var isRefining: Bool { high > 0 }
}

/// What the segments of a progressive JPEG say before any coefficient is read.
struct ProgressiveScript {
    let frame: ProgressiveFrame
    let scans: [ProgressiveScan]

    /// The script of `source`; `nil` if it is not a progressive JPEG with Huffman codes, if it is incomplete, or if
    /// anything in it contradicts the rest.
    ///
    /// All data is skimmed for markers: none but restart markers in their order may be in a scan.
    init?(_ source: ByteReader) throws(CodecError) {
        var parser = ProgressiveParser(source)
        guard try parser.parse(), let frame = parser.frame, parser.isComplete else { return nil }
        (self.frame, scans) = (frame, parser.scans)
    }

    /// The scans that touch more than the first coefficients of components that are held as a whole.
    func scans(scale: Int) -> [ProgressiveScan] {
        scans.filter { scan in
            scan.start == 0 || scan.components.contains { !frame.isFlat($0, scale: scale) }
        }
    }

    /// The most bytes that the coefficients for `scale` eighths may take, and what reads them.
    func heldBytes(scale: Int) -> Int {
        frame.components.indices.reduce(Self.fixedBytes) { bytes, part in
            let (across, down) = frame.units(of: [part])
            let blocks = across * down
            // Rows of units: as read, and as libjpeg gets them.
            let rows = across * 128 * frame.components[part].sampling.down * 2
            guard !frame.isFlat(part, scale: scale) else { return bytes + rows + blocks * 2 }
            let values = scans.reduce(0) { sum, scan in
                guard scan.start > 0, scan.components == [part] else { return sum }
                return sum + scan.data.count * 8 / scan.codes[0].fewestBits
            }
            // The row before a scan and after it, and what rounding up takes.
            return bytes + rows + across * 256 + down * 64 + blocks * 10 + min(blocks * 63, values) * 2
        }
    }

    /// Bits, windows of the file, tables.
    private static let fixedBytes = 256 << 10
}
