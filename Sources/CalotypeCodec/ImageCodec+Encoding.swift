public import CalotypeCore
import TaskFlow

// Encoded pictures out of pixels.
extension ImageCodec {
    /// Encodes `bitmap`; transparency is laid on white for JPEG.
    public func encode(_ bitmap: Bitmap, as format: OutputFormat) async throws -> [UInt8] {
        if case .original = format {
            throw CalotypeError(.invalidRequest, "pixels have no original format", stage: .request)
        }
        return try await encode(bitmap.size) { killSwitch throws in
            guard case .fastest = self.decoders else {
                return try VipsEncoder(format, source: .png).encode(bitmap, killSwitch)
            }
            return try FastEncoders.encode(bitmap, format, killSwitch)
        }
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
        return try await encode(bitmap.size) { killSwitch throws in
            try encoder.encode(bitmap, killSwitch)
        }
    }

    private func encode(
        _ size: PixelSize,
        _ body: @Sendable (KillSwitch) throws -> [UInt8]
    ) async throws -> [UInt8] {
        try await onCore(LivePriority()) { try await self.admitted(size, body) }
    }

    @concurrent
    private func admitted(
        _ size: PixelSize,
        _ body: @Sendable (KillSwitch) throws -> [UInt8]
    ) async throws -> [UInt8] {
        try await admitted(bytes: min(size.pixelCount, 1 << 40) * 5, LivePriority()) {
            try await withKillSwitch(limit: ImageLimits().decodeTime) { try body($0) }
        }
    }
}
