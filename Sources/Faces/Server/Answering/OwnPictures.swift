import Calotype
import CalotypeCore
import CalotypeDigests
import CalotypePlatform

/// The fallback image for sources that are unavailable.
public struct FallbackRules: Hashable, Sendable {
    /// The location of the image; none by default.
    public var place: PicturePlace?
    /// The status of responses with the fallback image, 200 by default; 0 for the status of the error.
    public var status = 200
    /// How long clients may cache it; `nil` for the same time as other images.
    public var timeToLive: Duration?

    /// Creates rules without a fallback image.
    public init() {}
}

/// The image used for watermarks.
public struct WatermarkRules: Hashable, Sendable {
    /// The location of the image; none by default.
    public var place: PicturePlace?

    /// Creates rules without a watermark image.
    public init() {}
}

/// The location of one of the server's own images.
public enum PicturePlace: Hashable, Sendable {
    /// The encoded image itself.
    case bytes([UInt8])
    /// A file.
    case file(path: String)
    /// A URL, which may have any address.
    case url(String)
}

/// The server's own images, loaded at startup: the fallback image and the watermark.
struct OwnPictures: Sendable {
    var fallback: EncodedPicture?
    var watermark: EncodedPicture?

    /// Creates a set without images.
    init() {}

    /// Loads the images that `configuration` names.
    ///
    /// - Throws: `CalotypeError` if a file cannot be read or a URL cannot be loaded.
    init(_ configuration: ServerConfiguration) async throws {
        fallback = try await Self.picture(configuration.fallback.place, configuration)
        watermark = try await Self.picture(configuration.watermark.place, configuration)
    }

    private static func picture(
        _ place: PicturePlace?,
        _ configuration: ServerConfiguration
    ) async throws -> EncodedPicture? {
        guard let place else { return nil }
        // The operator may name any address, because this image does not come from a visitor.
        var pipeline = PipelineConfiguration()
        pipeline.transport = configuration.pipeline.transport
        let data = try await withImagePipeline(pipeline) { pipeline in
            try await pipeline.data(for: ImageRequest(place.source))
        }
        let digest: Digest
        do { digest = try Digest(.sha256, of: data.bytes) } catch {
            throw CalotypeError(.storageFailed, error.description, stage: .request, cause: error)
        }
        return EncodedPicture(name: digest.hexadecimal, bytes: data.bytes)
    }
}

extension PicturePlace {
    fileprivate var source: ImageSource {
        switch self {
        case .bytes(let bytes): .bytes(bytes)
        case .file(let path): .file(path: path)
        case .url(let text): .url(text)
        }
    }
}
