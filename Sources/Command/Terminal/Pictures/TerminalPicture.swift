public import CalotypeCore

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

/// The room that a picture has on the screen.
public struct PictureBox: Hashable, Sendable {
    /// Columns of characters, at least 1.
    public let columns: Int
    /// Lines of characters, at least 1.
    public let rows: Int
    /// The pixels of one character's cell, which tell how much higher than wide it is.
    public let cellWidthPixels: Int
    /// See ``cellWidthPixels``.
    public let cellHeightPixels: Int

    /// Creates a box of some columns and rows on a screen; what is below 1 becomes 1.
    public init(columns: Int, rows: Int, on screen: ScreenSize) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
        cellWidthPixels = screen.cellWidthPixels
        cellHeightPixels = screen.cellHeightPixels
    }

    /// The pixels that a picture needs to fill the box well in this style: what to ask the pipeline for.
    ///
    /// Symbols show eight by eight points in a cell at most, of which no eye tells more than a few.
    public func pixels(for style: PictureStyle) -> PixelSize {
        switch style {
        case .kitty, .sixel: PixelSize(width: columns * cellWidthPixels, height: rows * cellHeightPixels)
        case .symbols, .none:
            PixelSize(width: columns * 8, height: rows * 8 * cellHeightPixels / cellWidthPixels)
        }
    }
}

/// The part of a box that a picture fills in its own aspect ratio.
struct PictureFit: Hashable {
    /// Columns of characters, at least 1.
    let columns: Int
    /// Lines of characters, at least 1.
    let rows: Int
    /// The same area to the pixel.
    let pixels: PixelSize
}

extension PictureBox {
    /// The largest area of the box in the aspect ratio of `picture`, to the nearest whole cell.
    func fit(_ picture: PixelSize) -> PictureFit {
        let (wide, high) = (Double(columns * cellWidthPixels), Double(rows * cellHeightPixels))
        let scale = min(wide / Double(max(picture.width, 1)), high / Double(max(picture.height, 1)))
        let pixels = PixelSize(
            width: min(max(Int((Double(picture.width) * scale).rounded()), 1), columns * cellWidthPixels),
            height: min(max(Int((Double(picture.height) * scale).rounded()), 1), rows * cellHeightPixels)
        )
        return PictureFit(
            columns: Self.cells(pixels.width, cellWidthPixels, most: columns),
            rows: Self.cells(pixels.height, cellHeightPixels, most: rows),
            pixels: pixels
        )
    }

    private static func cells(_ pixels: Int, _ cellPixels: Int, most: Int) -> Int {
        min(max((pixels + cellPixels / 2) / cellPixels, 1), most)
    }
}
