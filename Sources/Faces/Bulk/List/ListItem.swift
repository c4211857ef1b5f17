public import CalotypeCore

/// An entry of a URL list.
public struct ListItem: Hashable, Sendable {
    /// The position in the list, from 0; blank lines and comments are not counted.
    public let index: Int
    /// The URL as given, without surrounding spaces; it can contain a user name and a password.
    public let url: String
    /// Why the entry cannot be used, if so: the line is too long, or reading the list failed here.
    public let invalidReason: InvalidReason?
    /// The other columns that the reader was asked to keep, in that order; empty for a list of URLs.
    let fields: [ListField]

    /// Why an entry of a list cannot be used.
    public struct InvalidReason: Hashable, Sendable {
        /// The stable error code.
        public let code: ErrorCode
        /// The error message.
        public let message: String
    }

    package init(index: Int, url: String, invalidReason: InvalidReason? = nil) {
        self.init(index: index, url: url, invalidReason: invalidReason, fields: [])
    }

    init(index: Int, url: String, invalidReason: InvalidReason? = nil, fields: [ListField]) {
        self.index = index
        self.url = url
        self.invalidReason = invalidReason
        self.fields = fields
    }
}

/// The value of a column of a list.
enum ListField: Hashable, Sendable {
    /// No value.
    case null
    /// A text.
    case text(String)
    /// A number, a truth value, an array or an object, as JSON.
    case json(String)

    /// The value as text; `nil` if there is none.
    var text: String? {
        switch self {
        case .null: nil
        case .text(let text), .json(let text): text
        }
    }
}

/// A list that is read one entry after the other, by one consumer.
protocol ListReading: Sendable {
    /// Returns the next entry, or `nil` at the end.
    ///
    /// - Throws: `CancellationError`.
    func next() async throws -> ListItem?

    /// Returns how many entries the list has, as far as that is known now; `nil` by default.
    func extent() async -> ListExtent?
}

extension ListReading {
    func extent() async -> ListExtent? { nil }
}

/// The number of entries of a list.
struct ListExtent: Hashable, Sendable {
    var count: Int
    /// Whether the list has not been read to its end, so that ``count`` follows from the share that was read.
    var isEstimated: Bool
}

/// The entries that a reader has read and not yet returned.
struct EntriesAhead {
    private var entries: [ListItem] = []
    private var returned = 0
    /// The position of the next entry to be read.
    private(set) var nextIndex = 0

    var isEmpty: Bool { returned == entries.count }

    mutating func append(
        url: String,
        invalidReason: ListItem.InvalidReason? = nil,
        fields: [ListField] = []
    ) {
        if isEmpty {
            entries.removeAll(keepingCapacity: true)
            returned = 0
        }
        entries.append(ListItem(index: nextIndex, url: url, invalidReason: invalidReason, fields: fields))
        nextIndex += 1
    }

    /// Appends an entry with the reason why the rest of a list cannot be read.
    mutating func appendEnd(_ message: String) {
        append(url: "", invalidReason: ListItem.InvalidReason(code: .fileNotReadable, message: message))
    }

    /// Returns the next entry, or `nil` if none has been read.
    mutating func next() -> ListItem? {
        guard !isEmpty else { return nil }
        defer { returned += 1 }
        return entries[returned]
    }

    /// The error of a list that has no first entry, or whose first entry is the reason why it cannot be read.
    ///
    /// A function that throws it crashes the optimiser of Swift 6.3.1 in the functions that call it.
    var firstProblem: BulkError? {
        guard !isEmpty else { return BulkError("the list is empty") }
        guard let reason = entries[returned].invalidReason, reason.code == .fileNotReadable else {
            return nil
        }
        return BulkError(reason.message)
    }
}

extension ListItem {
    /// Creates the entry for a line; `nil` for a blank line or a comment.
    init?(_ line: LineSplitter.Line, index: Int) {
        guard let url = ListLine.url(in: line.bytes) else { return nil }
        let reason = InvalidReason(code: .invalidURL, message: "the line is longer than 64 KiB")
        self.init(index: index, url: url, invalidReason: line.isTooLong ? reason : nil)
    }

    /// Returns the first `limit` entries of a list in memory: one URL per line, or a table with captions.
    package static func entries(of text: String, limit: Int) -> [ListItem] {
        CaptionedList.entries(of: text, limit: limit)
    }

    /// The caption of an entry of a list in memory, at most 1,000 characters.
    package var caption: String? { fields.first?.text }
}

/// The rules for a line of a list.
enum ListLine {
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Returns the URL in `bytes`, or `nil` for a blank line or a comment.
    static func url(in bytes: [UInt8]) -> String? {
        guard isEntry(bytes), let start = bytes.firstIndex(where: { !isBlank($0) }),
            let end = bytes.lastIndex(where: { !isBlank($0) })
        else { return nil }
        return text(bytes[start...end])
    }

    /// Whether the line is neither blank nor a comment.
    static func isEntry(_ bytes: [UInt8]) -> Bool {
        bytes.first { !isBlank($0) }.map { $0 != UInt8(ascii: "#") } ?? false
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    /// Returns UTF-8 unchanged; percent-encodes non-ASCII bytes in other encodings, as servers with such
    /// names expect.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        let ascii = bytes.flatMap { byte in
            byte < 0x80 ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: ascii, as: UTF8.self)
    }
}

/// Splits chunks of bytes into lines of bounded length.
struct LineSplitter {
    /// Maximum length of a line in bytes; servers accept no longer URL.
    static let limit = 64 << 10

    struct Line: Equatable {
        /// The line without its end; truncated if it is too long.
        var bytes: [UInt8]
        var isTooLong = false
    }

    private var partial = Line(bytes: [])
    private let limit: Int

    init(limit: Int = Self.limit) {
        self.limit = limit
    }

    /// Returns the lines that end in `chunk`.
    mutating func split(_ chunk: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var rest = chunk[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            take(rest[..<end])
            lines.append(finish())
            rest = rest[(end + 1)...]
        }
        take(rest)
        return lines
    }

    /// Returns the bytes after the last line's end; call it at the end of the list.
    mutating func finish() -> Line {
        defer { partial = Line(bytes: []) }
        return partial
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) {
        guard !partial.isTooLong else { return }
        partial.bytes += bytes
        guard partial.bytes.count > limit else { return }
        partial = Line(bytes: Array(partial.bytes.prefix(200)), isTooLong: true)
    }
}

extension ListItem {
    /// Returns the host and port of `url`, or nothing if it names none.
    static func host(of url: String) -> String {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8)
        else { return "" }
        let ends = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
        var authority = bytes[colon...].dropFirst(3).prefix { !ends.contains($0) }
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[at...].dropFirst() }
        return Substring(authority).lowercased()
    }
}
