import CalotypeCore

/// The orientation of the decoder's picture, and the turn that the result needs.
struct Standing: Hashable {
    /// The size of the picture from the decoder.
    let stored: PixelSize
    /// The EXIF orientation that describes the turn, including edits.
    let orientation: Int

    /// The size of the picture after turning.
    var size: PixelSize { orientation >= 5 ? stored.transposed : stored }

    /// Determines the turn of a picture with these `facts` under `edits`.
    ///
    /// Decoders of HEIF turn it themselves.
    init(_ facts: ImageFacts, _ edits: PictureEdits) {
        let isUpright = facts.isTurnedByDecoder || edits.ignoresOrientation
        var turn = Turn(orientation: isUpright ? 1 : facts.orientation)
        turn.rotate(quarters: 4 - edits.quarterTurns)
        if edits.flipsHorizontally { turn.mirror(topToBottom: false) }
        if edits.flipsVertically { turn.mirror(topToBottom: true) }
        stored = facts.isTurnedByDecoder ? facts.size : facts.storedSize
        orientation = turn.orientation
    }

    /// Returns the standing of a picture whose size differs from its header's.
    func of(_ stored: PixelSize) -> Standing { Standing(stored: stored, orientation: orientation) }

    private init(stored: PixelSize, orientation: Int) {
        self.stored = stored
        self.orientation = orientation
    }
}

extension Geometry {
    /// Plans `transform` for a picture with these `facts`.
    init(_ transform: Transform, of facts: ImageFacts) {
        self.init(transform, of: Standing(facts, transform.edits).size)
    }
}

/// A turn by quarters with a mirroring after it, as EXIF orientations 1 to 8 number them.
struct Turn {
    /// Quarters clockwise, 0 to 3.
    private var quarters = 0
    /// Whether left and right are swapped after the turn.
    private var isMirrored = false

    /// No turn.
    init() {}

    /// The turn for the EXIF `orientation`; none for an invalid one.
    init(orientation: Int) {
        if let quarters = Self.turned.firstIndex(of: orientation) { self.quarters = quarters }
        if let quarters = Self.mirrored.firstIndex(of: orientation) {
            self.quarters = quarters
            isMirrored = true
        }
    }

    /// Adds a turn by `quarters` counter-clockwise, as in HEIF's `irot`.
    mutating func rotate(quarters turned: Int) {
        // After a mirroring, a turn goes the other way.
        quarters = (isMirrored ? quarters + turned : quarters + 4 - turned) % 4
    }

    /// Adds a swap of top and bottom, or of left and right, as in HEIF's `imir`.
    mutating func mirror(topToBottom: Bool) {
        if topToBottom { quarters = (quarters + 2) % 4 }
        isMirrored.toggle()
    }

    /// The EXIF orientation for the same turn.
    var orientation: Int { isMirrored ? Self.mirrored[quarters] : Self.turned[quarters] }

    private static let turned = [1, 6, 3, 8]
    private static let mirrored = [2, 5, 4, 7]
}
