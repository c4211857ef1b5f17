public import CalotypeCore
import CalotypeHTTPMessages
import TaskFlow

/// HTTP over libcurl: one thread for each address policy in use, pooled connections, HTTP/1.1 and HTTP/2.
///
/// Threads start with the first request that needs them, and end in ``shutdown()``; ``withCurlTransport(_:_:)`` sees to
/// that. Names are resolved by a few threads of its own, never by libcurl.
public final class CurlTransport: HTTPTransporting {
    /// What a transport holds at one moment; all zero after ``CurlTransport/shutdown()``, except running lookups.
    public struct Snapshot: Hashable, Sendable {
        /// The exchanges under way.
        public var transfers = 0
        /// The commands that a loop has not taken yet.
        public var queuedCommands = 0
        /// The sockets open, idle ones kept for reuse included.
        public var openConnections = 0
        /// The `getaddrinfo` calls that run; they cannot be stopped.
        public var runningLookups = 0
        /// The threads of loops.
        public var loops = 0
    }

    private struct State {
        var loops: [AddressPolicy: CurlLoop] = [:]
        var isClosed = false
    }

    private let configuration: CurlConfiguration
    private let resolver: NameResolver
    private let state = Guarded(State())
    /// Reads the files of bodies; its threads start with the first of them.
    private let disk = ThreadExecutor(name: "http-disk", threads: 2)

    /// Creates a transport that has no thread yet; whoever creates one calls ``shutdown()``.
    ///
    /// - Throws: `invalid_request` for a configuration that cannot be used.
    public init(_ configuration: CurlConfiguration = CurlConfiguration()) throws(CalotypeError) {
        try configuration.validate()
        self.configuration = configuration
        resolver = NameResolver(configuration)
    }

    /// What the transport holds now.
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

    /// Makes what ``CurlConfiguration/readyPolicies`` will need for all of the process' life.
    ///
    /// - Throws: `resource_shortage`; `CancellationError`.
    func prepare() async throws {
        guard !configuration.readyPolicies.isEmpty else { return }
        for policy in configuration.readyPolicies { _ = try loop(for: policy) }
        try startDisk()
        // The system's resolver loads its parts at the first look-up, and remembers those that it could not load. What the name
        // resolves to does not matter.
        _ = try? await resolver.addresses(of: "localhost", timeout: .seconds(1))
        try Task.checkCancellation()
    }

    /// Ends all exchanges with `pipeline_closed`, closes all connections, and returns when the threads are through.
    ///
    /// A second call changes nothing. Lookups that run end by themselves.
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

    /// Sends `request` and gives the answer to `body`; one hop, redirects are not followed.
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

    /// Resolves the name of the request's host, or of the proxy, and holds the addresses against the policy.
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
                "the system gives no thread for the disk",
                stage: .request,
                cause: error
            )
        }
    }

    /// Makes the exchange of a request; resolves the name unless that is done.
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

    /// Whom to connect to.
    private func connectionTarget(of request: HTTPRequest) -> WebURL { configuration.proxy ?? request.url }

    /// The addresses to connect to, held against the policy; `nil` where the host is an address itself.
    private func resolution(for request: HTTPRequest) async throws -> NameResolver.Resolution? {
        let target = connectionTarget(of: request)
        guard target.address == nil else { return nil }
        let start = ContinuousClock.now
        let addresses = try await resolver.addresses(of: target.host, timeout: request.timeouts.connect)
        if configuration.proxy == nil { try request.addressPolicy.check(addresses, of: target.host) }
        return NameResolver.Resolution(addresses: addresses, duration: .now - start)
    }

    /// What hands the addresses to libcurl; the plus sign makes the entry expire, so that libcurl does not keep them all.
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

    /// The error of a request that comes after the end, or that the end cut off.
    static var closedError: CalotypeError {
        CalotypeError(.pipelineClosed, "the transport has been shut down", stage: .request)
    }
}

/// Runs `body` with a transport, and returns when its threads have ended and its connections are closed.
///
/// - Throws: `invalid_request` for a configuration that cannot be used, `resource_shortage` where it cannot be made ready, and what
///   `body` throws.
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
    /// The HTTP proxy that all requests go through; none by default, whatever the environment says.
    ///
    /// A proxy resolves the origins' names, so that an ``AddressPolicy`` can only be applied to hosts that are addresses;
    /// the proxy itself may have any address.
    public var proxy: WebURL?
    /// A file of PEM certificates that are trusted instead of the system's.
    public var certificateFile: String?
    /// What the transport calls itself; ``defaultUserAgent`` by default.
    public var userAgent = CurlConfiguration.defaultUserAgent
    /// The most idle connections kept for reuse, for each address policy: 64.
    public var idleConnections = 64
    /// The most threads that resolve names for callers who wait: 64; a thread ends when there is no name left.
    ///
    /// Each looks one name up at a time, and a name that hangs keeps it for as long as the system tries. Up to three times as many
    /// more may run lookups whose callers have left.
    public var resolverThreads = 64
    /// How long a name's addresses are remembered: 60 s.
    public var nameLifetime = Duration.seconds(60)
    /// How long it is remembered that a name could not be resolved: 2 s.
    public var failedNameLifetime = Duration.seconds(2)

    /// The address policies that a scope prepares for at its start; none by default.
    ///
    /// ``withCurlTransport(_:_:)`` makes their threads and descriptors at once; those of others are made with their first request.
    /// A server names those that it will need, so that its clients cannot take what its loads depend on.
    public var readyPolicies: [AddressPolicy] = []

    /// `Calotype/VERSION libcurl/VERSION`.
    public static let defaultUserAgent = "Calotype/0.1 libcurl/\(CurlLibrary.version)"

    /// Creates the default configuration.
    public init() {}

    /// Throws `invalid_request` for a user agent that would smuggle in a header.
    func validate() throws(CalotypeError) {
        _ = try CalotypeError.translating { () throws(HTTPMessageError) in
            try HeaderField(checking: "User-Agent", userAgent)
        }
        if certificateFile?.utf8.contains(0) == true {
            throw CalotypeError(.invalidRequest, "the certificate file's name has a NUL", stage: .request)
        }
    }
}
