import CalotypeCore

/// The pictures of one call: those that need no pixels, a decode that the others share, then an encode for each.
struct PictureWork {
    /// Waiting for the core and the memory.
    var queued = Duration.zero

    private let source: EncodedSource
    private let facts: ImageFacts
    private let limits: ImageLimits
    private let clock: ContinuousClock
    /// What has to be decoded, each spec once.
    private var anew: [PictureSpec] = []
    /// What came of the specs; one that has neither failed nor been made is the source's very bytes.
    private var outcomes: [PictureSpec: Result<CodedPicture, CalotypeError>] = [:]

    /// Reads the header of `source` and sorts `specs` by what they take.
    ///
    /// - Throws: `unsupported_format`, `corrupt_image`, `truncated_image`, `too_many_pixels`, `too_many_bytes`,
    ///   `file_not_readable`.
    init(
        _ specs: [PictureSpec],
        of source: EncodedSource,
        limits: ImageLimits,
        clock: ContinuousClock
    ) throws(CalotypeError) {
        try limits.check(source)
        self.source = source
        self.limits = limits
        self.clock = clock
        facts = try source.facts()
        try limits.check(facts)
        var seen: Set<PictureSpec> = []
        for spec in specs where seen.insert(spec).inserted { sort(spec) }
    }

    /// The decodes that it takes: none where nothing needs pixels, mostly one.
    var plans: [DecodePlan] {
        DecodePlan.plans(facts, anew.map(\.transform), limits: limits)
    }

    /// The estimate of the memory that it takes.
    var bytes: Int {
        let bitmaps = anew.reduce(0) { $0 + $1.bitmapBytes(of: facts) }
        return plans.reduce(bitmaps) { $0 + $1.bytes }
    }

    /// Decodes and encodes.
    ///
    /// - Throws: `corrupt_image`, `too_many_pixels`; `CancellationError` when the switch was pulled.
    mutating func run(_ killSwitch: KillSwitch) throws {
        let start = clock.now
        var pictures: [Transform: VipsImage] = [:]
        for plan in plans {
            let decode = Decode(source: source, plan: plan, limits: limits, killSwitch: killSwitch)
            pictures.merge(try decode.run()) { first, _ in first }
        }
        let decoding = clock.now - start
        for spec in anew {
            guard let picture = pictures[spec.transform] else {
                preconditionFailure("a decode gave no picture for \(spec.transform)")
            }
            try killSwitch.guards(picture)
            let outcome = Result { () throws(CalotypeError) in
                try make(spec, of: picture, decoding: decoding)
            }
            if case .failure = outcome, killSwitch.isPulled { throw CancellationError() }
            outcomes[spec] = outcome
        }
    }

    /// What came of `spec`.
    func outcome(_ spec: PictureSpec) -> Result<CodedPicture, CalotypeError> {
        if let outcome = outcomes[spec] { return outcome }
        return Result { () throws(CalotypeError) in
            CodedPicture(
                .encoded(try source.bytes(), facts.format),
                size: facts.size,
                source: facts,
                isVerbatim: true,
                queued: queued
            )
        }
    }

    private mutating func sort(_ spec: PictureSpec) {
        do throws(CalotypeError) {
            try spec.transform.validate()
            guard !spec.isVerbatim(of: facts) else { return }
            try limits.check(spec.size(of: facts), most: limits.pixels)
            anew.append(spec)
        } catch {
            outcomes[spec] = .failure(error)
        }
    }

    private func make(
        _ spec: PictureSpec,
        of picture: VipsImage,
        decoding: Duration
    ) throws(CalotypeError) -> CodedPicture {
        let start = clock.now
        let content = try spec.content(of: picture, source: facts.format)
        return CodedPicture(
            content,
            size: picture.size,
            source: facts,
            queued: queued,
            decoding: decoding,
            encoding: clock.now - start
        )
    }
}
