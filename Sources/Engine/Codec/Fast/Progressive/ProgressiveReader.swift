/// Where the data of a scan ends before its blocks.
enum ScanCut {
    /// Within the picture's data.
    case within
    /// At the end of the picture.
    case atEnd
}

/// Reads the scans of a progressive JPEG, row of blocks by row of blocks.
///
/// It holds only what is needed at the scale; scans of other coefficients are not read at all.
struct ProgressiveReader {
    private let frame: ProgressiveFrame
    private let source: ByteReader
    private var scans: ArraySlice<ProgressiveScan>
    /// The pass of the first of ``scans``, once it has begun.
    private var differences: DifferencePass?
    private var band: BandPass?
    private var row = 0

    private(set) var planes: [CoefficientPlane]
    /// The first place where data is missing.
    private(set) var cut: ScanCut?

    init(_ source: ByteReader, _ script: ProgressiveScript, scale: Int) {
        (self.source, frame) = (source, script.frame)
        scans = script.scans(scale: scale)[...]
        planes = script.frame.components.indices.map { part in
            let (across, down) = script.frame.units(of: [part])
            return CoefficientPlane(
                across: across,
                down: down,
                isFlat: script.frame.isFlat(part, scale: scale)
            )
        }
    }

    /// Reads the next row of a scan; returns the number of its blocks, `nil` after the last scan.
    mutating func step() throws(CodecError) -> Int? {
        guard let scan = scans.first else { return nil }
        let units = frame.units(of: scan.components)
        if row == 0 { try begin(scan) }
        if scan.start == 0 {
            try differences?.read(row: row, of: &planes)
            cut = cut ?? differences?.cut
        } else {
            try band?.read(row: row, of: &planes[scan.components[0]])
            cut = cut ?? band?.cut
        }
        row += 1
        if row == units.down {
            (differences, band, row) = (nil, nil, 0)
            scans.removeFirst()
        }
        return units.across * frame.unitBlocks(of: scan.components)
    }

    private mutating func begin(_ scan: ProgressiveScan) throws(CodecError) {
        let bits = CodedBits(source, scan.data, isLast: scan.isLast)
        guard scan.start > 0 else {
            differences = try DifferencePass(scan, of: frame, bits)
            return
        }
        let shape = Band(
            start: scan.start,
            end: scan.end,
            low: scan.low,
            isRefining: scan.isRefining,
            code: scan.codes[0]
        )
        band = try BandPass(shape, bits, interval: scan.interval, across: planes[scan.components[0]].across)
    }
}
