/// Where in a JSON document texts are: the part of JSONPath (RFC 9535) that names them one by one or all of an array.
///
/// `$.photos[*].url` is the field `url` of every element of the field `photos`. The `$` may be left out. Names with
/// unusual characters are put in quotes, `$['a.b']`; `[0]` is the first element, `[-1]` the last; `[*]` or `.*` are all
/// elements of an array, or all fields of an object in the order of their names.
public struct JSONPath: Hashable, Sendable, CustomStringConvertible {
    /// One step down.
    enum Step: Hashable {
        case name(String)
        case index(Int)
        case all
    }

    let steps: [Step]

    /// Parses a path.
    ///
    /// - Throws: `invalid_path`, with the character at which it makes no sense.
    public init(_ text: String) throws(CatalogError) {
        var parser = JSONPathParser(text)
        steps = try parser.steps()
    }

    /// The path in its usual form, beginning with `$`.
    public var description: String {
        Self.text(steps)
    }

    static func text(_ steps: some Sequence<Step>) -> String {
        steps.reduce("$") { path, step in
            switch step {
            case .name(let name): path + text(named: name)
            case .index(let index): "\(path)[\(index)]"
            case .all: "\(path)[*]"
            }
        }
    }

    private static func text(named name: String) -> String {
        let isPlain = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        if isPlain { return "." + name }
        return "['" + name.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "']"
    }
}
