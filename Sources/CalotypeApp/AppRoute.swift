/// What the target of a request means to the app.
enum AppRoute: Hashable, Sendable {
    /// A file of the app's, by its path below `/app/`.
    case page(String)
    /// The API.
    case api

    /// Finds the way of `target`, the raw target of a request; `nil` for what is not the app's.
    init?(_ target: String) {
        let path = target.prefix { $0 != "?" && $0 != "#" }
        if path == "/app" || path.hasPrefix("/app/") {
            self = .page(String(path.dropFirst("/app/".count)))
        } else if path.hasPrefix("/api/") {
            self = .api
        } else {
            return nil
        }
    }
}
