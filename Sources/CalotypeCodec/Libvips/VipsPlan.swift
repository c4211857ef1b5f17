import CalotypeCore

/// What one decode has to yield: the distinct transforms that are wanted, and how small the decoder may start.
struct VipsPlan {
    /// The header of the source.
    let facts: ImageFacts
    /// The transforms, each once.
    let transforms: [Transform]

    /// Plans for the valid `transforms`: one decode for all of them.
    ///
    /// Only of a picture that is too large to be held, and is read row by row, each picture needs a decode of its own.
    static func plans(_ facts: ImageFacts, _ transforms: [Transform], limits: ImageLimits) -> [VipsPlan] {
        var distinct: [Transform] = []
        for transform in transforms where !distinct.contains(transform) { distinct.append(transform) }
        guard !distinct.isEmpty else { return [] }
        let plan = VipsPlan(facts: facts, transforms: distinct)
        guard plan.keepsBase, plan.base.pixelCount > limits.pixels else { return [plan] }
        return distinct.map { VipsPlan(facts: facts, transforms: [$0]) }
    }

    /// Whether the loaded picture is held whole, because several pictures are made of it.
    var keepsBase: Bool { transforms.count > 1 }

    /// The estimate of the memory it takes.
    var bytes: Int {
        VipsBudget.bytes(
            facts,
            shrink: shrink,
            keepsBase: keepsBase,
            outputs: outputs.reduce(0) { $0 + min($1.pixelCount, 1 << 32) }
        )
    }

    /// The loader's options; a strict one refuses a source that ends early.
    func loaderOptions(isStrict: Bool) -> String {
        let strict = "access=sequential,fail_on=\(isStrict ? "truncated" : "none")"
        switch facts.format {
        case .jpeg where shrink > 1: return "[\(strict),shrink=\(shrink)]"
        case .webp where shrink > 1: return "[\(strict),scale=\(1 / Double(shrink))]"
        default: return "[\(strict)]"
        }
    }

    /// The factor by which the loader shrinks the picture: 8, 4, 2 or 1.
    var shrink: Int {
        guard facts.format == .jpeg || facts.format == .webp else { return 1 }
        return transforms.map(shrink).min() ?? 1
    }

    private func shrink(_ transform: Transform) -> Int {
        guard transform.effort != .best else { return 1 }
        return Geometry.shrink(facts.size, for: Geometry(transform, of: facts.size).scaled)
    }

    private var outputs: [PixelSize] { transforms.map { Geometry($0, of: facts.size).output } }

    private var base: PixelSize {
        PixelSize(width: facts.storedSize.width / shrink, height: facts.storedSize.height / shrink)
    }
}
