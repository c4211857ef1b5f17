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
