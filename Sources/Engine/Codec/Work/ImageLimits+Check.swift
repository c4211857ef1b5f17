public import CalotypeCore

extension ImageLimits {
    /// Refuses a picture that is larger than these limits or not of the ``sizes``, by its header alone.
    ///
    /// Pictures that are decoded row by row may have ``streamedPixels``, others ``pixels``.
    ///
    /// - Throws: `too_many_pixels`, `filtered_size`.
    public func check(_ facts: ImageFacts) throws(CalotypeError) {
        try check(facts.storedSize, most: facts.needsWholePicture ? pixels : streamedPixels)
        try sizes.check(facts.storedSize)
    }

    /// Refuses `frames` of a size that have more than `most` pixels in total.
    func check(_ size: PixelSize, frames: Int = 1, most: Int) throws(CalotypeError) {
        guard size.pixelCount(of: frames) <= most else {
            let subject = frames == 1 ? "the image has" : "the animation has \(frames) frames of"
            throw CalotypeError(
                .tooManyPixels,
                "\(subject) \(size) pixels; the limit is \(most / 1_000_000) megapixels",
                stage: .probe
            )
        }
    }

    /// Refuses a source of more bytes than ``sourceBytes``.
    func check(_ source: EncodedSource) throws(CalotypeError) {
        guard source.count <= sourceBytes.bytes else {
            throw CalotypeError(
                .tooManyBytes,
                "the image has \(ByteCount(source.count)); the limit is \(sourceBytes)",
                stage: .probe
            )
        }
    }
}

extension Transform {
    /// Refuses a transform that exceeds `limits` for a picture with these `facts`, or a missing frame.
    ///
    /// - Throws: `too_many_pixels`, `invalid_request`.
    func check(_ facts: ImageFacts, _ limits: ImageLimits) throws(CalotypeError) {
        let frames = facts.frames ?? 1
        guard edits.frame == 0 || edits.frame < frames else {
            throw CalotypeError(
                .invalidRequest,
                "the request asks for frame \(edits.frame), but the image has \(frames), counted from 0",
                stage: .request
            )
        }
        let geometry = Geometry(self, of: facts)
        try limits.check(facts.storedSize, frames: edits.mostFrames, most: limits.streamedPixels)
        try limits.check(geometry.output, frames: edits.mostFrames, most: limits.pixels)
        try limits.check(geometry.kept.size, most: limits.pixels)
        if edits.looksAtAll { try limits.check(facts.storedSize, most: limits.pixels) }
        if edits.gravity == .attention, geometry.isCut {
            try limits.check(geometry.scaled, most: limits.pixels)
        }
    }
}

extension Transform {
    /// Refuses a transform that cannot produce a picture.
    ///
    /// - Throws: `invalid_request`.
    func validate() throws(CalotypeError) {
        if let outOfRange {
            throw CalotypeError(.invalidRequest, "the request asks for \(outOfRange)", stage: .request)
        }
    }
}
