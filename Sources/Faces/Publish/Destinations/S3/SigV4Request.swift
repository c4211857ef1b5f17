internal import CalotypeCore
internal import CalotypeHTTP

/// The parts of a request that a signature covers.
struct SigV4Request: Sendable {
    /// A name and value in a query, not encoded.
    struct QueryItem: Hashable, Sendable {
        let name: String
        let value: String

        init(_ name: String, _ value: String = "") {
            self.name = name
            self.value = value
        }
    }

    /// How the signature covers the body.
    enum Payload: Hashable, Sendable {
        /// By the SHA-256 of its bytes, in lower-case hexadecimal.
        case sha256(String)
        /// Not at all.
        case unsigned

        /// The request has no body.
        static let empty = Payload.sha256(
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )

        /// The value in the signature and in the header.
        var text: String {
            switch self {
            case .sha256(let digest): digest
            case .unsigned: "UNSIGNED-PAYLOAD"
            }
        }
    }

    var method: HTTPMethod
    /// The value of the `Host` header, with the port unless it is the scheme's default.
    var host: String
    /// The path as it is sent: percent-encoded once, as S3 signs it.
    var path: String
    var query: [QueryItem] = []
    /// The headers that are signed in addition to `Host`.
    var headers: [HeaderField] = []
    var payload = Payload.empty

    /// The query as it is signed and sent: encoded and sorted.
    var canonicalQuery: String {
        query.map { (SigV4Encoding.value($0.name), SigV4Encoding.value($0.value)) }
            .sorted { Self.precedes($0, $1) }
            .map { "\($0)=\($1)" }
            .joined(separator: "&")
    }

    /// The names of the signed headers.
    var signedHeaders: String {
        canonicalHeaders.map(\.name).joined(separator: ";")
    }

    /// The canonical form of the request, from which both sides compute the signature.
    var canonicalRequest: String {
        let fields = canonicalHeaders.map { "\($0.name):\($0.value)\n" }.joined()
        return [method.name, path, canonicalQuery, fields, signedHeaders, payload.text].joined(
            separator: "\n"
        )
    }

    /// The headers sorted by name; values of the same name stay in the request's order.
    private var canonicalHeaders: [(name: String, value: String)] {
        var values = ["host": [host]]
        for field in headers {
            values[field.name.lowercased(), default: []].append(Self.collapsed(field.value))
        }
        return values.sorted { Self.precedes($0.key, $1.key) }
            .map { ($0.key, $0.value.joined(separator: ",")) }
    }

    private static func collapsed(_ value: String) -> String {
        value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
    }

    private static func precedes(_ one: (String, String), _ other: (String, String)) -> Bool {
        one.0 == other.0 ? precedes(one.1, other.1) : precedes(one.0, other.0)
    }

    /// Compares by bytes, not by Unicode equivalence.
    private static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}

/// Percent-encoding for AWS signatures.
///
/// All but letters, digits and `-._~` is escaped, with upper-case digits.
enum SigV4Encoding {
    /// Encodes a name or value of a query.
    static func value(_ text: String) -> String {
        PercentEscapes.encoded(text)
    }

    /// Encodes a path, except for its slashes.
    static func path(_ text: String) -> String {
        PercentEscapes.encoded(text, keeping: "/")
    }
}
