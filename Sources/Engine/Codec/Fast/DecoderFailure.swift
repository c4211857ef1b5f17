import CalotypeCore

/// What a decoder of the fast path said of a source that it gave up.
struct DecoderFailure: Error, CustomStringConvertible {
    let description: String
}

extension CalotypeError {
    /// The error of a source in `format`, such as "PNG", that is damaged; `reason` is the decoder's.
    static func damaged(_ format: String, _ reason: String) -> CalotypeError {
        CalotypeError(
            .corruptImage,
            "the \(format) is damaged: \(reason)",
            stage: .decode,
            cause: DecoderFailure(description: reason)
        )
    }

    /// The error of a source in `format` that ends early, as its decoder says.
    static func cut(_ format: String, _ reason: String) -> CalotypeError {
        CalotypeError(
            .truncatedImage,
            "the \(format) ends before it is complete: \(reason)",
            stage: .decode,
            cause: DecoderFailure(description: reason)
        )
    }
}
