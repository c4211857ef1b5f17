public import CalotypeCore

/// Decides in which format a picture is answered.
public struct FormatNegotiation: Hashable, Sendable {
    /// The formats that a browser gets if it names them, the best first; none by default.
    ///
    /// A format with more weight in the `Accept` field comes before one with less. A wildcard is no proof that a browser
    /// knows a format: all of them send one, old ones too.
    public var offered: [ImageFormat] = []
    /// The formats that a browser gets if it names them, whatever format the path names; none by default.
    public var enforced: [ImageFormat] = []
    /// The formats that a source keeps where nothing else is said, JPEG and PNG by default.
    ///
    /// The first of them that can show the picture takes the place of others. With JPEG alone, pictures become JPEG, and
    /// PNG where they have transparent parts.
    public var preferred: [ImageFormat] = [.jpeg, .png]

    /// Creates a negotiation that offers nothing.
    public init() {}

    /// The format for `order`, whose request came with `accept`.
    ///
    /// - Parameters:
    ///   - order: What the path asks for.
    ///   - accept: The `Accept` field, its lines joined by commas; `nil` where there is none.
    /// - Returns: The format, or that it follows from the source.
    public func choice(for order: ImageOrder, accept: String?) -> FormatChoice {
        guard !order.isRaw else {
            return FormatChoice(format: order.format, varies: false, preferred: preferred)
        }
        let isOpen = order.format == nil
        let candidates = isOpen ? offered + enforced : enforced
        guard !candidates.isEmpty else {
            return FormatChoice(format: order.format, varies: false, preferred: preferred)
        }
        let format = best(of: candidates, AcceptedFormats(accept), isOpen: isOpen)
        return FormatChoice(format: format ?? order.format, varies: true, preferred: preferred)
    }

    /// The candidate with the most weight, the first of equals; `nil` where the ordinary formats weigh more.
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

/// The format of an answer, as far as it can be told without the source.
public struct FormatChoice: Hashable, Sendable {
    /// The format; `nil` where it follows from the source.
    public let format: ImageFormat?
    /// Whether another `Accept` field could have led elsewhere, so that the answer has `Vary: Accept`.
    public let varies: Bool
    let preferred: [ImageFormat]

    init(format: ImageFormat?, varies: Bool, preferred: [ImageFormat]) {
        self.format = format
        self.varies = varies
        self.preferred = preferred
    }

    /// The format for a source of `format`.
    ///
    /// - Parameters:
    ///   - source: The format of the source.
    ///   - needsAlpha: Whether the result has transparent parts; see ``ImageOrder/needsAlpha(sourceHasAlpha:)``.
    /// - Returns: The format of the answer.
    public func format(source: ImageFormat, needsAlpha: Bool) -> ImageFormat {
        format ?? SuitedFormat(preferred: preferred).format(source: source, needsAlpha: needsAlpha)
    }
}

extension ImageOrder {
    /// Whether the result may have transparent parts.
    public func needsAlpha(sourceHasAlpha: Bool) -> Bool {
        transform.edits.mayBeTransparent(sourceHasAlpha: sourceHasAlpha)
    }
}
