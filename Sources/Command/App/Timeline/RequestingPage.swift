import CalotypeHTTPListener
import CalotypeHTTPMessages

/// The page of the app that a request comes from, by the request's `Referer` (RFC 9110, section 10.1.3).
enum RequestingPage {
    /// The page of the request that the current task handles; `nil` if it came from none.
    @TaskLocal static var current: String?

    private static let longest = 20

    /// The name of the page, such as `search`; `overview` for the first one.
    static func name(of request: IncomingRequest) -> String? {
        guard let referrer = request.headers["Referer"], let scheme = referrer.firstRange(of: "://") else {
            return nil
        }
        let path = referrer[scheme.upperBound...].drop { $0 != "/" }
        guard path.hasPrefix("/app/") else { return nil }
        let name = path.dropFirst("/app/".count).prefix { $0 != "/" && $0 != "?" }
        guard !name.isEmpty, name != "index.html" else { return "overview" }
        let isKnown = name.count <= longest && name.utf8.allSatisfy { (0x61...0x7A).contains($0) }
        return isKnown ? String(name) : nil
    }
}
