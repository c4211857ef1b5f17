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
}
