public import CalotypeCore
import CalotypeHTTPMessages
import TaskFlow

/// HTTP over libcurl: one thread for each address policy in use, pooled connections, HTTP/1.1 and HTTP/2.
///
/// Threads start with the first request that needs them, and end in ``shutdown()``, which
/// ``withCurlTransport(_:_:)`` calls. The transport resolves names on a few threads of its own; libcurl never
/// does.
public final class CurlTransport: HTTPTransporting {
    /// The transport's resources at one moment.
    ///
    /// All are zero after ``CurlTransport/shutdown()``, except running lookups.
    public struct Snapshot: Hashable, Sendable {
        /// The number of exchanges in progress.
        public var transfers = 0
        /// The number of commands that no loop has taken yet.
        public var queuedCommands = 0
        /// The number of open sockets, including idle ones for reuse.
        public var openConnections = 0
        /// The number of `getaddrinfo` calls in progress, which cannot be stopped.
        public var runningLookups = 0
        /// The number of loop threads.
        public var loops = 0
    }

    private struct State {
        var loops: [AddressPolicy: CurlLoop] = [:]
        var isClosed = false
    }

    private let configuration: CurlConfiguration
    private let resolver: NameResolver
    private let state = Guarded(State())
    /// Reads the files of request bodies.
    ///
    /// Its threads start with the first such file.
    private let disk = ThreadExecutor(name: "http-disk", threads: 2)

    /// Creates a transport, which starts no thread yet.
    ///
    /// Its owner must call ``shutdown()``.
    ///
    /// - Throws: `invalid_request` if the configuration cannot be used.
    public init(_ configuration: CurlConfiguration = CurlConfiguration()) throws(CalotypeError) {
        try configuration.validate()
        self.configuration = configuration
        resolver = NameResolver(configuration)
    }

    /// The resources that the transport holds now.
    public var snapshot: Snapshot {
        var sum = Snapshot(runningLookups: resolver.runningLookups)
        for loop in state.withLock({ Array($0.loops.values) }) {
            let part = loop.snapshot
            sum.transfers += part.transfers
            sum.queuedCommands += part.queuedCommands
            sum.openConnections += part.openConnections
            sum.loops += 1
        }
        return sum
    }

    /// Creates everything that ``CurlConfiguration/readyPolicies`` will need while the process lives.
    ///
    /// - Throws: `resource_shortage`; `CancellationError`.
    func prepare() async throws {
        guard !configuration.readyPolicies.isEmpty else { return }
        for policy in configuration.readyPolicies { _ = try loop(for: policy) }
        try startDisk()
        // The system's resolver loads its parts on the first lookup, and remembers those that failed to load.
        // The result of this lookup does not matter.
        _ = try? await resolver.addresses(of: "localhost", timeout: .seconds(1))
        try Task.checkCancellation()
    }

    /// Ends all exchanges with `pipeline_closed`, closes all connections, and waits for the threads to end.
    ///
    /// A second call has no effect. Running lookups continue until the system returns.
    public func shutdown() async {
        let loops = state.withLock { state in
            state.isClosed = true
            return Array(state.loops.values)
        }
        resolver.close()
        for loop in loops { await loop.stop() }
        await disk.shutdown()
        state.withLock { $0.loops = [:] }
    }

    /// Sends `request` and passes the response to `body`; one hop only, without following redirects.
    public func withResponse<Output: Sendable>(
        to request: HTTPRequest,
        _ body: (HTTPResponse) async throws -> Output
    ) async throws -> Output {
        do {
            try Task.checkCancellation()
            let transfer = try await prepare(request)
            guard request.body.needsFiles else { return try await perform(transfer, body) }
            return try await performReading(transfer, body)
        } catch let error as CalotypeError {
            throw error.at(request.url.text)
        }
    }

    /// Resolves the request's host or the proxy's, and checks the addresses against the policy.
    public func resolved(_ request: HTTPRequest) async throws -> HTTPRequest {
        do {
            try request.checkAddress()
            var request = request
            request.resolution = try await resolution(for: request)
            return request
        } catch let error as CalotypeError {
            throw error.at(request.url.text)
        }
    }

    private func perform<Output: Sendable>(
        _ transfer: Transfer,
        _ body: (HTTPResponse) async throws -> Output
    ) async throws -> Output {
        transfer.start()
        do {
            let head = try await transfer.head()
            let response = HTTPResponse(
                url: transfer.request.url,
                body: BodyStream(source: transfer),
                head: head
            )
            let output = try await body(response)
            await transfer.end()
            return output
        } catch {
            await transfer.end()
            throw error
        }
    }

    /// Performs an exchange while a child task reads the files of the request's body.
    private func performReading<Output: Sendable>(
        _ transfer: Transfer,
        _ body: (HTTPResponse) async throws -> Output
    ) async throws -> Output {
        try startDisk()
        let parts = transfer.request.body
        let reader = try await disk.run { try BodyReader(parts) }
        return try await withThrowingTaskGroup { group in
            group.addTask(name: "body") { [disk] in await transfer.feed(reader, on: disk) }
            return try await perform(transfer, body)
        }
    }

    private func startDisk() throws(CalotypeError) {
        do {
            try disk.start()
        } catch {
            throw CalotypeError(
                .fileNotReadable,
                "no thread could be created for the disk",
                stage: .request,
                cause: error
            )
        }
    }

    /// Creates the exchange for a request, and resolves the name if that has not been done.
    private func prepare(_ request: HTTPRequest) async throws -> Transfer {
        let loop = try loop(for: request.addressPolicy)
        try request.checkBody()
        let request = request.resolution == nil ? try await resolved(request) : request
        return Transfer(
            request,
            resolution: request.resolution.map {
                Self.curlEntry(for: connectionTarget(of: request), $0.addresses)
            },
            dns: request.resolution?.duration ?? .zero,
            loop: loop
        )
    }

    /// The request's proxy if it has one, otherwise its own URL.
    private func connectionTarget(of request: HTTPRequest) -> WebURL {
        configuration.proxies.proxy(for: request.url) ?? request.url
    }

    /// Returns the addresses to connect to, checked against the policy; `nil` if the host is an address.
    private func resolution(for request: HTTPRequest) async throws -> NameResolver.Resolution? {
        let target = connectionTarget(of: request)
        guard target.address == nil else { return nil }
        let start = ContinuousClock.now
        let addresses = try await resolver.addresses(of: target.host, timeout: request.timeouts.connect)
        let isProxy = configuration.proxies.proxy(for: request.url) != nil
        if !isProxy { try request.addressPolicy.check(addresses, of: target.host) }
        return NameResolver.Resolution(addresses: addresses, duration: .now - start, isProxy: isProxy)
    }

    /// Formats the addresses for libcurl.
    ///
    /// The plus sign lets the entry expire, so that libcurl does not collect entries.
    private static func curlEntry(for target: WebURL, _ addresses: [IPAddress]) -> String {
        let list = addresses.map { $0.family == .v6 ? "[\($0)]" : "\($0)" }.joined(separator: ",")
        return "+\(target.host):\(target.port):\(list)"
    }

    private func loop(for policy: AddressPolicy) throws(CalotypeError) -> CurlLoop {
        try state.withLock { state throws(CalotypeError) in
            guard !state.isClosed else { throw Self.closedError }
            if let loop = state.loops[policy] { return loop }
            let loop = try CurlLoop(configuration)
            state.loops[policy] = loop
            return loop
        }
    }

    /// The error for a request that shutdown aborts or that arrives later.
    static var closedError: CalotypeError {
        CalotypeError(.pipelineClosed, "the transport has been shut down", stage: .request)
    }
}

/// Runs `body` with a transport, and returns when its threads have ended and its connections are closed.
///
/// - Throws: `invalid_request` if the configuration cannot be used, `resource_shortage` if the transport
///   cannot be prepared, and any error from `body`.
public func withCurlTransport<Output>(
    _ configuration: CurlConfiguration = CurlConfiguration(),
    _ body: (CurlTransport) async throws -> Output
) async throws -> Output {
    let transport = try CurlTransport(configuration)
    do {
        try await transport.prepare()
        let output = try await body(transport)
        await transport.shutdown()
        return output
    } catch {
        await transport.shutdown()
        throw error
    }
}

/// How a transport reaches the network.
public struct CurlConfiguration: Sendable {
    /// The HTTP proxies; none by default, even if the environment names some.
    public var proxies = ProxyRules.none
    /// A file of PEM certificates to trust instead of the system's.
    public var certificateFile: String?
    /// The `User-Agent` to send; ``defaultUserAgent`` by default.
    public var userAgent = CurlConfiguration.defaultUserAgent
    /// The maximum number of idle connections per address policy that stay open for reuse: 64.
    public var idleConnections = 64
    /// The maximum number of threads that resolve names for waiting callers: 64.
    ///
    /// A thread ends when no name is left. Each thread looks up one name at a time, and a name that hangs
    /// occupies the thread for as long as the system tries. Up to three times as many additional threads may
    /// run lookups that no caller waits for.
    public var resolverThreads = 64
    /// How long a name's addresses stay in the cache: 60 s.
    public var nameLifetime = Duration.seconds(60)
    /// How long a failure to resolve a name stays in the cache: 2 s.
    public var failedNameLifetime = Duration.seconds(2)

    /// The address policies to prepare when a scope starts; none by default.
    ///
    /// ``withCurlTransport(_:_:)`` creates the threads and descriptors of these policies immediately; other
    /// policies get theirs with their first request. A server names the policies that it will need, so that
    /// its clients cannot use up the resources that its loads depend on.
    public var readyPolicies: [AddressPolicy] = []

    /// `Calotype/VERSION libcurl/VERSION`.
    public static let defaultUserAgent = "Calotype/0.1 libcurl/\(CurlLibrary.version)"

    /// Creates the default configuration.
    public init() {}

    /// Throws `invalid_request` if the user agent would inject a header field.
    func validate() throws(CalotypeError) {
        _ = try CalotypeError.translating { () throws(HTTPMessageError) in
            try HeaderField(checking: "User-Agent", userAgent)
        }
        if certificateFile?.utf8.contains(0) == true {
            throw CalotypeError(.invalidRequest, "the certificate file's name has a NUL", stage: .request)
        }
    }
}
