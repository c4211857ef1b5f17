internal import CalotypeCore
internal import CalotypeHTTP

/// What a server says of itself: versions, extensions and the largest upload (tus 1.0, `OPTIONS`).
struct TusAbilities: Hashable {
    /// The protocol's version that is spoken here.
    static let version = "1.0.0"

    /// The versions it speaks, the one that it prefers first; empty where it does not tell.
    let versions: [String]
    /// The extensions it has; empty where it does not tell.
    let extensions: Set<String>
    /// The longest upload that it takes.
    let maximumSize: ByteCount?

    /// Reads the fields of an answer.
    init(_ headers: HTTPHeaders) {
        versions = Self.list(headers["Tus-Version"])
        extensions = Set(Self.list(headers["Tus-Extension"]))
        maximumSize = headers.tusNumber("Tus-Max-Size").map { ByteCount($0) }
    }

    /// Whether it can be talked to, as far as it tells.
    var isSpoken: Bool { versions.isEmpty || versions.contains(Self.version) }

    /// Whether the request that creates an upload may bring its bytes.
    var takesBytesAtCreation: Bool { extensions.contains("creation-with-upload") }

    private static func list(_ value: String?) -> [String] {
        (value ?? "").split { $0 == "," || $0 == " " }.map { $0.lowercased() }
    }
}
