/// A picture as a terminal shows it: some cells wide and high, and the bytes that draw it.
public struct TerminalPicture: Sendable {
    /// How it is drawn.
    enum Content: Sendable {
        /// Characters in colours: for each line the bytes that draw it from its first cell on, ending with plain style.
        case symbols(lines: [[UInt8]])
        /// Pixels in sixel format: the bytes that draw all of it from its first cell on.
        case sixel([UInt8])
        /// Pixels for kitty's protocol.
        case kitty(KittyImage)
    }

    /// The columns it takes.
    public let columns: Int
    /// The lines it takes.
    public let rows: Int
    let content: Content
    /// Tells pictures apart without comparing their bytes.
    let identity: Identity

    /// Each picture that is made has its own.
    final class Identity: Sendable {}

    init(columns: Int, rows: Int, content: Content) {
        self.columns = columns
        self.rows = rows
        self.content = content
        identity = Identity()
    }

    /// A picture of characters of one column each, a text for each line, all of the same length.
    package init(symbols lines: [String]) {
        let columns = lines.first?.count ?? 0
        precondition(lines.allSatisfy { $0.count == columns }, "lines of different lengths: \(lines)")
        self.init(columns: columns, rows: lines.count, content: .symbols(lines: lines.map { Array($0.utf8) }))
    }

    /// The bytes it takes in memory, about.
    var byteCount: Int {
        switch content {
        case .symbols(let lines): lines.reduce(0) { $0 + $1.count }
        case .sixel(let bytes): bytes.count
        case .kitty(let image): image.payload.count
        }
    }
}

extension TerminalPicture: Hashable {
    /// Whether both are copies of one picture.
    public static func == (lhs: TerminalPicture, rhs: TerminalPicture) -> Bool {
        lhs.identity === rhs.identity
    }

    /// Hashes which picture it is.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(identity))
    }
}
