internal import CalotypeCSQLite

/// The current row of a statement, lent for the duration of a closure.
///
/// Columns are numbered from 0. SQLite converts a column of another type: a text that is not a number reads
/// as 0, null as 0 or as an empty value.
@safe
public struct SQLiteRow: ~Copyable {
    // SAFETY: the statement stays on this row while the row is lent, and is reset afterwards.
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) {
        unsafe self.statement = statement
    }

    /// The number of columns.
    public var count: Int { unsafe Int(sqlite3_data_count(statement)) }

    /// Whether the column holds null.
    public func isNull(_ column: Int) -> Bool {
        unsafe sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
    }

    /// The column as an integer.
    public func integer(_ column: Int) -> Int64 {
        unsafe sqlite3_column_int64(statement, Int32(column))
    }

    /// The column as an integer of the machine's size.
    public func int(_ column: Int) -> Int {
        Int(integer(column))
    }

    /// The column as a floating-point number.
    public func real(_ column: Int) -> Double {
        unsafe sqlite3_column_double(statement, Int32(column))
    }

    /// The column as text; invalid UTF-8 is repaired.
    public func text(_ column: Int) -> String {
        guard let start = unsafe sqlite3_column_text(statement, Int32(column)) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(statement, Int32(column)))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The column as bytes, copied once.
    public func blob(_ column: Int) -> [UInt8] {
        withBlob(column) { bytes in
            unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        }
    }

    /// Lends the column's bytes without a copy.
    ///
    /// - Throws: what `body` throws.
    public func withBlob<Output, Failure: Error>(
        _ column: Int,
        _ body: (RawSpan) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        // The library requires this order.
        let start = unsafe sqlite3_column_blob(statement, Int32(column))
        let count = unsafe Int(sqlite3_column_bytes(statement, Int32(column)))
        let buffer = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
        return try body(unsafe buffer.bytes)
    }

    /// The column in its own type.
    public func value(_ column: Int) -> SQLiteValue {
        switch unsafe sqlite3_column_type(statement, Int32(column)) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(real(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(blob(column))
        default: .null
        }
    }
}

@available(*, unavailable)
extension SQLiteRow: Sendable {}

/// A value of a column or a parameter, in the five types that SQLite has.
public enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// An integer of the machine's size.
    public static func int(_ number: Int) -> SQLiteValue { .integer(Int64(number)) }

    /// A blob, or null.
    public static func blob(_ bytes: [UInt8]?) -> SQLiteValue {
        if let bytes { .blob(bytes) } else { .null }
    }

    /// A text, or null.
    public static func text(_ text: String?) -> SQLiteValue {
        if let text { .text(text) } else { .null }
    }
}

extension SQLiteValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    /// Creates an integer.
    public init(integerLiteral number: Int64) {
        self = .integer(number)
    }

    /// Creates a floating-point number.
    public init(floatLiteral number: Double) {
        self = .real(number)
    }

    /// Creates a text.
    public init(stringLiteral text: String) {
        self = .text(text)
    }
}

extension SQLiteValue: ExpressibleByNilLiteral {
    /// Creates a null.
    public init(nilLiteral: ()) {
        self = .null
    }
}
