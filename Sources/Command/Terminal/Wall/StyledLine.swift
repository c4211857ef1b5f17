/// A line of text in one style.
struct StyledLine: Hashable, Sendable {
    var text: String
    var style: TextStyle = .plain
}
