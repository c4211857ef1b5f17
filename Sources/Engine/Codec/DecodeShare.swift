public import CalotypeCore

/// The number of pictures of one source that a single decode makes.
///
/// Pictures that share a decode save its cost and wait for each other. If scaling and encoding them takes
/// longer than the decode, one core would make them one after the other, within the time limit of one, while
/// other cores are free. So a decode makes as many as it can in about two seconds besides its first picture.
public struct DecodeShare: Sendable {
    private let facts: ImageFacts

    /// The time that the pictures beside the first may take together, in nanoseconds.
    private static let budget = 2e9

    /// Creates an estimate for the source with these `facts`.
    public init(_ facts: ImageFacts) {
        self.facts = facts
    }

    /// Returns the number of `specs`, from the first on, that one decode makes: at least one, if any.
    public func count(of specs: [PictureSpec]) -> Int {
        var left = Self.budget
        for (index, spec) in specs.enumerated().dropFirst() {
            left -= nanoseconds(spec)
            if left < 0 { return index }
        }
        return specs.count
    }

    /// Returns the time for `spec` besides the decode: passing all rows of the source, and encoding.
    private func nanoseconds(_ spec: PictureSpec) -> Double {
        let spec = spec.unprocessed.settled(for: facts)
        // An invalid spec fails before it takes any time.
        guard !spec.leavesPixels(of: facts), (try? spec.transform.validate()) != nil else { return 0 }
        let rows = Double(facts.size.pixelCount) * (facts.format == .jpeg ? 5 : 10)
        let result = Double(Geometry(spec.transform, of: facts).output.pixelCount)
        return rows + result * weight(spec)
    }

    /// Returns the time per pixel of the result.
    private func weight(_ spec: PictureSpec) -> Double {
        guard case .encoded(let rendition) = spec else { return 5 }
        let tries = rendition.transform.edits.mostBytes == nil ? 1.0 : 6
        let settings = VipsEncoder(rendition.output, source: facts.format)
        return switch settings.format {
        case .webp where settings.options.isLossless: 300
        case .jpeg where settings.options.isProgressive: 50 * tries
        case .jpeg, .tiff, .pnm, .bmp, .tga: 15 * tries
        case .png, .webp: 80 * tries
        case .gif: 200 * tries
        case .avif, .heic, .jp2, .jxl, .psd, .ico, .svg, .custom: 600 * tries
        }
    }
}
