/// The place of a picture in a wall: what its slot is known by.
enum WallPlace: Hashable, Sendable {
    /// An entry's cell.
    case cell(Int)
    /// An app's icon beside its text.
    case icon
    /// A screenshot of the app that is open.
    case screenshot(Int)
    /// The picture that has the screen for itself.
    case large
}
