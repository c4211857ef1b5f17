/// The rules of a `robots.txt` file for one crawler (RFC 9309).
struct RobotsRules: Sendable {
    /// Maximum number of bytes of a file that are read; RFC 9309, section 2.5, requires at least 500 KiB.
    static let limit = 500 << 10

    private let rules: [RobotsPattern]
    /// How long the host wants a crawler to wait between two requests, if it says so.
    ///
    /// `Crawl-delay` is not part of RFC 9309, but common.
    let crawlDelay: Duration?

    /// Parses a file, of which it keeps the rules for `product`, such as `calotype`.
    ///
    /// Groups that name the product apply together; if none does, those for `*` apply. Lines that are not
    /// understood are skipped. Beyond ``limit`` nothing is read, and the line that crosses it is skipped.
    init(_ bytes: some Collection<UInt8>, product: String) {
        var groups = Groups(product: product.lowercased())
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        let end = content.index(content.startIndex, offsetBy: Self.limit, limitedBy: content.endIndex)
        var lines = content[..<(end ?? content.endIndex)]
            .split(omittingEmptySubsequences: true) { $0 == 0x0A || $0 == 0x0D }
        if let end, end < content.endIndex, content[end] != 0x0A, content[end] != 0x0D { _ = lines.popLast() }
        for line in lines { groups.read(Array(line)) }
        (rules, crawlDelay) = groups.result
    }

    private init(rules: [RobotsPattern]) {
        (self.rules, crawlDelay) = (rules, nil)
    }

    /// The rules of a host without a file: everything is allowed.
    static let none = RobotsRules(rules: [])

    /// Approximate memory that the rules occupy.
    var cost: Int { rules.reduce(200) { $0 + 80 + 2 * $1.length } }

    /// Whether a crawler may request this path and query; they begin with a slash.
    ///
    /// The longest pattern that matches decides, and `Allow` wins a tie. `/robots.txt` is always allowed.
    func allows(_ target: String) -> Bool {
        guard !rules.isEmpty, target != "/robots.txt" else { return true }
        let path = RobotsPattern.normalised(target.utf8)
        var steps = RobotsPattern.stepLimit
        var verdict = (length: -1, allows: true)
        for rule in rules where rule.length > verdict.length || (rule.length == verdict.length && rule.allows)
        {
            if rule.matches(path, &steps) { verdict = (rule.length, rule.allows) }
        }
        // Patterns that take so long were made to; the crawler stays away.
        return steps > 0 && verdict.allows
    }

    /// Returns the product token of a `User-Agent` header: `calotype` for `Calotype/0.1 (+https://…)`.
    ///
    /// A crawler that introduces itself as `Mozilla/5.0 (compatible; Name/1.0)` is known as `Name`.
    static func product(of userAgent: String) -> String {
        var text = userAgent[...]
        if text.hasPrefix("Mozilla/"), let mark = text.firstRange(of: "compatible; ") {
            text = text[mark.upperBound...]
        }
        return String(text.prefix { $0.isASCII && ($0.isLetter || $0 == "-" || $0 == "_") })
    }
}

extension RobotsRules {
    /// The groups of a file that matter for one product, as they are read.
    private struct Groups {
        let product: String
        private var own: [RobotsPattern] = []
        private var others: [RobotsPattern] = []
        private var ownDelay: Duration?
        private var othersDelay: Duration?
        private var hasOwn = false
        /// Whether the group that is being read applies to the product, and whether to everyone.
        private var (isOwn, isOthers) = (false, false)
        /// Whether the last line was a `User-agent`, so that the next one belongs to the same group.
        private var isNaming = false

        init(product: String) {
            self.product = product
        }

        var result: ([RobotsPattern], Duration?) { hasOwn ? (own, ownDelay) : (others, othersDelay) }

        mutating func read(_ line: [UInt8]) {
            let content = line.prefix { $0 != UInt8(ascii: "#") }
            guard let colon = content.firstIndex(of: UInt8(ascii: ":")) else { return }
            let value = Self.trimmed(content[(colon + 1)...])
            switch String(decoding: Self.trimmed(content[..<colon]), as: UTF8.self).lowercased() {
            case "user-agent", "useragent", "user agent": name(value)
            case "allow": add(value, allows: true)
            case "disallow": add(value, allows: false)
            case "crawl-delay": delay(value)
            default: break
            }
        }

        private mutating func name(_ value: ArraySlice<UInt8>) {
            if !isNaming { (isOwn, isOthers) = (false, false) }
            isNaming = true
            if value.first == UInt8(ascii: "*") { isOthers = true }
            let token = String(decoding: value, as: UTF8.self).lowercased()
            guard !product.isEmpty, RobotsRules.product(of: token) == product else { return }
            (isOwn, hasOwn) = (true, true)
        }

        private mutating func add(_ value: ArraySlice<UInt8>, allows: Bool) {
            isNaming = false
            guard isOwn || isOthers, let pattern = RobotsPattern(value, allows: allows) else { return }
            if isOwn { own.append(pattern) }
            if isOthers { others.append(pattern) }
        }

        private mutating func delay(_ value: ArraySlice<UInt8>) {
            isNaming = false
            guard let seconds = Double(String(decoding: value, as: UTF8.self)), (0...86_400).contains(seconds)
            else { return }
            if isOwn { ownDelay = .seconds(seconds) }
            if isOthers { othersDelay = .seconds(seconds) }
        }

        private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
            guard let start = bytes.firstIndex(where: { !isBlank($0) }),
                let end = bytes.lastIndex(where: { !isBlank($0) })
            else { return [] }
            return bytes[start...end]
        }
    }
}

/// An `Allow` or `Disallow` line: a pattern of paths, in which `*` matches anything and a final `$` the end.
struct RobotsPattern: Sendable {
    /// Maximum number of comparisons for one path, in all patterns of a file.
    static let stepLimit = 5_000_000
    /// The wildcard; every other element is a byte.
    private static let star: UInt16 = 256

    let allows: Bool
    private let elements: [UInt16]
    private let isAnchored: Bool

    /// Creates the pattern; `nil` if it matches nothing, as an empty one does.
    init?(_ value: ArraySlice<UInt8>, allows: Bool) {
        guard let first = value.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "*") else {
            return nil
        }
        isAnchored = value.last == UInt8(ascii: "$")
        elements = Self.normalised(isAnchored ? value.dropLast() : value, star: Self.star)
        self.allows = allows
    }

    /// The number of octets, by which patterns are compared.
    var length: Int { elements.count + (isAnchored ? 1 : 0) }

    /// Whether the pattern matches the beginning of `path`, or all of it if it is anchored.
    ///
    /// Subtracts the comparisons from `steps`, and stops when none is left.
    func matches(_ path: [UInt16], _ steps: inout Int) -> Bool {
        var (place, index) = (0, 0)
        /// Where to go on after a mismatch: behind the last star, one byte further.
        var retry: (index: Int, place: Int)?
        while steps > 0 {
            steps -= 1
            if index == elements.count, !isAnchored || place == path.count { return true }
            if index < elements.count, elements[index] == Self.star {
                index += 1
                retry = (index, place)
            } else if index < elements.count, place < path.count, elements[index] == path[place] {
                (index, place) = (index + 1, place + 1)
            } else if let last = retry, last.place < path.count {
                retry = (last.index, last.place + 1)
                (index, place) = (last.index, last.place + 1)
            } else {
                return false
            }
        }
        return false
    }

    /// Brings a path to the form in which paths are compared (RFC 9309, section 2.2.2).
    ///
    /// Escapes of unreserved characters, `*` and `$` are replaced by these characters; others have capital
    /// digits. Bytes that are not ASCII are escaped.
    static func normalised(
        _ bytes: some Collection<UInt8>,
        star: UInt16 = UInt16(UInt8(ascii: "*"))
    ) -> [UInt16] {
        var elements: [UInt16] = []
        elements.reserveCapacity(bytes.count)
        var rest = Array(bytes)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let escaped = escapedByte(rest) {
                rest = rest.dropFirst(2)
                elements += isPlain(escaped) ? [UInt16(escaped)] : escape(escaped)
            } else if byte == UInt8(ascii: "*") {
                elements.append(star)
            } else {
                elements += byte < 0x80 ? [UInt16(byte)] : escape(byte)
            }
        }
        return elements
    }

    private static func escapedByte(_ rest: ArraySlice<UInt8>) -> UInt8? {
        guard rest.count >= 2, rest.prefix(2).allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
            return nil
        }
        return UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
    }

    private static func escape(_ byte: UInt8) -> [UInt16] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]].map(UInt16.init)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        let scalar = Character(Unicode.Scalar(byte))
        return byte < 0x80 && (scalar.isLetter || scalar.isNumber || "-._~*$".utf8.contains(byte))
    }
}
