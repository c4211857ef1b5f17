/// One element of a `Cache-Control` field: a name in lower case, perhaps with an argument.
struct CacheDirective: Hashable, Sendable {
    let name: String
    /// What follows the equals sign, without quotation marks.
    let argument: String?

    /// The argument as a time: whole seconds, at most ``CacheControl/longest``; `nil` where it is none.
    var lifetime: Duration? {
        guard let argument, !argument.isEmpty, argument.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        // More digits than an Int holds is a number too, and as good as for ever.
        return min(Int(argument).map { .seconds($0) } ?? CacheControl.longest, CacheControl.longest)
    }

    /// The elements of one field value, which commas separate outside quotation marks.
    static func all(in value: String) -> [CacheDirective] {
        var elements: [CacheDirective] = []
        var element = Draft()
        var isQuoted = false
        var isEscaped = false
        for byte in value.utf8 {
            switch (byte, isQuoted) {
            case _ where isEscaped:
                element.take(byte)
                isEscaped = false
            case (UInt8(ascii: "\\"), true): isEscaped = true
            case (UInt8(ascii: "\""), _): isQuoted.toggle()
            case (UInt8(ascii: ","), false):
                element.end().map { elements.append($0) }
                element = Draft()
            case (UInt8(ascii: "="), false): element.beginArgument()
            default: element.take(byte)
            }
        }
        element.end().map { elements.append($0) }
        return elements
    }

    /// An element that is being read.
    private struct Draft {
        private var name: [UInt8] = []
        private var argument: [UInt8]?

        mutating func take(_ byte: UInt8) {
            if argument == nil { name.append(byte.asciiLowercased) } else { argument?.append(byte) }
        }

        mutating func beginArgument() {
            // A second equals sign belongs to the argument.
            if argument == nil { argument = [] } else { argument?.append(UInt8(ascii: "=")) }
        }

        func end() -> CacheDirective? {
            let name = String(decoding: name, as: UTF8.self).trimmingBlanks()
            guard !name.isEmpty else { return nil }
            return CacheDirective(
                name: name,
                argument: argument.map { String(decoding: $0, as: UTF8.self).trimmingBlanks() }
            )
        }
    }
}
