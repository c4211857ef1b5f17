import CalotypeCore
import CalotypeHTTP

/// The fields of a JSON object that is read for what it has: one that is missing or makes no sense is `nil`.
struct LenientFields<Key: CodingKey> {
    private let container: KeyedDecodingContainer<Key>

    init(_ container: KeyedDecodingContainer<Key>) {
        self.container = container
    }

    // A field of another type counts as missing: what an entry needs is asked for where it is made of these.

    /// The text of a field that is not empty.
    func text(_ key: Key) -> String? {
        guard let text = try? container.decodeIfPresent(String.self, forKey: key), !text.isEmpty else {
            return nil
        }
        return text
    }

    /// The number in a field, which may be a text of digits.
    func number(_ key: Key) -> Double? {
        if let number = try? container.decodeIfPresent(Double.self, forKey: key) { return number }
        return text(key).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The whole number in a field, which may be a text of digits.
    func integer(_ key: Key) -> Int? {
        if let number = try? container.decodeIfPresent(Int.self, forKey: key) { return number }
        return text(key).flatMap { Int($0) }
    }

    /// The texts of an array, `nil` for elements that are none; nothing where the field is no array.
    func texts(_ key: Key) -> [String?] {
        guard let elements = try? container.decodeIfPresent([LenientElement<String>].self, forKey: key) else {
            return []
        }
        return elements.map(\.value)
    }
}

/// An element of a JSON array, or nothing where it is of another type.
struct LenientElement<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        // One odd element must not cost the whole array; who reads it says what is missing.
        value = try? Value(from: decoder)
    }
}

/// A URL in an answer, before it is believed.
enum CatalogURL {
    /// Why `text` is nothing to load from; `nil` where it is.
    static func fault(_ text: String) -> String? {
        do {
            _ = try WebURL(text)
            return nil
        } catch {
            return error.message
        }
    }
}
