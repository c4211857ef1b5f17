/// A file of the app's pages.
struct AppFile: Sendable {
    /// Below `/app/`.
    let path: String
    /// Its media type.
    let type: String
    let bytes: [UInt8]

    /// Whether people come to it, or programs, by an address that they keep; all else is named by documents and scripts.
    var isDocument: Bool { type.hasPrefix("text/html") || type == "application/json" }

    /// Whether it holds paths of others.
    var namesOthers: Bool { type.hasPrefix("text/html") || type.hasPrefix("text/javascript") }
}
