import Calotype
import CalotypeCore
import CalotypeDigests
import Glibc

/// The picture in the place of one that cannot be had.
public struct FallbackRules: Hashable, Sendable {
    /// Where it is; none by default.
    public var place: PicturePlace?
    /// The status of answers that have it, 200 by default; 0 for that of the error.
    public var status = 200
    /// How long it may be kept; as long as any picture where `nil`.
    public var timeToLive: Duration?

    /// No picture.
    public init() {}
}

/// The picture that watermarks are.
public struct WatermarkRules: Hashable, Sendable {
    /// Where it is; none by default.
    public var place: PicturePlace?

    /// No picture.
    public init() {}
}

/// Where a picture of the server's own is.
public enum PicturePlace: Hashable, Sendable {
    /// The encoded picture itself.
    case bytes([UInt8])
    /// A file.
    case file(path: String)
    /// A URL, whatever address it has.
    case url(String)
}

/// The pictures of the server's own, loaded before it serves: the fallback image and the watermark.
struct OwnPictures: Sendable {
    var fallback: EncodedPicture?
    var watermark: EncodedPicture?

    /// None.
    init() {}

    /// Loads what `configuration` names.
    ///
    /// - Throws: `CalotypeError`: a file that cannot be read, a URL that cannot be loaded.
    init(_ configuration: ServerConfiguration) async throws {
        fallback = try await Self.picture(configuration.fallback.place, configuration)
        watermark = try await Self.picture(configuration.watermark.place, configuration)
    }

    private static func picture(
        _ place: PicturePlace?,
        _ configuration: ServerConfiguration
    ) async throws -> EncodedPicture? {
        guard let place else { return nil }
        // Whoever sets up the server may name any address, and the picture is not that of a visitor.
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
