/// One direction of scaling: how source and output samples relate, and which of them matter.
///
/// Samples have their centres at half numbers: output sample `i` lies at `(i + 0.5) * extent / scaled` of the
/// source.
struct ScaledAxis: Hashable {
    /// The number of source samples.
    let samples: Int
    /// Where the picture begins among them; it may cover the first one in part.
    let origin: Double
    /// How many of them the picture covers from there; it may cover the last one in part.
    let extent: Double
    /// The samples that the picture covers.
    let covered: Range<Int>
    /// The number of output samples for the whole extent.
    let scaled: Int
    /// The output samples to produce.
    let kept: Range<Int>

    /// A sample that is covered by less than this is ignored: the division of sides is not exact.
    private static let least = 1e-6

    init(samples: Int, origin: Double = 0, extent: Double, scaled: Int, kept: Range<Int>) {
        self.samples = samples
        self.origin = origin
        self.extent = min(extent, Double(samples) - origin)
        let first = min(samples - 1, Int((origin + Self.least).rounded(.down)))
        let end = min(samples, Int((origin + extent - Self.least).rounded(.up)))
        covered = first..<max(first + 1, end)
        self.scaled = scaled
        self.kept = kept
    }

    /// The number of source samples per output sample.
    var ratio: Double { extent / Double(scaled) }

    /// The factor by which the filter is stretched: the ratio if it shrinks.
    var stretch: Double { max(1, ratio) }

    /// Whether each output sample is a source sample.
    var isIdentity: Bool { covered.count == scaled && isSymmetric }

    /// Whether the axis looks the same from its other end.
    var isSymmetric: Bool { origin == Double(covered.lowerBound) && extent == Double(covered.count) }

    /// The mirror image of an output sample in the second half, if both ends look the same.
    ///
    /// What is computed for one half then applies exactly to the other.
    func mirrored(_ index: Int) -> Int? {
        isSymmetric && index > scaled - 1 - index ? scaled - 1 - index : nil
    }

    /// Where output sample `index` has its centre, in source samples.
    func centre(_ index: Int) -> Double {
        origin + (Double(index) + 0.5) * extent / Double(scaled)
    }

    /// The source samples on which output sample `index` depends.
    ///
    /// Windows of later samples never begin or end earlier.
    func window(_ index: Int) -> Range<Int> {
        guard !isIdentity else { return covered.lowerBound + index..<covered.lowerBound + index + 1 }
        if let other = mirrored(index) {
            let window = window(other)
            return fromOtherEnd(window.upperBound)..<fromOtherEnd(window.lowerBound)
        }
        let (centre, radius) = (centre(index), 3 * stretch)
        let first = max(covered.lowerBound, Int((centre - radius - 0.5).rounded(.down)) + 1)
        let last = min(covered.upperBound - 1, Int((centre + radius - 0.5).rounded(.up)) - 1)
        return first..<max(first, last) + 1
    }

    /// The border between samples that is as far from the end of the picture as `border` from its beginning.
    func fromOtherEnd(_ border: Int) -> Int { covered.lowerBound + covered.upperBound - border }

    /// The pairs of source samples, each an even one and the next, on which the kept output samples depend.
    var neededPairs: Range<Int> {
        window(kept.lowerBound).lowerBound / 2..<(window(kept.upperBound - 1).upperBound + 1) / 2
    }

    /// The maximum number of pairs on which one output sample depends.
    var mostPairs: Int { min(neededPairs.count, Int(3 * stretch) + 2) }

    /// The maximum number of output samples whose windows overlap when the filter shrinks.
    var mostOpen: Int { min(kept.count, Int((6 * stretch + 3) / ratio) + 2) }
}
