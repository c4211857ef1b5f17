extension ValueType {
    /// One or more values with commas between them, each only once.
    ///
    /// - Parameters:
    ///   - element: how each of them becomes a value.
    ///   - limit: the most values.
    ///   - placeholder: the word that stands for the whole in help; the element's own where `nil`.
    /// - Returns: the kind of a list of them.
    public static func list<Element: Hashable>(
        _ element: ValueType<Element>,
        atMost limit: Int,
        placeholder: String? = nil
    ) -> ValueType where Value == [Element] {
        ValueType(placeholder: placeholder ?? element.placeholder, choices: element.choices) {
            text throws(ValueProblem) in
            let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            // A single value is its own kind of value, with that kind's words for what is wrong with it.
            guard parts.count > 1 else { return [try element.parse(text)] }
            guard parts.count <= limit else {
                throw ValueProblem("has \(parts.count) values, and at most \(limit) are allowed")
            }
            var values: [Element] = []
            for part in parts {
                let value = try self.value(part, of: element)
                guard !values.contains(value) else { throw ValueProblem("has '\(part)' twice") }
                values.append(value)
            }
            return values
        }
    }

    private static func value<Element>(
        _ part: String,
        of element: ValueType<Element>
    ) throws(ValueProblem) -> Element {
        guard !part.isEmpty else { throw ValueProblem("has nothing before or after a comma") }
        do {
            return try element.parse(part)
        } catch {
            throw ValueProblem("has '\(part)', which \(error.message)")
        }
    }
}
