public import CalotypeCommandLineKit

/// Pictures among printed text, on the normal screen: each is drawn some lines above the cursor, which then comes back.
///
/// Nothing scrolls. Print the text with room for the pictures first, then draw them in any order.
public struct InlinePictures: Sendable {
    private let output: TerminalOutput
    private let screen: ScreenSize

    /// Creates pictures on a terminal of this size.
    public init(_ output: TerminalOutput, screen: ScreenSize) {
        self.output = output
        self.screen = screen
    }

    /// Makes the bytes that draw a picture above the cursor, and bring the cursor back to where it was.
    ///
    /// - Parameters:
    ///   - picture: The picture.
    ///   - lines: How far its first line is above the cursor's.
    ///   - column: Its first column, from 0.
    /// - Returns: The bytes; `nil` where that line has left the screen, or the picture would not end above the cursor or
    ///   reach over the right edge.
    public func bytes(_ picture: TerminalPicture, linesAbove lines: Int, column: Int) -> [UInt8]? {
        guard lines < screen.rows, lines >= picture.rows else { return nil }
        guard column >= 0, column + picture.columns <= screen.columns else { return nil }
        // The cursor's place is kept and taken back by the terminal: no matter where a drawing leaves it.
        var bytes: [UInt8] = []
        for (offset, drawing) in drawings(of: picture).enumerated() {
            bytes += Array("\u{1B}7\u{1B}[\(lines - offset)A\u{1B}[\(column + 1)G".utf8)
            bytes += drawing
            bytes += Array("\u{1B}8".utf8)
        }
        return bytes
    }

    /// Draws a picture as ``bytes(_:linesAbove:column:)`` says; what has left the screen is left out.
    ///
    /// - Throws: `OutputError`.
    public func draw(_ picture: TerminalPicture, linesAbove lines: Int, column: Int) throws(OutputError) {
        if let bytes = bytes(picture, linesAbove: lines, column: column) { try output.write(bytes) }
    }

    /// What is drawn, line by line.
    private func drawings(of picture: TerminalPicture) -> [[UInt8]] {
        switch picture.content {
        case .symbols(let lines): lines
        case .sixel(let bytes): [bytes]
        case .kitty(let image):
            [image.transmission + image.placement(number: 1, columns: picture.columns, rows: picture.rows)]
        }
    }
}
