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
