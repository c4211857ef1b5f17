public import Calotype
internal import CalotypeCore
internal import CalotypeHTTP
internal import TaskFlow

/// The manners of a run towards hosts: it follows `robots.txt`, respects what responses say about their use,
/// and paces its requests.
///
/// Prepare a pipeline's configuration with ``apply(to:)``, and pass the manners to the job in
/// ``FetchOptions/manners``.
public final class HostManners: Sendable {
    /// What a run respects.
    public struct Options: Hashable, Sendable {
        /// Whether to follow `robots.txt` (RFC 9309) and its `Crawl-delay`; `true` by default.
        public var followsRobots = true
        /// The directives of `X-Robots-Tag` that refuse a source; a `TDM-Reservation` of 1 does as well.
        ///
        /// By default `noai`, `noimageai`, `noindex` and `noimageindex`; an empty set ignores both fields.
        public var refusedDirectives = defaultDirectives
        /// The pace of requests to each host.
        public var pace = PacePolicy()
        /// Whether hosts with the same address share their limits; `false` by default.
        public var groupsByAddress = false

        /// Creates the default options.
        public init() {}

        /// The directives that refuse a source by default.
        public static let defaultDirectives: Set<String> = ["noai", "noimageai", "noindex", "noimageindex"]
    }

    private struct State {
        var robots: RobotsFiles?
        var entries: WaitingEntries?
    }

    private let options: Options
    private let product: String
    private let addressPolicy: AddressPolicy
    private let clock: any Clock<Duration>
    private let state = Guarded(State())

    /// Creates manners for a pipeline with this configuration, whose `User-Agent` names the crawler.
    public init(_ options: Options = Options(), for configuration: PipelineConfiguration) {
        self.options = options
        product = RobotsRules.product(of: configuration.transport.userAgent)
        addressPolicy = configuration.addressPolicy
        clock = configuration.clock
    }

    /// The pace, with a first request alone if it tells the host's wishes.
    var pace: PacePolicy {
        var pace = options.pace
        pace.startsAlone = pace.startsAlone || options.followsRobots
        return pace
    }

    /// Makes a pipeline ask here before each request and after each response's head.
    ///
    /// The pipeline no longer retries failures of busy and unreachable hosts: the job does, at its pace.
    public func apply(to configuration: inout PipelineConfiguration) {
        configuration.retriesBusyHosts = false
        configuration.admit = { [self] url, redirects in try await admit(url, redirects) }
        let directives = UseDirectives(refused: options.refusedDirectives, product: product.lowercased())
        configuration.inspect = { [self] response throws(CalotypeError) in
            if options.pace.probes, response.status < 300 {
                entries?.measure(response.url.hostAndPort, response.timings.firstByte)
            }
            guard !options.refusedDirectives.isEmpty, let words = directives.refusal(in: response.headers)
            else { return }
            throw CalotypeError(
                .disallowedByRobots,
                "the response says \(words)",
                stage: .response,
                url: response.url.text
            )
        }
    }

    /// Runs `body`, in which requests of `pipeline` follow `robots.txt`.
    ///
    /// Before and after it, everything is admitted: a list's own URL is the user's choice.
    public func following<Output>(
        in pipeline: ImagePipeline,
        _ body: () async throws -> Output
    ) async throws -> Output {
        guard options.followsRobots else { return try await body() }
        let files = RobotsFiles(
            pipeline.client,
            scope: pipeline.scope,
            product: product,
            addressPolicy: addressPolicy,
            onDelay: { [weak self] url, delay in self?.entries?.ask(url.hostAndPort, for: delay) }
        )
        state.withLock { $0.robots = files }
        // The pipeline holds the manners.
        defer { state.withLock { $0.robots = nil } }
        return try await body()
    }

    /// Paces the entries of a run until `body` returns.
    func pacing<Output>(_ entries: WaitingEntries, _ body: () async -> Output) async -> Output {
        state.withLock { $0.entries = entries }
        defer { state.withLock { $0.entries = nil } }
        return await body()
    }

    /// Lets the host of an entry share the limits of others with the same address; `false` if the entry waits again.
    ///
    /// - Throws: `CancellationError`.
    func admits(_ item: ListItem, of entries: WaitingEntries, in pipeline: ImagePipeline) async throws -> Bool
    {
        guard options.groupsByAddress else { return true }
        return try await entries.join(item) {
            guard let url = try? WebURL(item.url) else { return nil }
            let request = HTTPRequest(url, addressPolicy: addressPolicy)
            do {
                return try await pipeline.client.address(for: request).map { "\($0)" }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // The load fails with the same error.
                return nil
            }
        }
    }

    private var entries: WaitingEntries? { state.withLock { $0.entries } }

    private func admit(_ url: WebURL, _ redirects: Int) async throws {
        try await state.withLock { $0.robots }?.check(url)
        // The first request of an entry has taken its place when the entry began.
        guard redirects > 0, !RobotsFiles.isReading, let wait = entries?.takePlace(at: url.hostAndPort) else {
            return
        }
        if wait > .zero { try await clock.sleep(for: wait) }
    }
}

extension WebURL {
    /// The host as entries of a list are grouped: with the port, unless it is the scheme's own.
    fileprivate var hostAndPort: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == (scheme == .http ? 80 : 443) ? host : "\(host):\(port)"
    }
}
