public import CalotypeCore

/// A file that an entry of the list became.
public struct FetchedRendition: Hashable, Sendable {
    /// The file's name in the folder.
    public let file: String
    /// The picture's size.
    public let size: PixelSize
    /// The file's length.
    public let bytes: ByteCount
    /// What it is encoded as.
    public let format: ImageFormat
}

extension FetchedRendition {
    init(_ made: StateRecord.Made, of index: Int) {
        file = made.fileName(of: index)
        size = made.size
        bytes = ByteCount(made.bytes)
        format = made.format
    }
}
