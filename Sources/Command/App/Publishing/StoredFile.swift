import CalotypePublish

/// A stored file for publishing.
struct StoredFile: Codable, Hashable, Identifiable, Sendable {
    let id: String
    /// The user's name for the file; never a path.
    let name: String
    let bytes: Int
    /// The media type according to its first bytes.
    let type: String
    /// The time when it was complete, in seconds since 1970.
    let created: Int
    /// The size of an upright picture.
    var width: Int?
    var height: Int?
    /// The code of the error if a picture cannot be read.
    ///
    /// It is also set for a file that is not an image, video or audio.
    var fault: String?

    /// `image`, `video` or `other`.
    var kind: String {
        switch MediaType(type).kind {
        case .image: "image"
        case .video: "video"
        case .audio, .other: "other"
        }
    }

    /// The path of its thumbnail on this server; `nil` if it is not a readable picture.
    var src: String? {
        width == nil ? nil : "/api/publish/files/\(id)/thumbnail?side=192"
    }
}

/// A file in the API.
struct FileDocument: Encodable, Sendable {
    let id: String
    let name: String
    let bytes: Int
    let type: String
    let kind: String
    let width: Int?
    let height: Int?
    /// Why the file cannot be shown as a picture, if it is not video or audio.
    let fault: String?
    @Nullable var src: String?

    init(_ file: StoredFile) {
        id = file.id
        name = file.name
        bytes = file.bytes
        type = file.type
        kind = file.kind
        width = file.width
        height = file.height
        fault = file.fault
        _src = Nullable(wrappedValue: file.src)
    }
}
