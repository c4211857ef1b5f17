import CalotypeCore

/// One decode under way: from an encoded source to upright pictures in memory, one for each transform.
///
/// It computes on the thread that calls it; another thread may pull its switch.
struct VipsDecode {
    let source: OpenedSource
    let plan: VipsPlan
    let limits: ImageLimits
    let killSwitch: KillSwitch

    /// Decodes; the result has a picture for each transform of the plan.
    ///
    /// - Throws: `corrupt_image`, `too_many_pixels`; `CancellationError` when the switch was pulled before it began.
    func run() throws -> [Transform: VipsImage] {
        try explaining {
            try VipsImage.open(source.encoded, options: plan.loaderOptions(isStrict: !source.isCut)) {
                image in
                try killSwitch.guards(image)
                defer { killSwitch.rest() }
                return try pictures(of: image)
            }
        }
    }

    /// Turns a failure of `body` into the error that callers see.
    private func explaining<Output>(_ body: () throws -> Output) throws -> Output {
        do {
            return try body()
        } catch let failure as VipsFailure {
            throw CalotypeError(
                .corruptImage,
                "the \(plan.facts.format.rawValue.uppercased()) is damaged: \(failure)",
                stage: .decode,
                cause: failure
            )
        }
    }

    private func pictures(of image: VipsImage) throws -> [Transform: VipsImage] {
        let upright = try checkedSize(of: image)
        let base = plan.keepsBase ? try image.inMemory() : image
        // From here on the loader is done with, and the pixels come from the copy.
        if plan.keepsBase { try killSwitch.guards(base) }
        var pictures: [Transform: VipsImage] = [:]
        for transform in plan.transforms {
            let image = transform.isLinearLight ? try base.inSRGB().inLinearLight() : base
            pictures[transform] = try picture(of: image, Geometry(transform, of: upright))
        }
        return pictures
    }

    /// The size of the upright picture that `image` is, not shrunk.
    ///
    /// Where a decoder sees another size than the header reader did, the decoder is right, and limits hold for it.
    private func checkedSize(of image: VipsImage) throws -> PixelSize {
        guard plan.shrink == 1 else { return plan.facts.size }
        let size = turn >= 5 ? image.size.transposed : image.size
        guard size != plan.facts.size else { return size }
        try limits.check(size, most: limits.pixels)
        return size
    }

    private func picture(of image: VipsImage, _ geometry: Geometry) throws -> VipsImage {
        let scaled = turn >= 5 ? geometry.scaled.transposed : geometry.scaled
        let kept = geometry.kept.stored(in: geometry.scaled, orientation: turn)
        return
            try image
            .resized(to: scaled)
            .cut(to: kept)
            .inSRGB()
            .inMemory()
            .upright(from: turn)
    }

    /// The orientation that is still to be applied: decoders of HEIF do it themselves.
    private var turn: Int { plan.facts.isTurnedByDecoder ? 1 : plan.facts.orientation }
}

extension ImageFacts {
    /// Whether the orientation is part of the format, so that each decoder and each viewer applies it.
    var isTurnedByDecoder: Bool { format == .avif || format == .heic }
}
