import CalotypeCore

/// What one decode has to yield: the distinct transforms that are wanted, and how small the decoder may start.
struct DecodePlan {
    /// The header of the source.
    let facts: ImageFacts
    /// The transforms, each once.
    let transforms: [Transform]

    /// Plans a decode for `transforms`.
    ///
    /// - Throws: `invalid_request` for a box that is no size, `too_many_pixels`.
    init(_ facts: ImageFacts, _ transforms: [Transform], limits: ImageLimits) throws(CalotypeError) {
        self.facts = facts
        var distinct: [Transform] = []
        for transform in transforms where !distinct.contains(transform) {
            try Self.validate(transform)
            distinct.append(transform)
        }
        self.transforms = distinct
        try limits.check(facts)
        if keepsBase { try limits.check(base, most: limits.pixels) }
        for size in outputs { try limits.check(size, most: limits.pixels) }
    }

    /// Whether the loaded picture is held whole, because several pictures are made of it.
    var keepsBase: Bool { transforms.count > 1 }

    /// The estimate of the memory it takes.
    var bytes: Int {
        DecodeBudget.bytes(
            facts,
            shrink: shrink,
            keepsBase: keepsBase,
            outputs: outputs.reduce(0) { $0 + min($1.pixelCount, 1 << 32) }
        )
    }

    /// The loader's options.
    var loaderOptions: String {
        let strict = "access=sequential,fail_on=truncated"
        switch facts.format {
        case .jpeg where shrink > 1: return "[\(strict),shrink=\(shrink)]"
        case .webp where shrink > 1: return "[\(strict),scale=\(1 / Double(shrink))]"
        default: return "[\(strict)]"
        }
    }

    /// The factor by which the loader shrinks the picture: 8, 4, 2 or 1.
    var shrink: Int {
        guard facts.format == .jpeg || facts.format == .webp else { return 1 }
        return transforms.map { Geometry.shrink(facts.size, for: Geometry($0, of: facts.size).scaled) }.min() ?? 1
    }

    private var outputs: [PixelSize] { transforms.map { Geometry($0, of: facts.size).output } }

    private var base: PixelSize {
        PixelSize(width: facts.storedSize.width / shrink, height: facts.storedSize.height / shrink)
    }

    private static func validate(_ transform: Transform) throws(CalotypeError) {
        let edges = 1...65_535
        guard transform.mode != .none else { return }
        guard edges.contains(transform.box.width), edges.contains(transform.box.height) else {
            throw CalotypeError(
                .invalidRequest, "a box of \(transform.box) is not within 1x1 and 65535x65535", stage: .request)
        }
    }
}
