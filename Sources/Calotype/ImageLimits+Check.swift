import CalotypeCore

extension ImageLimits {
    /// The length as a byte count; `too_many_bytes` when it is above the limit.
    @discardableResult
    func check(_ length: Int) throws(CalotypeError) -> ByteCount {
        guard length <= sourceBytes.bytes else {
            throw CalotypeError(
                .tooManyBytes,
                "the picture has \(ByteCount(length)) or more; the limit is \(sourceBytes)",
                stage: .body
            )
        }
        return ByteCount(length)
    }

    /// Throws `too_many_pixels` when the header tells more than the limit.
    func check(_ facts: ImageFacts) throws(CalotypeError) {
        guard facts.storedSize.pixelCount <= pixels else {
            throw CalotypeError(
                .tooManyPixels,
                "the picture has \(facts.size) pixels; the limit is \(pixels / 1_000_000) megapixels",
                stage: .probe
            )
        }
    }
}
