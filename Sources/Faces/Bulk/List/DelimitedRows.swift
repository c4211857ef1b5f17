import CalotypeCore

/// Splits chunks of bytes into rows of cells, which a byte such as a comma separates (RFC 4180).
///
/// A cell in quotes may contain separators, line ends and doubled quotes. Lines end in LF or CRLF; blank ones
/// are left out.
struct DelimitedRows {
    /// Maximum length of a row in bytes.
    static let limit = 1 << 20

    struct Row: Equatable {
        var cells: [String]
        /// The number of the line in which the row begins, from 1.
        var line: Int
        /// Whether a quoted cell has text after its closing quote, which RFC 4180 does not allow.
        var hasTextAfterQuote = false

        /// Describes a row whose number of columns is not that of the first row.
        func mismatch(_ count: Int, _ first: String = "header") -> String {
            let own = cells.count == 1 ? "1 column" : "\(cells.count) columns"
            return "line \(line) has \(own), but the \(first) has \(count)"
        }
    }

    private enum Place {
        /// Before the first byte of a cell.
        case start
        case plain
        case quoted
        /// After a quote inside a quoted cell.
        case quote
    }

    private static let quoteMark = UInt8(ascii: "\"")
    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private let separator: UInt8
    private var place = Place.start
    private var cell: [UInt8] = []
    private var cells: [String] = []
    private var rowBytes = 0
    private var line: Int
    private var firstLine: Int
    private var hasTextAfterQuote = false

    /// Whether the last row has ended and no other has begun.
    var isBetweenRows: Bool { rowBytes == 0 }

    /// Creates a splitter for a list, or the rest of one from `line` on.
    init(separator: UInt8, line: Int = 1) {
        self.separator = separator
        self.line = line
        firstLine = line
    }

    /// Returns the rows that end in `chunk`.
    ///
    /// - Throws: ``BulkError`` for a row that is too long: a quote is missing.
    mutating func split(_ chunk: [UInt8]) throws(BulkError) -> [Row] {
        var rows: [Row] = []
        for byte in chunk {
            rowBytes += 1
            if rowBytes > Self.limit {
                throw BulkError(
                    "line \(firstLine): the row is longer than 1 MiB; is a closing quote missing?"
                )
            }
            if byte == Self.newline { line += 1 }
            switch place {
            case .quoted:
                if byte == Self.quoteMark { place = .quote } else { cell.append(byte) }
            case .quote where byte == Self.quoteMark:
                cell.append(byte)
                place = .quoted
            case .start where byte == Self.quoteMark:
                place = .quoted
            default:
                if byte == separator {
                    endCell()
                } else if byte == Self.newline {
                    if let row = endRow() { rows.append(row) }
                } else {
                    if place == .quote, byte != Self.carriageReturn { hasTextAfterQuote = true }
                    cell.append(byte)
                    place = .plain
                }
            }
        }
        return rows
    }

    /// Returns the row after the last line end; call it at the end of the list.
    ///
    /// - Throws: ``BulkError`` if a quoted cell has no end.
    mutating func finish() throws(BulkError) -> Row? {
        if place == .quoted {
            throw BulkError("line \(firstLine): a quoted value has no end")
        }
        return endRow()
    }

    private mutating func endCell() {
        cells.append(ListLine.text(cell[...]))
        cell.removeAll(keepingCapacity: true)
        place = .start
    }

    private mutating func endRow() -> Row? {
        let isQuoted = place == .quote
        if cell.last == Self.carriageReturn { cell.removeLast() }
        let isBlank = cells.isEmpty && cell.isEmpty && !isQuoted
        endCell()
        let row = Row(cells: cells, line: firstLine, hasTextAfterQuote: hasTextAfterQuote)
        hasTextAfterQuote = false
        cells.removeAll(keepingCapacity: true)
        rowBytes = 0
        firstLine = line
        return isBlank ? nil : row
    }
}
