public import CalotypeCore

/// The rules for choosing the format of an image in a response.
public struct FormatNegotiation: Hashable, Sendable {
    /// The formats for browsers that name them, best first; none by default.
    ///
    /// A format with a higher weight in the `Accept` field comes before one with a lower weight. A wildcard
    /// does not prove that a browser supports a format: all browsers send one, even old ones.
    public var offered: [ImageFormat] = []
    /// The formats for browsers that name them, even if the path names another format; none by default.
    public var enforced: [ImageFormat] = []
    /// The formats that stay as they are if nothing else is specified, JPEG and PNG by default.
    ///
    /// The first of them that can represent the image replaces all other formats. With JPEG alone, images
    /// become JPEG, or PNG if they have transparent parts.
    public var preferred: [ImageFormat] = [.jpeg, .png]

    /// Creates a negotiation that offers nothing.
    public init() {}

    /// Chooses the format for `thumbnail` and the request's `Accept` field.
    ///
    /// - Parameters:
    ///   - thumbnail: The request from the path.
    ///   - accept: The `Accept` field, its lines joined by commas; `nil` if there is none.
    /// - Returns: The format, or that it depends on the source.
    public func choice(for thumbnail: ThumbnailRequest, accept: String?) -> FormatChoice {
        guard !thumbnail.isRaw else {
            return FormatChoice(format: thumbnail.format, varies: false, preferred: preferred)
        }
        let isOpen = thumbnail.format == nil
        let candidates = isOpen ? offered + enforced : enforced
        guard !candidates.isEmpty else {
            return FormatChoice(format: thumbnail.format, varies: false, preferred: preferred)
        }
        let format = best(of: candidates, AcceptedFormats(accept), isOpen: isOpen)
        return FormatChoice(format: format ?? thumbnail.format, varies: true, preferred: preferred)
    }

    /// Returns the candidate with the highest weight, or `nil` if ordinary formats have a higher weight.
    private func best(of candidates: [ImageFormat], _ accepted: AcceptedFormats, isOpen: Bool) -> ImageFormat?
    {
        var best: (format: ImageFormat, weight: Int)?
        for format in candidates {
            let weight = accepted.weight(of: format, byName: true)
            if weight > best?.weight ?? 0 { best = (format, weight) }
        }
        guard let best else { return nil }
        let ordinary = preferred.map { accepted.weight(of: $0) }.max() ?? 0
        return best.weight >= ordinary || !isOpen ? best.format : nil
    }
}

/// The format of a response, as far as it is known without the source.
public struct FormatChoice: Hashable, Sendable {
    /// The format; `nil` if it depends on the source.
    public let format: ImageFormat?
    /// Whether a different `Accept` field could change the choice, so that the response needs `Vary: Accept`.
    public let varies: Bool
    let preferred: [ImageFormat]

    init(format: ImageFormat?, varies: Bool, preferred: [ImageFormat]) {
        self.format = format
        self.varies = varies
        self.preferred = preferred
    }

    /// Returns the format for a source.
    ///
    /// - Parameters:
    ///   - source: The format of the source.
    ///   - needsAlpha: Whether the result has transparent parts; see
    ///     ``ThumbnailRequest/needsAlpha(sourceHasAlpha:)``.
    /// - Returns: The format of the response.
    public func format(source: ImageFormat, needsAlpha: Bool) -> ImageFormat {
        format ?? SuitedFormat(preferred: preferred).format(source: source, needsAlpha: needsAlpha)
    }
}

extension ThumbnailRequest {
    /// Whether the result may have transparent parts.
    public func needsAlpha(sourceHasAlpha: Bool) -> Bool {
        transform.edits.mayBeTransparent(sourceHasAlpha: sourceHasAlpha)
    }
}

/// The format preferences in an `Accept` field (RFC 9110, section 12.5.1).
struct AcceptedFormats: Hashable, Sendable {
    /// A weight from 0 (not at all) to 1,000.
    private typealias Weight = Int

    /// The weights of the media ranges that were named, such as `image/webp`, `image/*` and `*/*`.
    private var weights: [String: Weight] = [:]
    /// Whether the field is missing or empty, so that all formats are equally acceptable.
    private let isEmpty: Bool

    /// The maximum number of media ranges that are read; no real client sends more.
    private static let mostRanges = 100

    /// Parses the value of the field, its lines joined by commas; `nil` if it was not sent.
    init(_ field: String?) {
        let field = field ?? ""
        isEmpty = field.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
        for range in Self.split(Substring(field).utf8, at: UInt8(ascii: ",")).prefix(Self.mostRanges) {
            add(range)
        }
    }

    /// Returns the weight of `format`, 0 to 1,000; with `byName`, only if the format itself was named.
    func weight(of format: ImageFormat, byName: Bool = false) -> Int {
        if let weight = weights[format.mediaType] { return weight }
        guard !byName else { return 0 }
        return weights["image/*"] ?? weights["*/*"] ?? (isEmpty ? 1_000 : 0)
    }

    private mutating func add(_ range: Substring.UTF8View) {
        let parts = Self.split(range, at: UInt8(ascii: ";"))
        let type = Self.trimmed(parts[0]).lowercased()
        guard type.utf8.contains(UInt8(ascii: "/")) else { return }
        var weight: Weight? = 1_000
        for parameter in parts.dropFirst() {
            let text = Self.trimmed(parameter).lowercased()
            if text.hasPrefix("q=") { weight = Self.weight(text.dropFirst(2)) }
        }
        // An invalid weight is ignored. If a type appears twice, the last one counts.
        if let weight { weights[type] = weight }
    }

    /// Parses a `qvalue`: 0 or 1 with up to three decimals.
    private static func weight(_ text: Substring) -> Weight? {
        let digits = text.utf8
        guard let first = digits.first, first == 0x30 || first == 0x31 else { return nil }
        let decimals = digits.dropFirst(2)
        guard digits.count == 1 || digits.dropFirst().first == UInt8(ascii: "."), decimals.count <= 3,
            decimals.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        var weight = first == 0x31 ? 1_000 : 0
        for (digit, unit) in zip(decimals, [100, 10, 1]) { weight += Int(digit - 0x30) * unit }
        return weight <= 1_000 ? weight : nil
    }

    /// Splits `text` at the separators outside quoted strings.
    private static func split(_ text: Substring.UTF8View, at separator: UInt8) -> [Substring.UTF8View] {
        var (isQuoted, isEscaped) = (false, false)
        return text.split(omittingEmptySubsequences: false) { byte in
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            }
            return byte == separator && !isQuoted
        }
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring {
        var text = text
        while text.first == 0x20 || text.first == 0x09 { text.removeFirst() }
        while text.last == 0x20 || text.last == 0x09 { text.removeLast() }
        return Substring(text)
    }
}
