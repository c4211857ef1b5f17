public import CalotypeCodec
public import CalotypeCore
import CalotypeSamplePictures

/// Photograph-like pictures, drawn and encoded by our own code.
///
/// Equal seeds give equal pictures.
public enum DrawnPicture: Sendable {
    /// Draws and encodes a picture.
    ///
    /// - Parameters:
    ///   - size: Width and height in pixels.
    ///   - format: The format to encode it in.
    ///   - seed: The source of all random choices.
    ///   - options: Progressive, subsampling and the like.
    ///   - codec: The codec that encodes it; a temporary one when `nil`.
    /// - Returns: The encoded picture.
    /// - Throws: `encode_failed`, `decoder_unavailable`; `CancellationError`.
    public static func encoded(
        _ size: PixelSize,
        as format: ImageFormat = .jpeg,
        seed: UInt64 = 1,
        options: EncodeOptions = EncodeOptions(),
        codec: ImageCodec? = nil
    ) async throws -> [UInt8] {
        let bitmap = SamplePicture(seed: seed, size: size).draw()
        if let codec { return try await codec.encode(bitmap, as: format, options: options) }
        return try await withImageCodec { try await $0.encode(bitmap, as: format, options: options) }
    }
}
