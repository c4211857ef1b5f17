/// Options under names.
///
/// The preset called `default` holds for every path. A preset may use others; one that uses itself stops there.
public struct PresetBook: Hashable, Sendable {
    /// Has a preset under every name, which says nothing: for paths whose server is not known.
    static let everyName: PresetBook = {
        var book = PresetBook()
        book.hasEveryName = true
        return book
    }()

    private var presets: [String: [OptionArguments]] = [:]
    private var hasEveryName = false

    /// A book without presets.
    public init() {}

    /// The names, sorted.
    public var names: [String] { presets.keys.sorted() }
    /// Whether it has none.
    public var isEmpty: Bool { presets.isEmpty }

    /// Adds presets such as `thumbnail=rs:fill:256:256/q:70`, separated by commas or another text.
    ///
    /// - Throws: What is wrong with one of them.
    public mutating func add(
        _ text: String,
        separator: String = ",",
        argumentsSeparator: String = ":"
    ) throws(ServerError) {
        for entry in text.split(separator: separator) { try addEntry(entry, argumentsSeparator) }
    }

    /// Adds the presets of a file: one a line; empty lines and those that begin with `#` say nothing.
    ///
    /// - Throws: What is wrong with one of them.
    public mutating func add(
        linesOf text: String,
        argumentsSeparator: String = ":"
    ) throws(ServerError) {
        for line in text.split(whereSeparator: \.isNewline) { try addEntry(line, argumentsSeparator) }
    }

    /// The options under `name`; `nil` where there is no such preset.
    subscript(_ name: String) -> [OptionArguments]? {
        presets[name] ?? (hasEveryName ? [] : nil)
    }

    private mutating func addEntry(
        _ entry: Substring,
        _ argumentsSeparator: String
    ) throws(ServerError) {
        let entry = Self.trimmed(entry)
        guard !entry.isEmpty, !entry.hasPrefix("#") else { return }
        let halves = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = Self.trimmed(halves[0])
        let value = halves.count == 2 ? Self.trimmed(halves[1]) : ""
        guard !name.isEmpty, !value.isEmpty else {
            throw ServerError.configuration("the preset '\(entry)' is not NAME=OPTIONS")
        }
        presets[String(name)] = try Self.options(value, argumentsSeparator, of: name)
    }

    private static func options(
        _ text: Substring,
        _ separator: String,
        of name: Substring
    ) throws(ServerError) -> [OptionArguments] {
        var options: [OptionArguments] = []
        for segment in text.split(separator: "/", omittingEmptySubsequences: false) {
            guard let option = OptionArguments(segment, separator: separator) else {
                throw ServerError.configuration(
                    "the preset '\(name)' has '\(segment)', which is no option with arguments"
                )
            }
            options.append(option)
        }
        return options
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
