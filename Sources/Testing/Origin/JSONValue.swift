import CalotypeFiles

/// Any JSON value (RFC 8259), as the client sent it.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case truth(Bool)
    /// A number without a fraction.
    case whole(Int)
    /// Any other number.
    case number(Double)
    /// A string.
    case text(String)
    /// An array.
    case list([JSONValue])
    /// An object, whose members have no order.
    case object([String: JSONValue])

    /// Returns the member called `name`, or `nil` if the value is not an object or has no such member.
    public subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The string, or `nil` if the value is not a string.
    public var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The elements, or `nil` if the value is not an array.
    public var list: [JSONValue]? {
        if case .list(let list) = self { list } else { nil }
    }
}

extension JSONValue: Codable {
    /// Decodes the value at the decoder's position.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let truth = try? value.decode(Bool.self) {
            self = .truth(truth)
        } else if let whole = try? value.decode(Int.self) {
            self = .whole(whole)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([JSONValue].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .truth(let value): try container.encode(value)
        case .whole(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

/// A JSON value to write, with its members in a given order (RFC 8259).
///
/// For responses with odd entries that no `Encodable` type could produce.
enum JSONText: Sendable {
    case text(String)
    case whole(Int)
    case number(Double)
    case truth(Bool)
    case null
    case list([JSONText])
    case object([(String, JSONText)])

    /// The value as text.
    var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    /// The member called `name` of an object.
    ///
    /// Setting it replaces, adds or removes it.
    subscript(name: String) -> JSONText? {
        get {
            guard case .object(let members) = self else { return nil }
            return members.first { $0.0 == name }?.1
        }
        set {
            guard case .object(var members) = self else { return }
            let index = members.firstIndex { $0.0 == name }
            if let index { members.remove(at: index) }
            if let newValue { members.insert((name, newValue), at: index ?? members.count) }
            self = .object(members)
        }
    }

    private func write(to text: inout String) {
        switch self {
        case .text(let value): text += JSONObject.quoted(value)
        case .whole(let value): text += String(value)
        case .number(let value): text += value.isFinite ? "\(value)" : "null"
        case .truth(let value): text += value ? "true" : "false"
        case .null: text += "null"
        case .list(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += ", " }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += ", " }
                text += JSONObject.quoted(member.0)
                text += ":"
                member.1.write(to: &text)
            }
            text += "}"
        }
    }
}
