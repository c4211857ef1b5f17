import CalotypeBulk
import CalotypeCore

/// What has become of a picture of a wall, as the API tells it.
struct WallEntry: Encodable, Sendable {
    let index: Int
    let url: String
    let status: String
    /// The path of the picture on this server.
    var src: String?
    var width: Int?
    var height: Int?
    var bytes: Int?
    var milliseconds: Double?
    var cache: String?
    /// Why there is none.
    var code: String?
    var message: String?

    init(_ outcome: FetchOutcome, _ wall: Wall) throws {
        index = outcome.index
        url = outcome.url
        status = outcome.status.rawValue
        code = outcome.code?.rawValue
        message = outcome.message
        guard outcome.status == .ok else { return }
        src = try wall.path(toPicture: index)
        width = outcome.size?.width
        height = outcome.size?.height
        bytes = outcome.bytes?.bytes
        milliseconds = outcome.timings.map { ($0.total / .milliseconds(0.1)).rounded() / 10 }
        cache = outcome.cache?.rawValue
    }
}
