internal import CalotypeCore
import CalotypeFiles

/// The fields of a JSON object of which all names are known; `null` is as good as nothing.
struct JSONFields {
    private let object: LocatedJSON
    private let fields: [String: LocatedJSON]

    /// Takes the object apart.
    ///
    /// - Parameters:
    ///   - value: What has to be an object.
    ///   - noun: What it is, for messages, such as `a medium`.
    ///   - names: The names that it may have.
    /// - Throws: `invalid_document` at what is no object, and at a name that is not one of these.
    init(_ value: LocatedJSON, _ noun: String, names: [String]) throws(CalotypeError) {
        guard case .object(let fields) = value.value else {
            throw value.invalid("\(noun) has to be an object in braces, not \(value.kind)")
        }
        if let unknown = fields.first(where: { !names.contains($0.name) }) {
            let all = "; \(noun) may have " + names.joined(separator: ", ")
            let hint = NearestName.find(unknown.name, in: names).map { "; did you mean \"\($0)\"?" } ?? all
            throw value.source.invalid(
                "unknown name \"\(unknown.name.prefix(64))\"\(hint)",
                at: unknown.offset
            )
        }
        object = value
        self.fields = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The value of a field; `nil` where it is missing or `null`.
    subscript(_ name: String) -> LocatedJSON? {
        guard let value = fields[name] else { return nil }
        if case .null = value.value { return nil }
        return value
    }

    /// The text of a field.
    func text(_ name: String) throws(CalotypeError) -> String? {
        guard let value = self[name] else { return nil }
        guard case .text(let text) = value.value else {
            throw value.invalid("\"\(name)\" has to be a text in quotes, not \(value.kind)")
        }
        return text
    }

    /// The truth of a field.
    func truth(_ name: String) throws(CalotypeError) -> Bool? {
        guard let value = self[name] else { return nil }
        guard case .truth(let truth) = value.value else {
            throw value.invalid("\"\(name)\" has to be true or false, not \(value.kind)")
        }
        return truth
    }

    /// The whole number of a field.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(CalotypeError) -> Int? {
        guard let value = self[name] else { return nil }
        guard case .number(let number) = value.value, let integer = Int(exactly: number),
            range.contains(integer)
        else {
            throw value.invalid(
                "\"\(name)\" has to be a whole number, \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return integer
    }

    /// What `read` makes of the text of a field; the message of its error is said at the field.
    func value<Value>(
        _ name: String,
        _ read: (String) throws(CalotypeError) -> Value
    ) throws(CalotypeError) -> Value? {
        guard let text = try text(name) else { return nil }
        do {
            return try read(text)
        } catch {
            throw invalid(name, error.message)
        }
    }

    /// Says what is wrong with a field, or with the object if it has no such field.
    func invalid(_ name: String, _ reason: String) -> CalotypeError {
        (fields[name] ?? object).invalid(reason)
    }
}
