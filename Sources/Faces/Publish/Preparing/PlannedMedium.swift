public import CalotypeCore

/// A medium that was looked at: what it is, and what will be sent.
public struct PlannedMedium: Hashable, Sendable {
    /// Where what is sent comes from.
    package enum Making: Hashable, Sendable {
        /// The file, as it is.
        case file(SourceFile)
        /// The bytes, as they are.
        case bytes([UInt8])
        /// The file, without the place where the photo was made.
        case placeless(SourceFile)
        /// What the pipeline makes.
        case rendition(ImageRequest)
    }

    /// Its place in the post, from 0.
    public let position: Int
    /// The name that the server is told.
    public let name: String
    /// What is sent.
    public let type: MediaType
    /// How long the source is; `nil` for a rendition of something that was not loaded yet.
    public let sourceSize: ByteCount?
    /// Why it is not sent as it is; `nil` where it is.
    public let change: String?
    /// Whether it is a photo that tells where it was made, and is sent without that.
    public let losesLocation: Bool
    /// The SHA-256 of the source, or a description of what makes it: by it a changed source is noticed.
    package let origin: String
    /// That of the picture that stands for the medium, if it has one.
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
    /// How long it is, where that is known.
    var size: ByteCount? {
        switch self {
        case .file(let file), .placeless(let file): file.size
        case .bytes(let bytes): ByteCount(bytes.count)
        case .rendition: nil
        }
    }

    /// The path of the user's own file, where it is one.
    var path: String? {
        switch self {
        case .file(let file), .placeless(let file): file.path
        case .bytes, .rendition: nil
        }
    }

    /// The same for the pipeline.
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

/// A plan as JSON.
private struct Wire: Encodable {
    let position: Int
    let name: String
    let type: String
    let size: Int?
    let change: String?
}
