import CalotypeCore

/// A path to strings in a JSON document.
///
/// It is the part of JSONPath (RFC 9535) for single elements and whole arrays.
///
/// `$.photos[*].url` is the field `url` of every element of the field `photos`. The `$` is optional. Names
/// with unusual characters are quoted: `$['a.b']`. `[0]` is the first element, `[-1]` the last. `[*]` or `.*`
/// selects all elements of an array, or all fields of an object in the order of their names.
public struct JSONPath: Hashable, Sendable, CustomStringConvertible {
    /// One step down in the document.
    enum Step: Hashable {
        case name(String)
        case index(Int)
        case all
    }

    let steps: [Step]

    /// Parses a path.
    ///
    /// - Throws: `invalid_path`, with the position of the invalid character.
    public init(_ text: String) throws(CatalogError) {
        var parser = JSONPathParser(text)
        steps = try parser.steps()
    }

    /// The path in its normal form, beginning with `$`.
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

/// Parses a JSON path.
struct JSONPathParser {
    private static let mostSteps = 64

    private let characters: [Character]
    private var position = 0

    init(_ text: String) {
        characters = Array(text)
    }

    /// Returns all steps of the path.
    mutating func steps() throws(CatalogError) -> [JSONPath.Step] {
        var steps: [JSONPath.Step] = []
        if next == "$" {
            position += 1
        } else if next != "[" {
            steps.append(try name())
        }
        while let character = next {
            position += 1
            switch character {
            case ".": steps.append(try afterDot())
            case "[": steps.append(try inBrackets())
            default: throw fault("expected a dot or a bracket", at: position)
            }
            guard steps.count <= Self.mostSteps else { throw fault("it is too long", at: position) }
        }
        return steps
    }

    private var next: Character? {
        position < characters.count ? characters[position] : nil
    }

    private mutating func afterDot() throws(CatalogError) -> JSONPath.Step {
        if next == "." { throw fault("two dots (recursive search) are not supported", at: position + 1) }
        if next == "*" {
            position += 1
            return .all
        }
        return try name()
    }

    private mutating func name() throws(CatalogError) -> JSONPath.Step {
        let start = position
        while let character = next, character != ".", character != "[" { position += 1 }
        guard position > start else { throw fault("a name is missing", at: start + 1) }
        return .name(String(characters[start..<position]))
    }

    private mutating func inBrackets() throws(CatalogError) -> JSONPath.Step {
        let step: JSONPath.Step
        switch next {
        case "*":
            position += 1
            step = .all
        case "'", "\"": step = .name(try quoted())
        default: step = .index(try index())
        }
        guard next == "]" else { throw fault("expected a closing bracket", at: position + 1) }
        position += 1
        return step
    }

    private mutating func quoted() throws(CatalogError) -> String {
        let (quote, start) = (characters[position], position)
        var name = ""
        position += 1
        while let character = next {
            position += 1
            if character == quote { return name }
            if character == "\\", let escaped = next {
                position += 1
                name.append(escaped)
            } else {
                name.append(character)
            }
        }
        throw fault("the quotes are not closed", at: start + 1)
    }

    private mutating func index() throws(CatalogError) -> Int {
        let start = position
        while let character = next, character.isASCII, character.isNumber || character == "-" {
            position += 1
        }
        guard let index = Int(String(characters[start..<position])) else {
            throw fault("expected a number, an asterisk or a quoted name", at: start + 1)
        }
        return index
    }

    /// Returns the error for the character at `place`, counted from 1.
    private func fault(_ reason: String, at place: Int) -> CatalogError {
        let text = PlainText.line(String(String(characters).prefix(200))) ?? ""
        return CatalogError(
            .invalidPath,
            "the JSON path \"\(text)\" is invalid at character \(place): \(reason)"
        )
    }
}
