public import CalotypeCore

/// A picture for a terminal: its size in cells, and the bytes that draw it.
public struct TerminalPicture: Sendable {
    /// The way the picture is drawn.
    enum Content: Sendable {
        /// Coloured characters: for each line, the bytes that draw it from its first cell, ending in plain
        /// style.
        case symbols(lines: [[UInt8]])
        /// Pixels in sixel format: the bytes that draw the picture from its first cell.
        case sixel([UInt8])
        /// Pixels for kitty's protocol.
        case kitty(KittyImage)
    }

    /// Width in columns.
    public let columns: Int
    /// Height in lines.
    public let rows: Int
    let content: Content
    /// Identifies the picture, so that its bytes need not be compared.
    let identity: Identity

    /// Unique to each rendered picture.
    final class Identity: Sendable {}

    init(columns: Int, rows: Int, content: Content) {
        self.columns = columns
        self.rows = rows
        self.content = content
        identity = Identity()
    }

    /// Creates a picture from one-column characters, one text for each line, all of the same length.
    package init(symbols lines: [String]) {
        let columns = lines.first?.count ?? 0
        precondition(lines.allSatisfy { $0.count == columns }, "lines of different lengths: \(lines)")
        self.init(columns: columns, rows: lines.count, content: .symbols(lines: lines.map { Array($0.utf8) }))
    }

    /// Approximate size in memory, in bytes.
    var byteCount: Int {
        switch content {
        case .symbols(let lines): lines.reduce(0) { $0 + $1.count }
        case .sixel(let bytes): bytes.count
        case .kitty(let image): image.payload.count
        }
    }
}

extension TerminalPicture: Hashable {
    /// Whether both are copies of the same picture.
    public static func == (lhs: TerminalPicture, rhs: TerminalPicture) -> Bool {
        lhs.identity === rhs.identity
    }

    /// Hashes the picture's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(identity))
    }
}

/// The space for a picture on the screen.
public struct PictureBox: Hashable, Sendable {
    /// Columns of characters, at least 1.
    public let columns: Int
    /// Lines of characters, at least 1.
    public let rows: Int
    /// The width of a character cell in pixels; with the height, it gives the cell's aspect ratio.
    public let cellWidthPixels: Int
    /// The height of a character cell in pixels.
    public let cellHeightPixels: Int

    /// Creates a box on a screen; values below 1 become 1.
    public init(columns: Int, rows: Int, on screen: ScreenSize) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
        cellWidthPixels = screen.cellWidthPixels
        cellHeightPixels = screen.cellHeightPixels
    }

    /// Returns the pixels to request from the pipeline to fill the box well in the given style.
    ///
    /// Symbols show at most eight by eight points in a cell, and the eye distinguishes only a few of them.
    public func pixels(for style: PictureStyle) -> PixelSize {
        switch style {
        case .kitty, .sixel: PixelSize(width: columns * cellWidthPixels, height: rows * cellHeightPixels)
        case .symbols, .none:
            PixelSize(width: columns * 8, height: rows * 8 * cellHeightPixels / cellWidthPixels)
        }
    }
}

/// The part of a box that a picture fills with its own aspect ratio.
struct PictureFit: Hashable {
    /// Columns of characters, at least 1.
    let columns: Int
    /// Lines of characters, at least 1.
    let rows: Int
    /// The area in pixels.
    let pixels: PixelSize
}

extension PictureBox {
    /// Returns the largest area of the box with the aspect ratio of `picture`, rounded to whole cells.
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
