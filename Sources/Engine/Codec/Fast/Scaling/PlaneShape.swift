import CalotypeCPictures
import CalotypeCore

/// What scaling one plane needs: its axes and the sizes of its buffers.
struct PlaneShape: Hashable {
    let rows: ScaledAxis
    let columns: ScaledAxis
    let channels: Int
    /// Whether samples are filtered in fixed point; otherwise as floats.
    let isFixed: Bool

    /// The first relevant sample of a source row.
    let firstSample: Int
    /// The number of samples taken from a source row: the relevant ones, and padding for full tiles.
    let rowSamples: Int
    /// The bytes of a pair of source rows.
    let pairSize: Int
    /// The bytes of a row of sums.
    let sumSize: Int
    /// The bytes of a row after filtering from top to bottom.
    let lineSize: Int
    /// The number of row pairs to hold: as many as an output row needs, if they are few.
    ///
    /// At least five, which is enough if the filter does not shrink.
    let heldPairs: Int
    /// The number of sums that were started with pairs that are no longer held.
    let openSums: Int
    /// The levels of a group of output rows, with padding for full steps of the loops.
    let levelCount: Int

    init(_ plane: SamplePlane, scaled: PixelSize, kept: PixelArea, isFixed: Bool) {
        rows = ScaledAxis(
            samples: plane.size.height,
            origin: plane.top,
            extent: plane.height,
            scaled: scaled.height,
            kept: kept.top..<kept.top + kept.size.height
        )
        columns = ScaledAxis(
            samples: plane.size.width,
            origin: plane.left,
            extent: plane.width,
            scaled: scaled.width,
            kept: kept.left..<kept.left + kept.size.width
        )
        channels = plane.channels
        self.isFixed = isFixed
        let pairs = columns.neededPairs
        firstSample = 2 * pairs.lowerBound * channels
        rowSamples = (2 * pairs.count).roundedUp(to: Int(CSCALER_TILE)) * channels
        pairSize = rowSamples * (isFixed ? 2 : 8)
        sumSize = rowSamples * 4
        lineSize = rowSamples * (isFixed ? 2 : 4)
        heldPairs = min(rows.mostPairs, 16, max(5, 524_288 / pairSize))
        openSums = heldPairs < rows.mostPairs ? rows.mostOpen : 0
        let samples = (columns.kept.count * channels).roundedUp(to: Int(CSCALER_GROUP))
        levelCount = samples * Int(CSCALER_GROUP)
    }

    /// The memory for the weights and buffers in bytes; at most a little more than they need.
    var bytes: Int {
        let buffers = ScalerRegion.allCases.reduce(0) { $0 + size(of: $1) }
        return buffers + AxisWeights.bytes(rows) + AxisWeights.bytes(columns)
    }

    /// The bytes of a region of the memory, in whole cache lines of the processor.
    func size(of region: ScalerRegion) -> Int {
        let bytes =
            switch region {
            case .staged: 2 * rowSamples
            case .pairs: heldPairs * pairSize
            case .sums: openSums * sumSize
            case .lines, .columns: Int(CSCALER_GROUP) * lineSize
            case .levels: levelCount * 2
            }
        return bytes.roundedUp(to: 64)
    }
}

extension Int {
    /// The number rounded up to a multiple of `step`.
    func roundedUp(to step: Int) -> Int { (self + step - 1) / step * step }
}

/// A region of the memory for scaling a plane.
enum ScalerRegion: Int, CaseIterable {
    /// Two source rows as they arrive.
    case staged
    /// The pairs of source rows that are held.
    case pairs
    /// Sums that were started with pairs that are no longer held.
    case sums
    /// A group of rows filtered from top to bottom.
    case lines
    /// That group, with its samples of one position side by side.
    case columns
    /// A group of output rows.
    case levels
}

/// Zeroed memory for vectors.
// SAFETY: this owner holds the memory from init to deinit; users of the pointer hold the owner as long.
@safe
struct ScalerMemory: ~Copyable {
    /// The first byte.
    let start: UnsafeMutableRawPointer

    /// - Throws: `encode_failed` if memory runs out.
    init(bytes: Int) throws(CalotypeError) {
        guard let memory = unsafe cscaler_allocate(bytes) else {
            throw CalotypeError(
                .encodeFailed,
                "not enough memory to scale the image: \(ByteCount(bytes)) are needed",
                stage: .decode
            )
        }
        unsafe start = memory
    }

    deinit {
        unsafe cscaler_free(start)
    }
}
