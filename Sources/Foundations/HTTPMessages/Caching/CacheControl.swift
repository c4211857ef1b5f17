/// The directives of all `Cache-Control` fields of a request or a response.
///
/// See RFC 9111, section 5.2; RFC 5861; RFC 8246. If a directive is repeated, or two contradict each other,
/// the stricter one counts. A lifetime that is not a number is zero.
package struct CacheControl: Hashable, Sendable {
    /// The directives without a time.
    package struct Directives: OptionSet, Hashable, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) {
            self.rawValue = rawValue
        }

        package static let noStore = Directives(rawValue: 1)
        /// Even if it names fields.
        package static let noCache = Directives(rawValue: 2)
        /// Even if it names fields.
        package static let isPrivate = Directives(rawValue: 4)
        package static let isPublic = Directives(rawValue: 8)
        package static let mustRevalidate = Directives(rawValue: 16)
        package static let proxyRevalidate = Directives(rawValue: 32)
        package static let immutable = Directives(rawValue: 64)
        package static let onlyIfCached = Directives(rawValue: 128)

        package static let all = Directives(rawValue: 255)
    }

    /// The directives without a time.
    package var directives = Directives()
    /// How long a response is fresh; in a request, the maximum age that it accepts.
    package var maxAge: Duration?
    /// How long a response is fresh in a shared cache: `s-maxage`.
    package var sharedMaxAge: Duration?
    /// How long a stale response may be used while it is revalidated.
    package var staleWhileRevalidate: Duration?
    /// How long a stale response may be used if the origin fails.
    package var staleIfError: Duration?
    /// How long a request accepts a stale response.
    package var maxStale: Duration?
    /// How much longer the response must stay fresh for the request.
    package var minFresh: Duration?

    /// The longest time a directive can name: 2^31 seconds (RFC 9111, section 1.2.2).
    static let longest = Duration.seconds(1 << 31)

    /// Reads whole seconds, at most ``longest``, as in `max-age` and `Age`; `nil` for any other text.
    package static func lifetime(_ text: String) -> Duration? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        // A number with more digits than an Int holds also lasts for ever.
        return min(Int(text).map { .seconds($0) } ?? longest, longest)
    }

    /// Creates an empty list of directives.
    package init() {}

    /// Reads the directives of `headers`.
    ///
    /// Without any `Cache-Control` field, reads `Pragma: no-cache` instead.
    package init(_ headers: HTTPHeaders) {
        let lines = headers.values(of: "Cache-Control")
        for directive in lines.flatMap(CacheDirective.all) { add(directive) }
        let pragma = lines.isEmpty ? headers.values(of: "Pragma") : []
        if pragma.flatMap(CacheDirective.all).contains(where: { $0.name == "no-cache" }) {
            directives.insert(.noCache)
        }
    }

    /// Whether all of `directives` are present.
    package func has(_ directives: Directives) -> Bool {
        self.directives.isSuperset(of: directives)
    }

    private static let plain: [String: Directives] = [
        "no-store": .noStore, "no-cache": .noCache, "private": .isPrivate, "public": .isPublic,
        "must-revalidate": .mustRevalidate, "proxy-revalidate": .proxyRevalidate, "immutable": .immutable,
        "only-if-cached": .onlyIfCached,
    ]

    private mutating func add(_ directive: CacheDirective) {
        if let plain = Self.plain[directive.name] {
            directives.insert(plain)
            return
        }
        switch directive.name {
        case "max-age": maxAge = Self.shorter(maxAge, directive.lifetime ?? .zero)
        case "s-maxage": sharedMaxAge = Self.shorter(sharedMaxAge, directive.lifetime ?? .zero)
        case "stale-while-revalidate":
            staleWhileRevalidate = Self.shorter(staleWhileRevalidate, directive.lifetime ?? .zero)
        case "stale-if-error": staleIfError = Self.shorter(staleIfError, directive.lifetime ?? .zero)
        case "max-stale":
            let unlimited = directive.argument == nil ? Self.longest : .zero
            maxStale = Self.shorter(maxStale, directive.lifetime ?? unlimited)
        case "min-fresh": minFresh = max(minFresh ?? .zero, directive.lifetime ?? .zero)
        default: break
        }
    }

    private static func shorter(_ known: Duration?, _ next: Duration) -> Duration {
        min(known ?? next, next)
    }
}

/// One element of a `Cache-Control` field: a name in lower case, perhaps with an argument.
struct CacheDirective: Hashable, Sendable {
    let name: String
    /// What follows the equals sign, without quotation marks.
    let argument: String?

    /// The argument as a time.
    var lifetime: Duration? { argument.flatMap(CacheControl.lifetime) }

    /// Parses the elements of one field value, which commas separate outside quotation marks.
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

    /// A partly parsed element.
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
