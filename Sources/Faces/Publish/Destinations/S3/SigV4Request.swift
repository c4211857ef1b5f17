internal import CalotypeCore
internal import CalotypeHTTP

/// What of a request is signed.
struct SigV4Request: Sendable {
    /// One name and value of a query, not encoded.
    struct QueryItem: Hashable, Sendable {
        let name: String
        let value: String

        init(_ name: String, _ value: String = "") {
            self.name = name
            self.value = value
        }
    }

    /// What the signature says of the body.
    enum Payload: Hashable, Sendable {
        /// The SHA-256 of its bytes, in lower-case hexadecimal.
        case sha256(String)
        /// Nothing.
        case unsigned

        /// No body.
        static let empty = Payload.sha256(
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )

        /// The word in the signature and in the header.
        var text: String {
            switch self {
            case .sha256(let digest): digest
            case .unsigned: "UNSIGNED-PAYLOAD"
            }
        }
    }

    var method: HTTPMethod
    /// The value of the `Host` field, with the port unless it is the scheme's own.
    var host: String
    /// The path as it is sent: percent-encoded, as S3 signs it, that is without a second encoding.
    var path: String
    var query: [QueryItem] = []
    /// The fields that are signed besides `Host`.
    var headers: [HeaderField] = []
    var payload = Payload.empty

    /// The query as it is signed, and as it is sent: encoded and in order.
    var canonicalQuery: String {
        query.map { (SigV4Encoding.value($0.name), SigV4Encoding.value($0.value)) }
            .sorted { Self.precedes($0, $1) }
            .map { "\($0)=\($1)" }
            .joined(separator: "&")
    }

    /// The names of the signed fields.
    var signedHeaders: String {
        canonicalHeaders.map(\.name).joined(separator: ";")
    }

    /// The request in the one form that both sides make the signature of.
    var canonicalRequest: String {
        let fields = canonicalHeaders.map { "\($0.name):\($0.value)\n" }.joined()
        return [method.name, path, canonicalQuery, fields, signedHeaders, payload.text].joined(
            separator: "\n"
        )
    }

    /// By name, with the values of the same name in the order of the request.
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

    /// By bytes, not by what the characters mean.
    private static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}

/// Percent-encoding as AWS signs it: all but letters, digits and `-._~` is escaped, in upper-case digits.
enum SigV4Encoding {
    /// A name or a value of a query.
    static func value(_ text: String) -> String {
        PercentEscapes.encoded(text)
    }

    /// A path, whose slashes stay.
    static func path(_ text: String) -> String {
        PercentEscapes.encoded(text, keeping: "/")
    }
}
