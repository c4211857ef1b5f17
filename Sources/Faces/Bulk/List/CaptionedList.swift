import CalotypeCore

/// A list in memory: one URL per line, or a table with captions, as CSV, as TSV or as JSON with one object per
/// line.
///
/// The URLs of a table are in the column `url`, otherwise in the first column that has some. A caption is the
/// first text in the columns `caption`, `text`, `alt` and `title`; without a header, the first text of a row
/// besides the URL. A row that cannot be read is an entry with the reason and its line; the rows after it are
/// read.
struct CaptionedList {
    private enum Kind {
        case urls
        case objects
        case cells(separator: UInt8, hasHeader: Bool = true)
    }

    /// A row of a table, by the names of its columns.
    private typealias Row = [(name: String, text: String?)]

    private static let captionColumns = ["caption", "text", "alt", "title"]
    /// The maximum number of characters (Unicode scalars) of a caption.
    private static let mostCharacters = 1_000
    /// The maximum number of rows without a closing quote; each of them can make the reader read 1 MiB twice.
    private static let mostRestarts = 100
    private static let newline = UInt8(ascii: "\n")
    private static let notInURLs: Set = [UInt8(ascii: " "), UInt8(ascii: "\"")]

    private let bytes: ArraySlice<UInt8>
    private let limit: Int
    private var entries: [ListItem] = []
    private var urlColumn: String?

    private init(_ text: String, _ limit: Int) {
        let bytes = Array(text.utf8)
        let mark = ListLine.byteOrderMark
        self.bytes = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        self.limit = limit
    }

    /// Returns the first `limit` entries of a list.
    static func entries(of text: String, limit: Int) -> [ListItem] {
        var list = CaptionedList(text, limit)
        switch kind(of: list.bytes) {
        case .urls: list.readURLs()
        case .objects: list.readObjects()
        case .cells(let separator, let hasHeader): list.readCells(separator, hasHeader: hasHeader)
        }
        return list.entries
    }

    // MARK: Formats

    /// Recognises a list by its first two lines.
    private static func kind(of bytes: ArraySlice<UInt8>) -> Kind {
        var rest = bytes
        guard let header = nextEntry(&rest), let first = header.first(where: { $0 > 0x20 }) else {
            return .urls
        }
        if first == UInt8(ascii: "{") { return .objects }
        let second = nextEntry(&rest) ?? []
        for format in [ListFormat.tsv, .csv] {
            var rows = DelimitedRows(separator: format.separator)
            // A header that is no row is no header.
            let names = (try? rows.split(header + [newline]).first?.cells.map(columnName)) ?? []
            if names.contains("url") { return .cells(separator: format.separator) }
            guard names.count > 1 else { continue }
            if names.contains(where: isURL) {
                // Commas may belong to a URL, which has neither spaces nor quotes.
                let isRow = format == .tsv || !notInURLs.isDisjoint(with: header)
                if isRow { return .cells(separator: format.separator, hasHeader: false) }
                continue
            }
            let isTable =
                String(decoding: second, as: UTF8.self).contains("://")
                && second.contains(format.separator)
            if isTable || names.contains(where: captionColumns.contains) {
                return .cells(separator: format.separator)
            }
        }
        return .urls
    }

    /// Removes lines up to the first that is neither blank nor a comment, and returns that.
    private static func nextEntry(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        while !rest.isEmpty {
            let line = Array(rest.prefix { $0 != newline }.prefix(LineSplitter.limit))
            rest = rest.drop { $0 != newline }.dropFirst()
            if ListLine.isEntry(line) { return line }
        }
        return nil
    }

    private static func columnName(_ cell: String) -> String {
        (ListLine.url(in: Array(cell.utf8)) ?? "").lowercased()
    }

    /// The names of the columns of a table without a header, whose first row has these cells.
    private static func columns(of cells: [String]) -> [String] {
        let url = cells.firstIndex { isURL(columnName($0)) }
        let caption = cells.indices.first { $0 != url }
        return cells.indices.map { $0 == url ? "url" : $0 == caption ? "caption" : "" }
    }

    private static func isURL(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    // MARK: Rows

    private mutating func readURLs() {
        var splitter = LineSplitter()
        let lines = splitter.split(Array(bytes))
        for line in lines + [splitter.finish()] where entries.count < limit {
            if let item = ListItem(line, index: entries.count) { entries.append(item) }
        }
    }

    private mutating func readObjects() {
        var splitter = LineSplitter(limit: DelimitedRows.limit)
        let lines = splitter.split(Array(bytes))
        for (number, line) in (lines + [splitter.finish()]).enumerated() where entries.count < limit {
            guard ListLine.isEntry(line.bytes) else { continue }
            do throws(BulkError) {
                guard !line.isTooLong else { throw BulkError("the line is longer than 1 MiB") }
                let row: Row = try JSONRow.members(in: line.bytes).map { member in
                    guard case .text(let text) = member.value else { return (member.name, nil) }
                    return (member.name, text)
                }
                add(row.map { (Self.columnName($0.name), $0.text) }, line: number + 1)
            } catch {
                addBroken("line \(number + 1): \(error)")
            }
        }
    }

    private mutating func readCells(_ separator: UInt8, hasHeader: Bool) {
        var table = TableInMemory(bytes, separator: separator)
        var header: [String]?
        let first = hasHeader ? "header" : "first row"
        while entries.count < limit {
            do throws(BulkError) {
                guard let row = try table.next() else { return }
                if header == nil {
                    header = hasHeader ? row.cells.map(Self.columnName) : Self.columns(of: row.cells)
                    if hasHeader { continue }
                }
                let names = header ?? []
                guard row.cells.count == names.count else {
                    throw BulkError(row.mismatch(names.count, first))
                }
                add(zip(names, row.cells).map { ($0, $1) }, line: row.line)
            } catch {
                addBroken(error.description)
                guard table.restarts < Self.mostRestarts else {
                    return addBroken(
                        "line \(table.line): too many closing quotes are missing; the rest was not read"
                    )
                }
            }
        }
    }

    // MARK: Entries

    private mutating func add(_ row: Row, line: Int) {
        if urlColumn == nil {
            let first = row.first { $0.name == "url" } ?? row.first { $0.text.map(Self.isURL) ?? false }
            urlColumn = first?.name
        }
        guard let text = row.last(where: { $0.name == urlColumn })?.text,
            let url = ListLine.url(in: Array(text.utf8))
        else { return addBroken("line \(line) has no URL") }
        guard url.utf8.count <= LineSplitter.limit else {
            return addBroken("line \(line): the URL is longer than 64 KiB")
        }
        let fields = Self.caption(of: row).map { [ListField.text($0)] } ?? []
        entries.append(ListItem(index: entries.count, url: url, fields: fields))
    }

    private static func caption(of row: Row) -> String? {
        let texts = captionColumns.lazy.compactMap { name in row.last { $0.name == name }?.text }
        guard let text = texts.first(where: { $0.contains { !$0.isWhitespace } }) else { return nil }
        let start = text.unicodeScalars.drop { $0.properties.isWhitespace }
        let caption = String(String.UnicodeScalarView(start.prefix(mostCharacters)))
        return start.count > mostCharacters ? caption + "…" : caption
    }

    private mutating func addBroken(_ message: String) {
        let reason = ListItem.InvalidReason(code: .invalidURL, message: message)
        entries.append(ListItem(index: entries.count, url: "", invalidReason: reason))
    }
}

/// Reads the rows of a table in memory; continues after a row whose closing quote is missing.
private struct TableInMemory {
    private let bytes: ArraySlice<UInt8>
    private let separator: UInt8
    private var rows: DelimitedRows
    private var position: Int
    /// The line at ``position``, from 1.
    private(set) var line = 1
    /// The second line of the row that is being read: where to continue if it is not a row.
    private var second: (position: Int, line: Int)
    /// The number of rows whose closing quote was missing.
    private(set) var restarts = 0

    init(_ bytes: ArraySlice<UInt8>, separator: UInt8) {
        self.bytes = bytes
        self.separator = separator
        rows = DelimitedRows(separator: separator)
        position = bytes.startIndex
        second = (position, 1)
    }

    /// Returns the next row, or `nil` at the end.
    ///
    /// - Throws: ``BulkError`` for a row without a closing quote.
    mutating func next() throws(BulkError) -> DelimitedRows.Row? {
        do throws(BulkError) {
            while position < bytes.endIndex {
                let newline = bytes[position...].firstIndex(of: UInt8(ascii: "\n"))
                let piece = Array(bytes[position..<(newline.map { $0 + 1 } ?? bytes.endIndex)])
                position += piece.count
                line += 1
                if rows.isBetweenRows { second = (position, line) }
                if let row = try rows.split(piece).first { return try checked(row) }
            }
            return try rows.finish().map { (row) throws(BulkError) in try checked(row) }
        } catch {
            rows = DelimitedRows(separator: separator, line: second.line)
            (position, line) = second
            restarts += 1
            throw error
        }
    }

    /// Text after a closing quote is harmless, but in a row of several lines the quote belongs to a later row.
    private func checked(_ row: DelimitedRows.Row) throws(BulkError) -> DelimitedRows.Row {
        guard row.hasTextAfterQuote, row.line + 1 < line else { return row }
        throw BulkError("line \(row.line): a closing quote is missing")
    }
}
