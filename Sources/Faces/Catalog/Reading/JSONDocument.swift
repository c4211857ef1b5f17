import CalotypeCore
import FoundationEssentials

/// A response that should be JSON.
///
/// The decoder limits the nesting (512 levels), and the load limits the size.
struct JSONDocument {
    private let bytes: [UInt8]

    /// Creates a document from the response's body.
    ///
    /// - Throws: `not_json` if it does not begin as an object or array, `invalid_document` for an empty body.
    init(_ bytes: [UInt8]) throws(CatalogError) {
        self.bytes = bytes
        guard let first = bytes.first(where: { !Self.isSkipped($0) }) else {
            throw CatalogError(.invalidDocument, "the response is empty; try again later")
        }
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): break
        case UInt8(ascii: "<"):
            throw CatalogError(
                .notJSON,
                "the response is HTML or XML instead of JSON; check the URL, or whether this network requires a login"
            )
        default: throw CatalogError(.notJSON, "the response is not a JSON object or array; check the URL")
        }
    }

    /// Decodes the whole document.
    ///
    /// - Throws: `invalid_document` for damaged JSON, and for JSON with another structure.
    func decoded<Value: Decodable>(as type: Value.Type) throws(CatalogError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw failure(error)
        }
    }

    /// Decodes the parts of the document that `configuration` selects.
    ///
    /// - Throws: `invalid_document` for damaged JSON, and for JSON with another structure.
    func decoded<Value: DecodableWithConfiguration>(
        as type: Value.Type,
        _ configuration: Value.DecodingConfiguration
    ) throws(CatalogError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes), configuration: configuration)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> CatalogError {
        if let error = error as? CatalogError { return error }
        let message: String
        if case DecodingError.dataCorrupted = error {
            message =
                endsEarly
                ? "the response ends too early: it was truncated; try again" : "the response is damaged JSON"
        } else {
            message = "the response does not have the documented structure: \(Self.text(error))"
        }
        return CatalogError(.invalidDocument, message, cause: error)
    }

    /// Whether the last character cannot end a JSON document.
    private var endsEarly: Bool {
        let last = bytes.last { !Self.isSkipped($0) }
        return last != UInt8(ascii: "}") && last != UInt8(ascii: "]")
    }

    private static func text(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "it has no \(key.stringValue)"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            context.codingPath.isEmpty
                ? "it has another type"
                : "\(context.codingPath.map(\.stringValue).joined(separator: ".")) has another type"
        default: "\(error)"
        }
    }

    /// White space, and the byte order mark that some servers send.
    private static func isSkipped(_ byte: UInt8) -> Bool {
        [0x20, 0x0A, 0x0D, 0x09, 0xEF, 0xBB, 0xBF].contains(byte)
    }
}
