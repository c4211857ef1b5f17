public import CommandLineKit

/// Pictures among printed text, on the normal screen: drawn some lines above the cursor, which then comes back.
public struct InlinePictures: Sendable {
    private let output: TerminalOutput
    private let screen: ScreenSize

    /// Creates pictures on a terminal of this size.
    public init(_ output: TerminalOutput, screen: ScreenSize) {
        self.output = output
        self.screen = screen
    }

    /// The bytes that draw `picture` with its first line `lines` above the cursor's; the cursor comes back to where it was.
    ///
    /// - Returns: `nil` where that line has left the screen, or the picture would reach below the cursor's line.
    public func bytes(_ picture: TerminalPicture, linesAbove lines: Int, column: Int) -> [UInt8]? {
        guard lines < screen.rows, lines >= picture.rows, column >= 0,
            column + picture.columns <= screen.columns
        else { return nil }
        return []
    }

    /// Draws a picture as ``bytes(_:linesAbove:column:)`` says; what has left the screen is left out.
    ///
    /// - Throws: `OutputError`.
    public func draw(_ picture: TerminalPicture, linesAbove lines: Int, column: Int) throws(OutputError) {
        if let bytes = bytes(picture, linesAbove: lines, column: column) { try output.write(bytes) }
    }
}
