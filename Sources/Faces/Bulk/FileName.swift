/// The names of output files.
enum FileName {
    /// The name for a picture of `index`, with its size where there are several: `000000007.jpg`, `000000007-256.jpg`.
    static func name(index: Int, size: Int? = nil, extension end: String) -> String {
        stem(index: index) + (size.map { "-\($0)" } ?? "") + "." + end
    }

    /// What the names of all files of `index` begin with: nine digits, more where they do not suffice.
    static func stem(index: Int) -> String {
        let digits = String(index)
        return String(repeating: "0", count: max(0, 9 - digits.count)) + digits
    }

    /// Whether `name` is one of ours for a file that is not complete yet.
    static func isTemporary(_ name: String) -> Bool {
        name.hasPrefix(temporaryPrefix) && name.hasSuffix(".part")
    }

    static let temporaryPrefix = ".calotype-"
}
