import CalotypePublish

/// A file that was handed over to be published, as it is written down.
struct StoredFile: Codable, Hashable, Sendable {
    let id: String
    /// What people call it; never a path.
    let name: String
    let bytes: Int
    /// The media type that its first bytes tell.
    let type: String
    /// When it had come, in seconds since the start of 1970.
    let created: Int
    /// The size of a picture, upright.
    var width: Int?
    var height: Int?
    /// Why a picture cannot be read, a code of loads; also what is neither a picture nor video or sound has one.
    var fault: String?

    /// `image`, `video` or `other`.
    var kind: String {
        switch MediaType(type).kind {
        case .image: "image"
        case .video: "video"
        case .audio, .other: "other"
        }
    }

    /// The path of its thumbnail on this server; `nil` for what is no picture that can be read.
    var src: String? {
        width == nil ? nil : "/api/publish/files/\(id)/thumbnail?side=192"
    }
}

/// A file as the API tells of it.
struct FileDocument: Encodable, Sendable {
    let id: String
    let name: String
    let bytes: Int
    let type: String
    let kind: String
    let width: Int?
    let height: Int?
    /// Why it cannot be shown as a picture, where it is not video or sound.
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
