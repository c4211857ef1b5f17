import CalotypeCore

/// How the picture that a decoder gives lies, and how it is turned before it is handed out.
struct Standing: Hashable {
    /// The size of the picture as the decoder gives it.
    let stored: PixelSize
    /// The EXIF orientation that stands for the turn, edits included.
    let orientation: Int

    /// The size of the picture as it looks after turning.
    var size: PixelSize { orientation >= 5 ? stored.transposed : stored }

    /// How the picture that `facts` tell of is turned under `edits`.
    ///
    /// Decoders of HEIF turn it by themselves.
    init(_ facts: ImageFacts, _ edits: PictureEdits) {
        let isUpright = facts.isTurnedByDecoder || edits.ignoresOrientation
        var turn = Turn(orientation: isUpright ? 1 : facts.orientation)
        turn.rotate(quarters: 4 - edits.quarterTurns)
        if edits.flipsHorizontally { turn.mirror(topToBottom: false) }
        if edits.flipsVertically { turn.mirror(topToBottom: true) }
        stored = facts.isTurnedByDecoder ? facts.size : facts.storedSize
        orientation = turn.orientation
    }

    /// The same for a picture that is of another size than its header told.
    func of(_ stored: PixelSize) -> Standing { Standing(stored: stored, orientation: orientation) }

    private init(stored: PixelSize, orientation: Int) {
        self.stored = stored
        self.orientation = orientation
    }
}

extension Geometry {
    /// Plans `transform` for the picture that `facts` tell of.
    init(_ transform: Transform, of facts: ImageFacts) {
        self.init(transform, of: Standing(facts, transform.edits).size)
    }
}
