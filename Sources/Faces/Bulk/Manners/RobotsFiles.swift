internal import CalotypeCore
internal import CalotypeHTTP
internal import CalotypeStore
internal import TaskFlow

/// The `robots.txt` files of hosts (RFC 9309): each is requested once, and then kept for a day.
final class RobotsFiles: Sendable {
    /// A host's answer.
    private struct File: Sendable {
        let rules: RobotsRules
        /// Why the host allows nothing, if it is not its file that says so.
        var refusal: String?
    }

    /// Whether a request for a `robots.txt` is in progress, which needs no permission.
    @TaskLocal static var isReading = false

    private static let lifetime = Duration.seconds(86_400)
    /// How long a host that answered 500 or similar is left alone.
    private static let refusalLifetime = Duration.seconds(600)

    private let client: HTTPClient
    private let product: String
    private let addressPolicy: AddressPolicy
    private let files = MemoryCache<WebURL.Origin, File>(
        limits: MemoryCacheLimits(bytes: .mebibytes(32), count: 20_000)
    ) { ByteCount($0.rules.cost) }
    private let flights: Coalescer<WebURL.Origin, File>
    private let onDelay: @Sendable (WebURL, Duration) -> Void

    /// Creates an empty collection.
    ///
    /// - Parameters:
    ///   - client: Requests the files.
    ///   - scope: Owns the requests.
    ///   - product: The crawler's product token.
    ///   - addressPolicy: The addresses that may be connected to.
    ///   - onDelay: Receives the `Crawl-delay` of a host, before anything is requested from it.
    init(
        _ client: HTTPClient,
        scope: TaskScope,
        product: String,
        addressPolicy: AddressPolicy,
        onDelay: @escaping @Sendable (WebURL, Duration) -> Void
    ) {
        self.client = client
        self.product = product
        self.addressPolicy = addressPolicy
        self.onDelay = onDelay
        flights = Coalescer(scope: scope, name: "robots.txt")
    }

    /// Waits for the file of the URL's host, and throws if it does not allow the URL.
    ///
    /// - Throws: `disallowed_by_robots`; the error of the request if the host cannot be reached or is busy;
    ///   `CancellationError`.
    func check(_ url: WebURL) async throws {
        guard !Self.isReading else { return }
        let file = try await file(for: url)
        guard !file.rules.allows(url.target) else { return }
        throw CalotypeError(
            .disallowedByRobots,
            file.refusal ?? "robots.txt of \(url.host) disallows it",
            stage: .request,
            url: url.text
        )
    }

    private func file(for url: WebURL) async throws -> File {
        if let file = files.value(for: url.origin) { return file }
        return try await flights.value(for: url.origin) { [self] _ in
            if let file = files.value(for: url.origin) { return file }
            let file = try await Self.$isReading.withValue(true) { try await load(url) }
            let lifetime = file.refusal == nil ? Self.lifetime : Self.refusalLifetime
            files.replaceValue(file, for: url.origin, timeToLive: lifetime)
            if let delay = file.rules.crawlDelay { onDelay(url, delay) }
            return file
        }
    }

    /// Requests the file (RFC 9309, section 2.3.1).
    private func load(_ url: WebURL) async throws -> File {
        var request = HTTPRequest(try url.resolving("/robots.txt"), addressPolicy: addressPolicy)
        request.acceptsCompressed = true
        request.timeouts.total = .seconds(30)
        do {
            return try await client.withResponse(to: request) { try await read($0) }
        } catch let error as CalotypeError where [.tooManyRedirects, .invalidRedirect].contains(error.code) {
            return File(rules: .none)
        }
    }

    private func read(_ response: HTTPResponse) async throws -> File {
        switch response.status {
        case 200..<300:
            var bytes: [UInt8] = []
            for try await chunk in response.body {
                bytes += chunk
                if bytes.count > RobotsRules.limit + 3 { break }
            }
            return File(rules: RobotsRules(bytes, product: product))
        // A busy host has not answered yet.
        case 429, 503:
            throw CalotypeError(
                .http(status: response.status),
                "the host answered the request for robots.txt with \(response.status)",
                stage: .response
            )
        case 400..<500: return File(rules: .none)
        default:
            let refusal = "robots.txt of \(response.url.host) could not be read: status \(response.status)"
            return File(
                rules: RobotsRules("User-agent: *\nDisallow: /".utf8, product: product),
                refusal: refusal
            )
        }
    }
}

extension WebURL {
    /// The path and query.
    fileprivate var target: String {
        let rest = text.dropFirst(scheme.rawValue.count + 3)
        guard let start = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
        return rest[start] == "/" ? String(rest[start...]) : "/" + rest[start...]
    }
}
