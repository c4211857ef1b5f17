import CalotypeCore
import Testing

@testable import CalotypeServer

/// Reads paths for tests.
enum Reading {
    static let watermark = EncodedPicture(name: "mark", bytes: [1, 2, 3])

    /// Reads a whole target.
    static func thumbnail(
        _ target: String,
        now: Int = 1_000,
        hints: ClientHints = .none,
        _ configure: (inout PathConfiguration) throws -> Void = { _ in }
    ) throws -> ThumbnailRequest {
        var configuration = PathConfiguration()
        configuration.watermark = watermark
        try configure(&configuration)
        return try PathReader(configuration).thumbnail(target, now: now, hints: hints)
    }

    /// Reads options before a plain source.
    static func options(
        _ options: String,
        _ configure: (inout PathConfiguration) throws -> Void = { _ in }
    ) throws -> ThumbnailRequest {
        try thumbnail("/_/\(options)/plain/http://h/a.jpg", configure)
    }

    /// Why a target is refused; `nil` where it is not.
    static func refusal(
        _ target: String,
        now: Int = 1_000,
        _ configure: (inout PathConfiguration) throws -> Void = { _ in }
    ) throws -> ServerError? {
        do {
            _ = try thumbnail(target, now: now, configure)
            return nil
        } catch let refusal as ServerError {
            return refusal
        }
    }
}
