/// The format of a list.
public enum ListFormat: String, CaseIterable, Sendable {
    /// One URL per line.
    case txt
    /// Comma-separated values with a header (RFC 4180).
    case csv
    /// Tab-separated values with a header.
    case tsv
    /// An array of objects (RFC 8259).
    case json
    /// One object per line.
    case jsonl
}

/// The columns that a list is asked for.
struct ListColumns: Hashable, Sendable {
    /// The column of the URLs; `nil` for `url`.
    var url: String?
    /// The columns to keep, in the order of an entry's fields.
    var kept: [String] = []

    /// The name of the URLs' column.
    var urlName: String { url ?? "url" }
}

extension ListFormat {
    /// Recognises the format of a list by how it begins.
    ///
    /// - Parameters:
    ///   - beginning: The first bytes, without a byte order mark.
    ///   - wanted: The format that the user has named, if any.
    ///   - columns: The columns that are wanted: a header has that of the URLs.
    ///   - name: The list's name in messages.
    /// - Returns: The format.
    /// - Throws: ``BulkError`` for bytes that are no list, or one of another format.
    static func recognise(
        _ beginning: ArraySlice<UInt8>,
        wanted: ListFormat?,
        _ columns: ListColumns,
        name: String
    ) throws(BulkError) -> ListFormat {
        if let kind = foreignKind(beginning) { throw BulkError("\(name) is \(kind)") }
        let first = beginning.first { !($0 <= 0x20) }
        let found: ListFormat =
            switch first {
            case UInt8(ascii: "{"): .jsonl
            case UInt8(ascii: "["): .json
            default: try tableFormat(beginning, wanted, columns, name: name)
            }
        guard let wanted, wanted != found else { return found }
        // A single object may be a line, or be laid out over several.
        if wanted == .json, found == .jsonl {
            throw BulkError(
                "\(name) begins with an object, not an array; it is jsonl, or not supported"
            )
        }
        throw BulkError("\(name) is \(found.rawValue), not \(wanted.rawValue)")
    }

    /// What `beginning` is, if it is no text.
    private static func foreignKind(_ beginning: ArraySlice<UInt8>) -> String? {
        if beginning.starts(with: Array("PAR1".utf8)) {
            return """
                a Parquet file, which only the Python package reads (the folder python of the source): \
                calotype.dataset("LIST.parquet", "OUTPUT")
                """
        }
        if let name = compressions.first(where: { beginning.starts(with: $0.mark) })?.name {
            return "compressed with \(name); use gzip or zstd instead"
        }
        if isUTF16(beginning) { return "UTF-16; save it as UTF-8" }
        if beginning.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") {
            return "HTML or XML, not a list of URLs"
        }
        // Captions may have control characters, the first line has none.
        let line = beginning.prefix(1000).prefix { $0 != UInt8(ascii: "\n") }
        let hasControls = line.contains { $0 < 0x20 && !(0x09...0x0D).contains($0) }
        return hasControls || beginning.contains(0) ? "binary, not a list of URLs" : nil
    }

    /// How files begin that are compressed otherwise than by gzip or zstd.
    private static let compressions: [(name: String, mark: [UInt8])] = [
        ("bzip2", Array("BZh".utf8)), ("xz", [0xFD] + Array("7zXZ".utf8)),
        ("zip", Array("PK\u{3}\u{4}".utf8)),
    ]

    /// Whether there is a byte order mark of UTF-16, or one byte of each of the first characters is 0.
    private static func isUTF16(_ beginning: ArraySlice<UInt8>) -> Bool {
        if beginning.starts(with: [0xFF, 0xFE]) || beginning.starts(with: [0xFE, 0xFF]) { return true }
        let bytes = Array(beginning.prefix(16))
        guard bytes.count >= 8, bytes.count % 2 == 0 else { return false }
        return [0, 1].contains { half in
            bytes.indices.allSatisfy { (bytes[$0] == 0) == ($0 % 2 == half) }
        }
    }

    private static func tableFormat(
        _ beginning: ArraySlice<UInt8>,
        _ wanted: ListFormat?,
        _ columns: ListColumns,
        name: String
    ) throws(BulkError) -> ListFormat {
        let lines = beginning.split(separator: UInt8(ascii: "\n"), maxSplits: 100)
        guard let header = lines.first(where: { ListLine.isEntry(Array($0)) }).map(Array.init) else {
            return wanted ?? .txt
        }
        for format in [ListFormat.tsv, .csv] {
            var rows = DelimitedRows(separator: format.separator)
            let cells = (try? rows.split(header + [UInt8(ascii: "\n")]).first?.cells) ?? []
            if cells.contains(columns.urlName), wanted == nil || wanted == format || wanted == .txt {
                // A column of nothing but URLs has no separator; as a table it loses only its header.
                if cells.count == 1, wanted == .tsv { return .tsv }
                return cells.count == 1 ? wanted ?? .csv : format
            }
        }
        if let wanted, wanted == .csv || wanted == .tsv { return wanted }
        let hasURL = wanted == .txt || contains(header[...], "://")
        guard hasURL, columns.url == nil, columns.kept.isEmpty else {
            let shown = String(decoding: header.prefix(80), as: UTF8.self)
            throw BulkError(
                hasURL || columns.url != nil
                    ? "\(name) has no column '\(columns.urlName)'; its first line is '\(shown)'"
                    : """
                    the first line of \(name) is no URL: '\(shown)'; if it is a header, name the column of the \
                    URLs with --url-col
                    """
            )
        }
        return .txt
    }

    /// The byte between two cells of a row.
    var separator: UInt8 { self == .tsv ? UInt8(ascii: "\t") : UInt8(ascii: ",") }

    private static func contains(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: wanted) }
    }
}
