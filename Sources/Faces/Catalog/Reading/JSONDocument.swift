import CalotypeCore
import FoundationEssentials

/// An answer that is to be JSON.
///
/// Nesting is bounded by the decoder (512 levels), and the length where the answer is loaded.
struct JSONDocument {
    private let bytes: [UInt8]

    /// Takes the answer's body.
    ///
    /// - Throws: `not_json` for what does not begin as an object or array, `invalid_document` for an empty body.
    init(_ bytes: [UInt8]) throws(CatalogError) {
        self.bytes = bytes
        guard let first = bytes.first(where: { !Self.isSkipped($0) }) else {
            throw CatalogError(.invalidDocument, "the answer is empty; try again later")
        }
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): break
        case UInt8(ascii: "<"):
            throw CatalogError(
                .notJSON,
                "the answer is a page (HTML or XML) and no JSON; check the URL, or whether this network wants a log-in"
            )
        default: throw CatalogError(.notJSON, "the answer is no JSON object or array; check the URL")
        }
    }

    /// Decodes the whole document.
    ///
    /// - Throws: `invalid_document` for damaged JSON, and for JSON of another shape.
    func decoded<Value: Decodable>(as type: Value.Type) throws(CatalogError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw failure(error)
        }
    }

    /// Decodes the parts of the document that `configuration` asks for.
    ///
    /// - Throws: `invalid_document` for damaged JSON, and for JSON of another shape.
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
                ? "the answer ends too early: it was cut on its way; try again" : "the answer is damaged JSON"
        } else {
            message = "the answer has another shape than documented: \(Self.text(error))"
        }
        return CatalogError(.invalidDocument, message, cause: error)
    }

    /// Whether the last character is none that JSON ends with.
    private var endsEarly: Bool {
        let last = bytes.last { !Self.isSkipped($0) }
        return last != UInt8(ascii: "}") && last != UInt8(ascii: "]")
    }

    private static func text(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "it has no \(key.stringValue)"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            context.codingPath.isEmpty
                ? "it is of another type"
                : "\(context.codingPath.map(\.stringValue).joined(separator: ".")) is of another type"
        default: "\(error)"
        }
    }

    /// White space, and the mark that some servers send before UTF-8.
    private static func isSkipped(_ byte: UInt8) -> Bool {
        [0x20, 0x0A, 0x0D, 0x09, 0xEF, 0xBB, 0xBF].contains(byte)
    }
}
