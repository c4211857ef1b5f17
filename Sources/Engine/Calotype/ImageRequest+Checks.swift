import CalotypeCodec
package import CalotypeCore
import CalotypeHTTP

extension ImageRequest {
    /// Throws `invalid_request` unless sizes and quality are within their ranges.
    func validate() throws(CalotypeError) {
        if let value = transform.outOfRange { throw Self.invalid(value) }
        if let refused = output.refused(for: transform) { throw Self.invalid(refused) }
        switch output {
        case .jpeg(let quality), .progressiveJPEG(let quality), .webp(let quality), .avif(let quality),
            .heic(let quality), .jxl(let quality), .original(let quality):
            try Self.check(quality)
        case .suited(let rule):
            for quality in [rule.quality] + rule.qualities.values { try Self.check(quality) }
        case .png, .png16, .losslessWebP, .gif, .tiff, .custom: break
        }
    }

    private static func check(_ quality: Int) throws(CalotypeError) {
        guard !(1...100).contains(quality) else { return }
        throw invalid("a quality of \(quality), which must be 1 to 100")
    }

    private static func invalid(_ what: String) -> CalotypeError {
        CalotypeError(.invalidRequest, "the request asks for \(what)", stage: .request)
    }
}

extension ImageSource {
    /// The source's name in errors: a path, or a URL without credentials.
    package var displayName: String? {
        switch self {
        // Text that is not a URL has no name; the error says what is wrong with it.
        case .url(let text): (try? WebURL(text))?.text
        case .file(let path): path
        case .provided(let provider): provider.id
        case .bytes: nil
        }
    }
}

extension ImageLimits {
    /// Returns the length as a byte count, or throws `too_many_bytes` if it is above the limit.
    @discardableResult
    func check(_ length: Int) throws(CalotypeError) -> ByteCount {
        guard length <= sourceBytes.bytes else {
            throw CalotypeError(
                .tooManyBytes,
                "the image has \(ByteCount(length)) or more; the limit is \(sourceBytes)",
                stage: .body
            )
        }
        return ByteCount(length)
    }
}

extension ImageLimits {
    /// Whether a result made from this source under other limits is also allowed under these.
    func allow(_ facts: ImageFacts, _ bytes: ByteCount) -> Bool {
        guard bytes <= sourceBytes else { return false }
        do throws(CalotypeError) {
            try check(facts)
            return true
        } catch {
            return false
        }
    }
}
