import CalotypeCore

/// The pictures of one call: those that need no pixels, and a decode that the others share.
struct PictureWork {
    /// Waiting for the core and the memory.
    var queued = Duration.zero
    /// The decode that it takes; `nil` where nothing needs pixels.
    private(set) var making: (any PictureMaking)?

    private let source: OpenedSource
    /// What came of the specs that were not decoded for; one that is not there is the source's very bytes.
    private var refused: [PictureSpec: CalotypeError] = [:]
    private var made: [PictureSpec: Result<MadePicture, CalotypeError>] = [:]

    /// Reads the header of `source`, sorts `specs` by what they take, and chooses the decoder.
    ///
    /// - Throws: `unsupported_format`, `corrupt_image`, `truncated_image`, `too_many_pixels`, `too_many_bytes`,
    ///   `file_not_readable`.
    init(
        _ specs: [PictureSpec],
        of source: EncodedSource,
        limits: ImageLimits,
        by decoders: DecoderChoice
    ) throws(CalotypeError) {
        try limits.check(source)
        let opened = try source.opened(acceptsTruncated: limits.acceptsTruncated)
        self.source = opened
        try limits.check(opened.facts)
        var anew: [PictureSpec] = []
        var seen: Set<PictureSpec> = []
        for spec in specs.map({ $0.settled(for: opened.facts) }) where seen.insert(spec).inserted {
            do throws(CalotypeError) {
                if try needsPixels(spec, limits) { anew.append(spec) }
            } catch {
                refused[spec] = error
            }
        }
        if !anew.isEmpty { making = try decoders.making(anew, of: opened, limits: limits) }
    }

    /// Decodes and encodes.
    ///
    /// - Throws: as ``PictureMaking/make(_:)``.
    mutating func run(_ killSwitch: KillSwitch) throws {
        if let making { made = try making.make(killSwitch) }
    }

    /// What came of `spec`.
    func outcome(_ spec: PictureSpec) -> Result<CodedPicture, CalotypeError> {
        let spec = spec.settled(for: source.facts)
        if let error = refused[spec] { return .failure(error) }
        if let made = made[spec] { return made.map(coded) }
        return Result { () throws(CalotypeError) in
            CodedPicture(
                .encoded(try source.encoded.bytes(), source.facts.format),
                size: source.facts.size,
                source: source.facts,
                isVerbatim: true,
                isPartial: source.isCut,
                queued: queued
            )
        }
    }

    private func needsPixels(_ spec: PictureSpec, _ limits: ImageLimits) throws(CalotypeError) -> Bool {
        try spec.transform.validate()
        guard !spec.isVerbatim(of: source.facts) else { return false }
        try spec.transform.check(source.facts, limits)
        return true
    }

    private func coded(_ picture: MadePicture) -> CodedPicture {
        CodedPicture(
            picture.content,
            size: picture.size,
            source: source.facts,
            isPartial: picture.isPartial,
            decoder: making?.decoder,
            queued: queued,
            decoding: picture.decoding,
            encoding: picture.encoding
        )
    }
}
