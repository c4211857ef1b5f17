public import CalotypeCore
import TaskFlow

// Encoded pictures out of pixels.
extension VipsCodec {
    /// Encodes `bitmap`; transparency is laid on white for JPEG.
    public func encode(_ bitmap: Bitmap, as format: OutputFormat) async throws -> [UInt8] {
        if case .original = format {
            throw CalotypeError(.invalidRequest, "pixels have no original format", stage: .request)
        }
        let encoder = VipsEncoder(format, source: .png)
        return try await encode(bitmap, as: encoder.format, quality: encoder.quality)
    }

    /// Encodes `bitmap` as `format`, also as those that are no output format of a request; `quality` 1 to 100 is
    /// heeded by the lossy ones.
    ///
    /// - Throws: `encode_failed`; `CancellationError`.
    public func encode(
        _ bitmap: Bitmap,
        as format: ImageFormat,
        quality: Int = OutputFormat.defaultQuality,
        options: EncodeOptions = EncodeOptions()
    ) async throws -> [UInt8] {
        let encoder = VipsEncoder(format, quality: quality, options: options)
        return try await onCore(LivePriority()) { try await self.makeBytes(bitmap, encoder) }
    }

    @concurrent
    private func makeBytes(_ bitmap: Bitmap, _ encoder: VipsEncoder) async throws -> [UInt8] {
        try await admitted(bytes: min(bitmap.size.pixelCount, 1 << 40) * 5, LivePriority()) {
            try await withKillSwitch { killSwitch in
                let image = try encoder.explaining { () throws(VipsFailure) in
                    try VipsImage.copy(of: bitmap)
                }
                try killSwitch.guards(image)
                return try encoder.encode(image)
            }
        }
    }
}
