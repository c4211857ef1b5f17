import CalotypeCodec
import CalotypeCore

/// What a request ends in: encoded, or as pixels.
indirect enum Picture: Sendable {
    case rendition(Rendition)
    case bitmap(Bitmap)

    /// What one decode made of one source.
    init(_ coded: CodedPicture, _ source: SourceReceipt) {
        switch coded.content {
        case .pixels(let bitmap): self = .bitmap(bitmap)
        case .encoded(let bytes, let format):
            var timings = source.timings
            timings.queue += coded.queued
            timings.decode = coded.decoding
            timings.encode = coded.encoding
            self = .rendition(
                Rendition(
                    bytes: bytes,
                    format: format,
                    size: coded.size,
                    source: coded.source,
                    sourceBytes: source.byteCount,
                    isVerbatim: coded.isVerbatim,
                    isPartial: coded.isPartial,
                    decoder: coded.decoder,
                    attempts: source.attempts,
                    timings: timings
                )
            )
        }
    }

    /// What it takes in memory.
    var byteCount: Int {
        switch self {
        case .rendition(let rendition): rendition.bytes.count
        case .bitmap(let bitmap): bitmap.rgba.count
        }
    }

    /// The rendition, of a request for one.
    var rendition: Rendition {
        guard case .rendition(let rendition) = self else { preconditionFailure("pixels for a rendition") }
        return rendition
    }

    /// The pixels, of a request for them.
    var bitmap: Bitmap {
        guard case .bitmap(let bitmap) = self else { preconditionFailure("a rendition for pixels") }
        return bitmap
    }
}
