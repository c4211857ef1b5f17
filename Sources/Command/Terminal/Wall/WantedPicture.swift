/// A picture that is in sight: where it is, and the cells it may take.
struct WantedPicture: Hashable, Sendable {
    let place: WallPlace
    let url: String
    let area: CellArea
    /// The words below it; `nil` where there is no line for them.
    let caption: String?
    let isSelected: Bool
}
