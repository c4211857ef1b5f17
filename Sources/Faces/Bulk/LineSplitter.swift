/// Cuts chunks of bytes into lines of bounded length.
struct LineSplitter {
    /// The most bytes of a line; no URL that a server accepts is longer.
    static let limit = 64 << 10

    struct Line: Equatable {
        /// The line without its end; only its beginning when it is too long.
        var bytes: [UInt8]
        var isTooLong = false
    }

    private var partial = Line(bytes: [])

    /// The lines that end in `chunk`.
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

    /// What stands behind the last line's end, to be asked for at the end of the list.
    mutating func finish() -> Line {
        defer { partial = Line(bytes: []) }
        return partial
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) {
        guard !partial.isTooLong else { return }
        partial.bytes += bytes
        guard partial.bytes.count > Self.limit else { return }
        partial = Line(bytes: Array(partial.bytes.prefix(200)), isTooLong: true)
    }
}
