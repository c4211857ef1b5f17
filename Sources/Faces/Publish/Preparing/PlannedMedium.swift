public import CalotypeCore

/// A medium that was examined: its type, and what will be sent.
public struct PlannedMedium: Hashable, Sendable {
    /// The origin of the bytes to send.
    package enum Making: Hashable, Sendable {
        /// A file, sent unchanged.
        case file(SourceFile)
        /// Bytes, sent unchanged.
        case bytes([UInt8])
        /// A file, sent without the photo's GPS position.
        case placeless(SourceFile)
        /// A rendition, created by the pipeline.
        case rendition(ImageRequest)
    }

    /// The medium's position in the post, from 0.
    public let position: Int
    /// The file name that is sent to the server.
    public let name: String
    /// The media type to send.
    public let type: MediaType
    /// The size of the source; `nil` for a rendition of a source that is not loaded yet.
    public let sourceSize: ByteCount?
    /// Why the medium is changed before it is sent; `nil` if it is sent unchanged.
    public let change: String?
    /// Whether the medium is a photo with a GPS position, which is removed before it is sent.
    public let losesLocation: Bool
    /// The SHA-256 of the source, or a description of what creates it; it shows whether a source has changed.
    package let origin: String
    /// The corresponding value for the thumbnail, if there is one.
    package internal(set) var thumbnailOrigin: String?
    package let making: Making
    let medium: Media

    init(
        position: Int,
        name: String,
        type: MediaType,
        sourceSize: ByteCount?,
        change: String? = nil,
        losesLocation: Bool = false,
        origin: String,
        making: Making,
        medium: Media
    ) {
        self.position = position
        self.name = name
        self.type = type
        self.sourceSize = sourceSize
        self.change = change
        self.losesLocation = losesLocation
        self.origin = origin
        self.making = making
        self.medium = medium
    }
}

extension PlannedMedium.Making {
    /// The size of the source, if it is known.
    var size: ByteCount? {
        switch self {
        case .file(let file), .placeless(let file): file.size
        case .bytes(let bytes): ByteCount(bytes.count)
        case .rendition: nil
        }
    }

    /// The path of the user's own file, if the source is a file.
    var path: String? {
        switch self {
        case .file(let file), .placeless(let file): file.path
        case .bytes, .rendition: nil
        }
    }

    /// The source to load through the pipeline.
    var source: ImageSource {
        switch self {
        case .file(let file), .placeless(let file): .file(path: file.path)
        case .bytes(let bytes): .bytes(bytes)
        case .rendition(let request): request.source
        }
    }
}

extension PlannedMedium {
    /// The plan as a JSON object on one line, for programs.
    package var json: String {
        let wire = Wire(
            position: position,
            name: name,
            type: type.name,
            size: sourceSize?.bytes,
            change: change
        )
        return JSONLine.text(wire)
    }
}

/// The JSON form of a plan.
private struct Wire: Encodable {
    let position: Int
    let name: String
    let type: String
    let size: Int?
    let change: String?
}
