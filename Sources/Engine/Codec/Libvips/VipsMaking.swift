import CalotypeCore

/// Makes pictures with libvips: usually one decode for all pictures, then an encode for each.
struct VipsMaking: PictureMaking {
    let decoder: PictureDecoder
    let asksWhetherToStop = false

    private let specs: [PictureSpec]
    private let source: OpenedSource
    private let limits: ImageLimits
    private let plans: [VipsPlan]
    private let clock = ContinuousClock()

    init(
        _ specs: [PictureSpec],
        of source: OpenedSource,
        limits: ImageLimits,
        because reason: String
    ) {
        self.specs = specs
        self.source = source
        self.limits = limits
        decoder = .libvips(reason: reason)
        plans = VipsPlan.plans(source.facts, specs.map(\.transform), limits: limits)
    }

    var bytes: Int {
        let bitmaps = specs.reduce(0) { $0 + $1.bitmapBytes(of: source.facts) }
        // One picture is encoded after another.
        let encoder = specs.map { $0.encoderBytes(of: source.facts) }.max() ?? 0
        return plans.reduce(bitmaps + encoder) { $0 + $1.bytes }
    }

    func make(_ killSwitch: KillSwitch) throws -> [PictureSpec: Result<CodedPicture, CalotypeError>] {
        try Libvips.start()
        let start = clock.now
        var pictures: [Transform: Result<VipsDecode.Picture, CalotypeError>] = [:]
        for plan in plans {
            let decode = VipsDecode(source: source, plan: plan, limits: limits, killSwitch: killSwitch)
            pictures.merge(try decode.run()) { first, _ in first }
        }
        let decoding = clock.now - start
        var outcomes: [PictureSpec: Result<CodedPicture, CalotypeError>] = [:]
        for spec in specs {
            guard let picture = pictures[spec.transform] else {
                preconditionFailure("a decode gave no picture for \(spec.transform)")
            }
            let outcome = try outcome(of: picture, as: spec, decoding: decoding, killSwitch)
            if case .failure = outcome { try killSwitch.check() }
            outcomes[spec] = outcome
        }
        return outcomes
    }

    private func outcome(
        of picture: Result<VipsDecode.Picture, CalotypeError>,
        as spec: PictureSpec,
        decoding: Duration,
        _ killSwitch: KillSwitch
    ) throws -> Result<CodedPicture, CalotypeError> {
        switch picture {
        case .failure(let error): return .failure(error)
        case .success(let picture):
            try killSwitch.guards(picture.image)
            return Result { () throws(CalotypeError) in try encoded(picture, as: spec, decoding: decoding) }
        }
    }

    private func encoded(
        _ picture: VipsDecode.Picture,
        as spec: PictureSpec,
        decoding: Duration
    ) throws(CalotypeError) -> CodedPicture {
        let start = clock.now
        let content = try spec.content(of: picture, source: source.facts.format)
        return CodedPicture(
            content,
            size: picture.size,
            source: source.facts,
            isPartial: source.isCut,
            decoder: decoder,
            decoding: decoding,
            encoding: clock.now - start
        )
    }
}
