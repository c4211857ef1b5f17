import CalotypeCore

/// The pictures of one fast decode, and the scale at which the decoder returns its rows.
struct FastPlan {
    /// The eighths of its size at which the source is decoded: as few as all pictures allow.
    let scale: Int
    /// The pictures: each transform once, with the specs that share it.
    let renditions: [(transform: Transform, specs: [PictureSpec])]

    /// Whether each pixel of every result is made from at least as many decoded ones as the effort requires.
    let isAveraged: Bool

    private let facts: ImageFacts

    init(_ specs: [PictureSpec], of facts: ImageFacts, _ source: any FastSource) {
        self.facts = facts
        var renditions: [(transform: Transform, specs: [PictureSpec])] = []
        for spec in specs {
            if let index = renditions.firstIndex(where: { $0.transform == spec.transform }) {
                renditions[index].specs.append(spec)
            } else {
                renditions.append((spec.transform, [spec]))
            }
        }
        self.renditions = renditions
        let scale = renditions.map { Self.scale($0.transform, of: facts, source.scales) }.max() ?? 8
        self.scale = scale
        isAveraged = renditions.allSatisfy { Self.hasEnough($0.transform, of: facts, scale) }
    }

    /// The size of the decoder's picture.
    var decodedSize: PixelSize {
        PixelSize(
            width: (facts.storedSize.width * scale + 7) / 8,
            height: (facts.storedSize.height * scale + 7) / 8
        )
    }

    /// How `transform` places the picture as stored.
    func stored(_ transform: Transform) -> StoredGeometry {
        StoredGeometry(Geometry(transform, of: facts), Standing(facts, transform.edits))
    }

    /// The smallest of `scales` that leaves as many pixels per result pixel as the effort requires.
    private static func scale(
        _ transform: Transform,
        of facts: ImageFacts,
        _ scales: [Int]
    ) -> Int {
        scales.first { hasEnough(transform, of: facts, $0) } ?? 8
    }

    private static func hasEnough(_ transform: Transform, of facts: ImageFacts, _ scale: Int) -> Bool {
        guard let pixels = transform.effort.pixelsForOne else { return false }
        let geometry = Geometry(transform, of: facts)
        let (size, target) = (geometry.crop.size, geometry.scaled)
        return Double(size.width * scale) >= 8 * pixels * Double(target.width)
            && Double(size.height * scale) >= 8 * pixels * Double(target.height)
    }
}

extension Effort {
    /// The minimum number of decoded pixels per result pixel in each direction, if the source has them; `nil`
    /// for all.
    ///
    /// The decoder averages dropped pixels over blocks, which blurs and shifts detail; Lanczos on more pixels
    /// does not.
    fileprivate var pixelsForOne: Double? {
        switch self {
        case .fast: 1.4
        case .balanced: 2.3
        case .best: nil
        }
    }
}

/// How a picture is scaled and cut in its stored orientation.
struct StoredGeometry {
    /// The size of the whole picture.
    let whole: PixelSize
    /// The part of it to scale.
    let crop: PixelArea
    /// The size of that part after scaling.
    let scaled: PixelSize
    /// The part of the scaled picture to keep.
    let kept: PixelArea
    /// The EXIF orientation that turns the kept part at the end.
    let orientation: Int
    /// The canvas under the upright result; `nil` for none.
    let canvas: Geometry.Canvas?

    init(_ geometry: Geometry, _ standing: Standing) {
        orientation = standing.orientation
        whole = standing.stored
        crop = geometry.crop.stored(in: standing.size, orientation: orientation)
        scaled = orientation >= 5 ? geometry.scaled.transposed : geometry.scaled
        kept = geometry.kept.stored(in: geometry.scaled, orientation: orientation)
        canvas = geometry.canvases.first
    }
}
