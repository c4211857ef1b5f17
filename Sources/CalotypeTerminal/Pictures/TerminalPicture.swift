/// A picture as a terminal shows it: some cells wide and high, and the bytes that draw it.
public struct TerminalPicture: Sendable {
    /// How it is drawn.
    enum Content: Sendable {
        /// Characters in colours: for each line the bytes that draw it from its first cell on, ending with plain style.
        case symbols(lines: [[UInt8]])
        /// Pixels in a protocol of the terminal's: the bytes that draw all of it from its first cell on.
        case pixels([UInt8])
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

    /// The bytes it takes in memory, about.
    var byteCount: Int {
        switch content {
        case .symbols(let lines): lines.reduce(0) { $0 + $1.count }
        case .pixels(let bytes): bytes.count
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
