import CalotypeCore
import CalotypeHTTP

/// The fields of a JSON object, read leniently: a missing or invalid field is `nil`.
struct LenientFields<Key: CodingKey> {
    private let container: KeyedDecodingContainer<Key>

    init(_ container: KeyedDecodingContainer<Key>) {
        self.container = container
    }

    // A field of another type counts as missing; required fields are checked later.

    /// Returns the non-empty string in a field.
    func text(_ key: Key) -> String? {
        guard let text = try? container.decodeIfPresent(String.self, forKey: key), !text.isEmpty else {
            return nil
        }
        return text
    }

    /// Returns the number in a field, which can be a string of digits.
    func number(_ key: Key) -> Double? {
        if let number = try? container.decodeIfPresent(Double.self, forKey: key) { return number }
        return text(key).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns the integer in a field, which can be a string of digits.
    func integer(_ key: Key) -> Int? {
        if let number = try? container.decodeIfPresent(Int.self, forKey: key) { return number }
        return text(key).flatMap { Int($0) }
    }

    /// Returns the strings of an array, with `nil` for other elements; empty if the field is not an array.
    func texts(_ key: Key) -> [String?] {
        guard let elements = try? container.decodeIfPresent([LenientElement<String>].self, forKey: key) else {
            return []
        }
        return elements.map(\.value)
    }
}

/// An element of a JSON array; `nil` if it has another type.
struct LenientElement<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        // One invalid element must not invalidate the whole array; the reader reports it.
        value = try? Value(from: decoder)
    }
}

/// Checks a URL in a response.
enum CatalogURL {
    /// Returns why `text` cannot be loaded; `nil` if it can.
    static func fault(_ text: String) -> String? {
        do {
            _ = try WebURL(text)
            return nil
        } catch {
            return error.message
        }
    }
}
