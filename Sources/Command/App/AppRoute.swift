/// What the target of a request means to the app.
enum AppRoute: Hashable, Sendable {
    /// A file of the app's, by its path below `/app/`.
    case page(String)
    /// The first page without the slash that its links need.
    case redirect
    /// What browsers ask for by themselves.
    case icon
    /// The API.
    case api

    private static let beginnings = ["/app", "/api", "/favicon.ico"]

    /// Finds the way of `target`, the raw target of a request; `nil` for what is not the app's.
    init?(_ target: String) {
        // Most targets are of thumbnails, whose server wants to answer at once.
        guard Self.beginnings.contains(where: { target.utf8.starts(with: $0.utf8) }) else { return nil }
        let path = target.prefix { $0 != "?" && $0 != "#" }
        if path.hasPrefix("/app/") {
            self = .page(String(path.dropFirst("/app/".count)))
        } else if path == "/app" {
            self = .redirect
        } else if path == "/favicon.ico" {
            self = .icon
        } else if path == "/api" || path.hasPrefix("/api/") {
            self = .api
        } else {
            return nil
        }
    }
}
