/// Named sets of options.
///
/// Every path uses the preset called `default`. A preset may use others, but is not applied again within
/// itself.
public struct PresetBook: Hashable, Sendable {
    /// A book with an empty preset for every name, for checking paths without knowing their server.
    static let everyName: PresetBook = {
        var book = PresetBook()
        book.hasEveryName = true
        return book
    }()

    private var presets: [String: [OptionArguments]] = [:]
    private var hasEveryName = false

    /// Creates a book without presets.
    public init() {}

    /// The names of the presets, sorted.
    public var names: [String] { presets.keys.sorted() }
    /// Whether the book has no presets.
    public var isEmpty: Bool { presets.isEmpty }

    /// Adds presets such as `thumbnail=rs:fill:256:256/q:70`, separated by commas or another text.
    ///
    /// - Throws: The error in one of them.
    public mutating func add(
        _ text: String,
        separator: String = ",",
        argumentsSeparator: String = ":"
    ) throws(ServerError) {
        for entry in text.split(separator: separator) { try addEntry(entry, argumentsSeparator) }
    }

    /// Adds the presets of a file, one per line; empty lines and lines that start with `#` are ignored.
    ///
    /// - Throws: The error in one of them.
    public mutating func add(
        linesOf text: String,
        argumentsSeparator: String = ":"
    ) throws(ServerError) {
        for line in text.split(whereSeparator: \.isNewline) { try addEntry(line, argumentsSeparator) }
    }

    /// The options of the preset `name`; `nil` if there is no such preset.
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
                    "the preset '\(name)' has '\(segment)', which is not an option with arguments"
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
