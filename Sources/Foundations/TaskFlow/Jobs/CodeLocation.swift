/// A place in source code, for messages to its author.
public struct CodeLocation: Hashable, Sendable, CustomStringConvertible {
    /// The module and the file, as in `#fileID`.
    public let fileID: String
    /// The line, from one.
    public let line: Int

    /// Creates a location.
    public init(fileID: String, line: Int) {
        self.fileID = fileID
        self.line = line
    }

    /// The file and the line.
    public var description: String { "\(fileID):\(line)" }
}
