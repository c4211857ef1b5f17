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
