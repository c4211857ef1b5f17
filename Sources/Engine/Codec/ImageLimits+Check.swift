public import CalotypeCore

extension ImageLimits {
    /// Refuses a picture that is larger than these limits, by its header alone.
    ///
    /// Pictures that are decoded row by row may have ``streamedPixels``, others ``pixels``.
    ///
    /// - Throws: `too_many_pixels`.
    public func check(_ facts: ImageFacts) throws(CalotypeError) {
        try check(facts.storedSize, most: facts.needsWholePicture ? pixels : streamedPixels)
    }

    /// Refuses a size of more than `most` pixels.
    func check(_ size: PixelSize, most: Int) throws(CalotypeError) {
        guard size.pixelCount <= most else {
            throw CalotypeError(
                .tooManyPixels,
                "the picture has \(size) pixels; the limit is \(most / 1_000_000) megapixels",
                stage: .probe
            )
        }
    }

    /// Refuses a source of more bytes than ``sourceBytes``.
    func check(_ source: EncodedSource) throws(CalotypeError) {
        guard source.count <= sourceBytes.bytes else {
            throw CalotypeError(
                .tooManyBytes,
                "the picture has \(ByteCount(source.count)), more than \(sourceBytes)",
                stage: .probe
            )
        }
    }
}
