import CalotypeCore

/// The renditions of one call: a decode that they share, then an encode for each.
struct RenditionWork {
    let facts: ImageFacts
    let queued: Duration
    let killSwitch: KillSwitch
    let clock: ContinuousClock
    private var pictures: [Transform: VipsImage] = [:]
    private var decoding = Duration.zero

    init(facts: ImageFacts, queued: Duration, killSwitch: KillSwitch, clock: ContinuousClock) {
        self.facts = facts
        self.queued = queued
        self.killSwitch = killSwitch
        self.clock = clock
    }

    /// Runs the decode.
    mutating func decode(_ decode: Decode) throws {
        let start = clock.now
        pictures = try decode.run()
        decoding = clock.now - start
    }

    /// Encodes the rendition that `spec` asks for, or takes the source's bytes.
    func rendition(_ spec: RenditionSpec, of source: EncodedSource) throws -> CodedImage {
        guard let picture = pictures[spec.transform], !spec.isVerbatim(of: facts) else {
            return CodedImage(verbatim: try source.bytes(), facts)
        }
        let start = clock.now
        try killSwitch.guards(picture)
        let encoder = VipsEncoder(spec.output, source: facts.format)
        return CodedImage(
            bytes: try encoder.encode(picture),
            format: encoder.format,
            size: picture.size,
            source: facts,
            isVerbatim: false,
            queued: queued,
            decoding: decoding,
            encoding: clock.now - start
        )
    }
}

extension RenditionSpec {
    /// Whether the source's very bytes are the rendition.
    func isVerbatim(of facts: ImageFacts) -> Bool {
        guard case .original = output, facts.orientation == 1 || facts.isTurnedByDecoder else { return false }
        let geometry = Geometry(transform, of: facts.size)
        return geometry.output == facts.size && geometry.scaled == facts.size
    }
}

extension CodedImage {
    /// The source itself as a rendition.
    init(verbatim bytes: [UInt8], _ facts: ImageFacts) {
        self.init(
            bytes: bytes,
            format: facts.format,
            size: facts.size,
            source: facts,
            isVerbatim: true,
            queued: .zero,
            decoding: .zero,
            encoding: .zero
        )
    }
}
