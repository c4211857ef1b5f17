/// The names of output files.
enum FileName {
    /// The name for the picture of `index`: nine digits, more where they do not suffice.
    static func name(index: Int, extension end: String) -> String {
        let digits = String(index)
        return String(repeating: "0", count: max(0, 9 - digits.count)) + digits + "." + end
    }

    /// Whether `name` is one of ours for a file that is not complete yet.
    static func isTemporary(_ name: String) -> Bool {
        name.hasPrefix(temporaryPrefix) && name.hasSuffix(".part")
    }

    static let temporaryPrefix = ".calotype-"
}
