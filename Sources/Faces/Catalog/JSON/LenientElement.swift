/// An element of a JSON array, or nothing where it is of another type.
struct LenientElement<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        // One odd element must not cost the whole array; who reads it says what is missing.
        value = try? Value(from: decoder)
    }
}
