/// A number of bytes, as an option such as `--max-size 500M` gives it.
public struct ByteSize: Hashable, Sendable {
    /// The number itself.
    public let bytes: Int

    /// Creates a size of `bytes` bytes.
    public init(_ bytes: Int) {
        self.bytes = bytes
    }

    /// The size that `text` says: a number, with a fraction where there is a unit, and B, K, M, G or T.
    ///
    /// `500M` and `500MB` are 500,000,000 bytes, `500MiB` are 524,288,000. Upper and lower case are the same. `nil` for what is
    /// no such size, or too large.
    public init?(parsing text: String) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let unit = Self.unit(text.dropFirst(digits.count).lowercased()) else { return nil }
        if let number = Int(digits) {
            let (bytes, overflow) = number.multipliedReportingOverflow(by: unit)
            guard !overflow else { return nil }
            self.init(bytes)
        } else {
            guard unit > 1, digits.first != ".", digits.last != ".", let number = Double(digits),
                let bytes = Int(exactly: (number * Double(unit)).rounded())
            else { return nil }
            self.init(bytes)
        }
    }

    private static func unit(_ name: String) -> Int? {
        if name.isEmpty || name == "b" { return 1 }
        guard let power = ["k", "m", "g", "t"].firstIndex(of: String(name.prefix(1))) else { return nil }
        let base: Int
        switch name.dropFirst() {
        case "", "b": base = 1000
        case "ib": base = 1024
        default: return nil
        }
        return (0...power).reduce(1) { product, _ in product * base }
    }
}
