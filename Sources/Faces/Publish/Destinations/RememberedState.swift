internal import FoundationEssentials

/// What a destination wrote into the journal about an upload or a post: a value of its own, as JSON.
public struct RememberedState: Hashable, Sendable {
    /// The JSON; `nil` where nothing was remembered.
    package let json: String?

    /// Nothing.
    public static let none = RememberedState(json: nil)

    package init(json: String?) {
        self.json = json
    }

    /// Encodes a value.
    package init(_ value: some Encodable) throws {
        json = String(decoding: try JSONLine.bytes(value), as: UTF8.self)
    }

    /// The value; `nil` where nothing was remembered, or something of another shape, as by another version.
    public func value<Value: Decodable>(_ type: Value.Type) -> Value? {
        // Another shape is as good as nothing: the attempt starts anew.
        json.flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
    }
}
