internal import CalotypeCore
import CalotypeFiles

/// The fields of a JSON object with a fixed set of names; `null` counts as missing.
struct JSONFields {
    private let object: LocatedJSON
    private let fields: [String: LocatedJSON]

    /// Reads the fields of an object.
    ///
    /// - Parameters:
    ///   - value: The value, which must be an object.
    ///   - noun: What the value describes, for messages, such as `a medium`.
    ///   - names: The allowed names.
    /// - Throws: `invalid_document` if the value is not an object, or has a name that is not allowed.
    init(_ value: LocatedJSON, _ noun: String, names: [String]) throws(CalotypeError) {
        guard case .object(let fields) = value.value else {
            throw value.invalid("\(noun) must be an object in braces, not \(value.kind)")
        }
        if let unknown = fields.first(where: { !names.contains($0.name) }) {
            let all = "; \(noun) can have " + names.joined(separator: ", ")
            let hint = NearestName.find(unknown.name, in: names).map { "; did you mean \"\($0)\"?" } ?? all
            throw value.source.invalid(
                "unknown name \"\(unknown.name.prefix(64))\"\(hint)",
                at: unknown.offset
            )
        }
        object = value
        self.fields = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The value of a field; `nil` if the field is missing or `null`.
    subscript(_ name: String) -> LocatedJSON? {
        guard let value = fields[name] else { return nil }
        if case .null = value.value { return nil }
        return value
    }

    /// Returns the text of a field.
    func text(_ name: String) throws(CalotypeError) -> String? {
        guard let value = self[name] else { return nil }
        guard case .text(let text) = value.value else {
            throw value.invalid("\"\(name)\" must be text in quotes, not \(value.kind)")
        }
        return text
    }

    /// Returns the Boolean value of a field.
    func truth(_ name: String) throws(CalotypeError) -> Bool? {
        guard let value = self[name] else { return nil }
        guard case .truth(let truth) = value.value else {
            throw value.invalid("\"\(name)\" must be true or false, not \(value.kind)")
        }
        return truth
    }

    /// Returns the whole number in a field.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(CalotypeError) -> Int? {
        guard let value = self[name] else { return nil }
        guard case .number(let number) = value.value, let integer = Int(exactly: number),
            range.contains(integer)
        else {
            throw value.invalid(
                "\"\(name)\" must be a whole number, \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return integer
    }

    /// Returns the result of `read` for the text of a field.
    ///
    /// If `read` throws, the error has the position of the field.
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

    /// Returns an error at the position of a field, or of the object if it has no such field.
    func invalid(_ name: String, _ reason: String) -> CalotypeError {
        (fields[name] ?? object).invalid(reason)
    }
}
