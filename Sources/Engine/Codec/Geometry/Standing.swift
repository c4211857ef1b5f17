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

/// A turn by quarters with a mirroring after it, as EXIF orientations 1 to 8 number them.
struct Turn {
    /// Quarters clockwise, 0 to 3.
    private var quarters = 0
    /// Whether left and right are exchanged after the turn.
    private var isMirrored = false

    /// No turn.
    init() {}

    /// The turn that the EXIF `orientation` asks for; none for what is no orientation.
    init(orientation: Int) {
        if let quarters = Self.turned.firstIndex(of: orientation) { self.quarters = quarters }
        if let quarters = Self.mirrored.firstIndex(of: orientation) {
            self.quarters = quarters
            isMirrored = true
        }
    }

    /// Adds a turn by `quarters` counter-clockwise, as HEIF's `irot` gives it.
    mutating func rotate(quarters turned: Int) {
        // Behind a mirroring, a turn one way is a turn the other way.
        quarters = (isMirrored ? quarters + turned : quarters + 4 - turned) % 4
    }

    /// Adds an exchange of top and bottom, or of left and right, as HEIF's `imir` gives it.
    mutating func mirror(topToBottom: Bool) {
        if topToBottom { quarters = (quarters + 2) % 4 }
        isMirrored.toggle()
    }

    /// The EXIF orientation that asks for the same.
    var orientation: Int { isMirrored ? Self.mirrored[quarters] : Self.turned[quarters] }

    private static let turned = [1, 6, 3, 8]
    private static let mirrored = [2, 5, 4, 7]
}
