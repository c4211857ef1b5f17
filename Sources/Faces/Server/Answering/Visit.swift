import CalotypeHTTP
import CalotypeHTTPListener

/// A request with what is found out about it once.
struct Visit: Sendable {
    let request: IncomingRequest
    /// The name by which the log and the client speak of it.
    let id: String
    /// When it came, by the clock on the wall.
    let moment: WallTime

    /// Whether errors are wanted as JSON.
    var wantsJSON: Bool {
        request.headers.values(of: "Accept").contains { $0.lowercased().firstRange(of: "json") != nil }
    }
}
