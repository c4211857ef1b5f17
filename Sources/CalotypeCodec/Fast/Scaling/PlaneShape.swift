import CScaler
import CalotypeCore

/// What scaling one plane takes: its axes and the sizes of its buffers.
struct PlaneShape: Hashable {
    let rows: ScaledAxis
    let columns: ScaledAxis
    let channels: Int
    /// Whether samples are filtered in fixed point, else as floats.
    let isFixed: Bool

    init(_ plane: SamplePlane, scaled: PixelSize, kept: PixelArea, isFixed: Bool) {
        rows = ScaledAxis(
            samples: plane.size.height,
            extent: plane.height,
            scaled: scaled.height,
            kept: kept.top..<kept.top + kept.size.height
        )
        columns = ScaledAxis(
            samples: plane.size.width,
            extent: plane.width,
            scaled: scaled.width,
            kept: kept.left..<kept.left + kept.size.width
        )
        channels = plane.channels
        self.isFixed = isFixed
    }

    /// The samples of a source row that are taken: those that matter, and what makes them full tiles.
    var rowSamples: Int { (2 * columns.neededPairs.count).roundedUp(to: Int(CSCALER_TILE)) * channels }

    /// The bytes of a pair of source rows, a sum and a filtered row, for each sample.
    private var pairBytes: Int { isFixed ? 2 : 8 }
    private var sumBytes: Int { 4 }
    private var lineBytes: Int { isFixed ? 2 : 4 }

    /// The bytes of one pair of source rows.
    var pairSize: Int { rowSamples * pairBytes }
    /// The bytes of one row of sums.
    var sumSize: Int { rowSamples * sumBytes }
    /// The bytes of one row that was filtered from top to bottom.
    var lineSize: Int { rowSamples * lineBytes }

    /// The pairs of rows that are held: as many as an output row needs, if they are few.
    ///
    /// At least five, which is all that is needed where the filter does not shrink.
    var heldPairs: Int {
        let limit = min(16, max(5, 524_288 / pairSize))
        return min(rows.mostPairs, limit)
    }

    /// The rows of sums that have begun with pairs that are no longer held.
    var openSums: Int { heldPairs < rows.mostPairs ? rows.mostOpen : 0 }

    /// The samples of an output row, up to full steps of the loops.
    var outputSamples: Int { (columns.kept.count * channels).roundedUp(to: Int(CSCALER_GROUP)) }

    /// The bytes of a group of rows' levels.
    var levelSize: Int { outputSamples * Int(CSCALER_GROUP) * 2 }

    /// The memory that the weights and buffers take, in bytes; at most a little more than they do.
    var bytes: Int {
        ScalerRegion.allCases.reduce(AxisWeights.bytes(rows) + AxisWeights.bytes(columns)) {
            $0 + size(of: $1)
        }
    }

    /// The bytes of a part of the memory.
    func size(of region: ScalerRegion) -> Int {
        switch region {
        case .staged: 2 * rowSamples
        case .pairs: heldPairs * pairSize
        case .sums: openSums * sumSize
        case .lines: Int(CSCALER_GROUP) * lineSize
        case .columns: Int(CSCALER_GROUP) * lineSize
        case .levels: levelSize
        }
    }
}

/// A part of a plane's memory.
enum ScalerRegion: Int, CaseIterable {
    /// Two source rows as they come.
    case staged
    /// The pairs of source rows that are held.
    case pairs
    /// Sums that have begun with pairs that are no longer held.
    case sums
    /// A group of rows filtered from top to bottom.
    case lines
    /// The same with the group's samples of one place beside each other.
    case columns
    /// A group of output rows.
    case levels
}

extension Int {
    /// The next multiple of `step`, or the number itself where it is one.
    func roundedUp(to step: Int) -> Int { (self + step - 1) / step * step }
}
