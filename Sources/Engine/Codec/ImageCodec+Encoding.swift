public import CalotypeCore
import TaskFlow

// Encoded pictures out of pixels.
extension ImageCodec {
    /// Encodes `bitmap`; transparency is laid on white for JPEG.
    public func encode(_ bitmap: Bitmap, as format: OutputFormat) async throws -> [UInt8] {
        switch format {
        case .original, .suited:
            throw CalotypeError(.invalidRequest, "pixels have no original format", stage: .request)
        case .jpeg, .png, .webp, .avif, .heic, .gif, .tiff: break
        }
        return try await encode(bitmap, .output(format))
    }

    /// Encodes `bitmap` as `format`, also as those that are no output format of a request; `quality` 1 to 100 is
    /// heeded by the lossy ones.
    ///
    /// - Throws: `encode_failed`, `decoder_crashed`; `CancellationError`.
    public func encode(
        _ bitmap: Bitmap,
        as format: ImageFormat,
        quality: Int = OutputFormat.defaultQuality,
        options: EncodeOptions = EncodeOptions()
    ) async throws -> [UInt8] {
        try await encode(bitmap, .library(format, quality: quality, options))
    }

    private func encode(_ bitmap: Bitmap, _ encoding: BitmapEncoding) async throws -> [UInt8] {
        try await onCore(LivePriority()) { try await self.admitted(bitmap, encoding) }
    }

    @concurrent
    private func admitted(_ bitmap: Bitmap, _ encoding: BitmapEncoding) async throws -> [UInt8] {
        // The pixels and the encoded bytes; on their way to a worker, the pixels once more here and twice there.
        let pixelBytes = decoders.isolated == nil ? 5 : 17
        return try await admitted(bytes: min(bitmap.size.pixelCount, 1 << 40) * pixelBytes, LivePriority()) {
            try await withKillSwitch(limit: ImageLimits().decodeTime) { killSwitch in
                try self.decoders.encode(bitmap, encoding, killSwitch)
            }
        }
    }
}
