import CalotypeCore

/// A decode in progress: from an encoded source to upright pictures in memory, one for each transform.
///
/// It runs on the calling thread; another thread may pull its switch.
struct VipsDecode {
    /// A picture, and the source's metadata that accompanies it.
    struct Picture {
        /// The pixels; those of an animation have its frames below each other.
        let image: VipsImage
        /// The size of the picture, or of each frame.
        let size: PixelSize
        let metadata: MetadataBlocks
        /// The timing of an animation; `nil` for a still picture.
        let timing: FrameTiming?

        /// Creates a picture of the `frames` in `image`, which follow each other by `timing`.
        init(_ image: VipsImage, frames size: PixelSize, _ metadata: MetadataBlocks, _ timing: FrameTiming) {
            self.image = image
            self.size = size
            self.metadata = metadata
            self.timing = timing
        }

        /// Creates a still picture.
        init(_ image: VipsImage, _ metadata: MetadataBlocks = .none) {
            self.image = image
            self.metadata = metadata
            size = image.size
            timing = nil
        }
    }

    let source: OpenedSource
    let plan: VipsPlan
    let limits: ImageLimits
    let killSwitch: KillSwitch

    /// Decodes, and returns the result for each transform of the plan.
    ///
    /// - Throws: `corrupt_image`, `truncated_image`, `unsupported_format`, `too_many_pixels`;
    ///   `CancellationError` if the switch was pulled before it began.
    func run() throws -> [Transform: Result<Picture, CalotypeError>] {
        try Libvips.decoding { isAlone in
            do {
                return try decoded()
            } catch let failure as CodecError {
                throw error(for: failure, saysWhy: isAlone())
            }
        }
    }

    private func decoded() throws -> [Transform: Result<Picture, CalotypeError>] {
        guard !plan.readsFrames else { return try framePictures() }
        let opening = VipsOpening(
            source: source,
            options: plan.loaderOptions(isStrict: !source.isCut),
            drawnSize: plan.drawnSize,
            killSwitch: killSwitch
        )
        return try opening.open { opened in
            try killSwitch.guards(opened)
            defer { killSwitch.rest() }
            let image = try opened.inIntegers(isWeighted: source.encoded.isWeighted(plan.facts))
            try killSwitch.guards(image)
            return try pictures(of: image)
        }
    }

    /// Converts `failure` to the error that callers see.
    ///
    /// Its text `saysWhy` unless it may belong to another picture.
    private func error(for failure: CodecError, saysWhy: Bool) -> CalotypeError {
        // One of our own decoders ran out of bytes, which its header did not show.
        if case .outOfBytes = failure { return ImageProbe.error(failure) }
        let format = plan.facts.format.name
        var told = saysWhy && Libvips.isRefusal(failure) ? failure.description : nil
        if case .unsupported(let reason) = failure { told = reason }
        if let reason = source.encoded.rarity(plan.facts) ?? told {
            return CalotypeError(
                .unsupportedFormat,
                "this kind of \(format) cannot be read: \(reason)",
                stage: .decode,
                cause: failure
            )
        }
        return CalotypeError(
            .corruptImage,
            "the \(format) is damaged: \(failure)",
            stage: .decode,
            cause: failure
        )
    }

    private func pictures(of image: VipsImage) throws -> [Transform: Result<Picture, CalotypeError>] {
        let stored = try checkedSize(of: image)
        let base = plan.keepsBase ? try image.inMemory() : image
        var pictures: [Transform: Result<Picture, CalotypeError>] = [:]
        for transform in plan.transforms {
            // The loader of a copy has finished, and its pixels come from the copy.
            try killSwitch.guards(base)
            do {
                pictures[transform] = .success(try picture(of: base, stored, transform))
            } catch let error as CalotypeError {
                try killSwitch.check()
                pictures[transform] = .failure(error)
            }
        }
        return pictures
    }

    private func picture(of base: VipsImage, _ stored: PixelSize, _ transform: Transform) throws -> Picture {
        var making = making(transform, stored)
        return Picture(try making.picture(of: base), MetadataBlocks(of: base, transform.edits.kept))
    }

    private func making(_ transform: Transform, _ stored: PixelSize) -> VipsPicture {
        let standing = Standing(plan.facts, transform.edits).of(stored)
        return VipsPicture(transform, standing, limits: limits, killSwitch: killSwitch)
    }

    /// Reads the frames of an animation once, for all transforms.
    private func framePictures() throws -> [Transform: Result<Picture, CalotypeError>] {
        var strips: [VipsStrip] = []
        let frames = VipsFrames(source: source, plan: plan, killSwitch: killSwitch)
        let timing = try frames.read { frame in
            let stored = try checkedSize(of: frame)
            let base = plan.keepsBase ? try frame.inMemory() : frame
            if strips.isEmpty {
                strips = plan.transforms.map {
                    VipsStrip(making($0, stored), $0.edits.kept, limits, expected: plan.frameCount)
                }
            }
            for index in strips.indices where strips[index].failure == nil {
                try killSwitch.guards(base)
                try strips[index].add(base)
                if strips[index].failure != nil { try killSwitch.check() }
            }
        }
        let pictures = try strips.map { strip in
            if let failure = strip.failure { return Result<Picture, CalotypeError>.failure(failure) }
            return .success(try strip.picture(timing))
        }
        return Dictionary(uniqueKeysWithValues: zip(plan.transforms, pictures))
    }

    /// Returns the size of the stored picture that `image` represents, not shrunk.
    ///
    /// If a decoder finds another size than the header reader, the decoder is right, and the limits apply to
    /// its size.
    private func checkedSize(of image: VipsImage) throws -> PixelSize {
        let told = Standing(plan.facts, .none).stored
        guard plan.shrink == 1, plan.facts.format != .svg, image.size != told else { return told }
        try limits.check(image.size, most: limits.pixels)
        return image.size
    }
}

extension ImageFacts {
    /// Whether the orientation is part of the format, so that every decoder and viewer applies it.
    var isTurnedByDecoder: Bool { format == .avif || format == .heic || format == .jxl }
}

extension EncodedSource {
    /// The property of an undecodable picture that some decoders do not support; `nil` if there is none.
    fileprivate func rarity(_ facts: ImageFacts) -> String? {
        switch facts.format {
        case .tiff:
            var reader = reader()
            // A picture that cannot be read here was refused before.
            return (try? TIFFHeader.rarity(&reader)) ?? nil
        case .avif, .heic:
            let size = facts.storedSize
            guard max(size.width, size.height) > 16_384 else { return nil }
            return "\(size) pixels are more than its decoder supports"
        case .jpeg, .png, .gif, .webp, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom: return nil
        }
    }
}
