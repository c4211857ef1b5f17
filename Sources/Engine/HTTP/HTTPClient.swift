import CalotypeCore
import CalotypeHTTPMessages
public import TaskFlow

/// Sends requests and follows redirects, with limits on connections in total and per origin.
///
/// A name is resolved before the client waits for any permit. Permits are taken in this order: origin,
/// connection, and then those that the caller of ``withConnection(for:priority:onStep:_:)`` takes. All are
/// released before a redirect is followed, so that no caller ever waits for permits out of order.
public final class HTTPClient: Sendable {
    /// The limits of a client.
    public struct Limits: Hashable, Sendable {
        /// The maximum number of exchanges at a time, 64.
        ///
        /// A quarter is reserved for work of at least normal priority.
        public var connections = 64
        /// The maximum number of exchanges at a time with one origin (scheme, host and port), 8.
        ///
        /// A quarter is reserved for work of at least normal priority.
        public var connectionsPerHost = 8
        /// The maximum number of redirects to follow, 10; more fail with `too_many_redirects`.
        public var redirects = 10

        /// Creates the default limits.
        public init() {}
    }

    /// The state of a client at one moment; all zero when the client is idle.
    public struct Snapshot: Hashable, Sendable {
        /// The number of exchanges that wait for name resolution and have no permit yet.
        public var resolving = 0
        /// The number of exchanges that have a connection permit.
        public var active = 0
        /// The number of exchanges that wait for a permit, either for their origin or for a connection.
        public var waiting = 0
        /// The number of exchanges that wait for their origin, for each origin with at least one.
        ///
        /// They are part of ``waiting``.
        public var waitingPerOrigin: [WebURL.Origin: Int] = [:]
        /// The number of origins that have a gate.
        public var hosts = 0
    }

    /// A step that a request completes before it is sent, and its duration.
    public enum Step: Hashable, Sendable {
        /// The name of the host was resolved, or has no address.
        case resolved(Duration)
        /// The request received its permits.
        case admitted(Duration)
    }

    /// Waits until a URL may be requested, or throws; receives the number of redirects that led to it.
    public typealias Admission = @Sendable (_ url: WebURL, _ redirects: Int) async throws -> Void

    private let transport: any HTTPTransporting
    private let limits: Limits
    private let accepts: @Sendable (WebURL) -> Bool
    private let admit: Admission
    private let sendsTraceContext: Bool
    private let connections: AdmissionGate
    private let hosts: HostGates
    private let resolving = Guarded(0)

    /// Creates a client that sends through `transport`.
    ///
    /// - Parameters:
    ///   - transport: Performs the exchanges.
    ///   - limits: The limits on exchanges and redirects.
    ///   - accepts: Whether a URL may be requested; called before each hop, including the targets of
    ///     redirects.
    ///   - admit: Awaited before each hop, without any permit.
    ///   - sendsTraceContext: Whether each hop carries a child of the current `TraceContext`, unless the request
    ///     has a `traceparent` of its own.
    public init(
        _ transport: any HTTPTransporting,
        limits: Limits = Limits(),
        accepts: @escaping @Sendable (WebURL) -> Bool = { _ in true },
        admit: @escaping Admission = { _, _ in },
        sendsTraceContext: Bool = false
    ) {
        self.sendsTraceContext = sendsTraceContext
        self.transport = transport
        self.limits = limits
        self.accepts = accepts
        self.admit = admit
        connections = AdmissionGate(capacity: limits.connections, keptBack: limits.connections / 4)
        hosts = HostGates(capacity: limits.connectionsPerHost)
    }

    /// The client's current state.
    public var snapshot: Snapshot {
        let gate = connections.snapshot
        let perOrigin = hosts.waiting
        return Snapshot(
            resolving: resolving.withLock { $0 },
            active: gate.used,
            waiting: perOrigin.values.reduce(gate.waiting, +),
            waitingPerOrigin: perOrigin,
            hosts: hosts.count
        )
    }

    /// Returns an address of the host of `request`, the same one for all names with the same addresses.
    ///
    /// - Returns: `nil` if the transport leaves names to a proxy, or does not resolve them.
    /// - Throws: What the transport throws for a host without addresses; `CancellationError`.
    package func address(for request: HTTPRequest) async throws -> IPAddress? {
        if let address = request.url.address { return address }
        guard let resolution = try await transport.resolved(request).resolution, !resolution.isProxy else {
            return nil
        }
        return resolution.addresses.min { "\($0)" < "\($1)" }
    }

    /// Sends `request`, follows redirects, and passes the last response to `body` once its head has arrived.
    ///
    /// A response may have any status except a redirect's; ``HTTPResponse/requireSuccess()`` throws if the
    /// status is not a success. 307 and 308 repeat the request with its body, and 303 leads to a `GET`
    /// without one. 301 and 302 are followed only for safe methods. `Authorization` and `Cookie` are not sent
    /// to another origin. The total timeout includes the time of all hops, but not the waits for permits,
    /// which ``HTTPTimings/queue`` counts. When `body` returns or throws, the exchange is over before the
    /// call returns.
    ///
    /// - Parameters:
    ///   - request: The request to send; its address policy applies to every hop.
    ///   - priority: The place among the waiters for the same permits; the place follows changes of the
    ///     priority.
    ///   - onStep: Called at each hop with each step that precedes sending the request.
    ///   - body: Reads the response.
    /// - Returns: What `body` returns.
    /// - Throws: `blocked_source`, `too_many_redirects`, `invalid_redirect`; `http_301` or `http_302` for an
    ///   unsafe method; errors from the transport and from `body`.
    public func withResponse<Output: Sendable>(
        to request: HTTPRequest,
        priority: LivePriority = LivePriority(),
        onStep: @escaping @Sendable (Step) -> Void = { _ in },
        _ body: (HTTPResponse) async throws -> Output
    ) async throws -> Output {
        try await withConnection(for: request, priority: priority, onStep: onStep) { connection in
            try await connection.withResponse(body)
        }
    }

    /// Runs `body` with the permits for a connection: once for `request`, and again for each redirect.
    ///
    /// Use this if you need a permit of your own, for example for memory, before a request is sent. Take that
    /// permit in `body`, and release it when `body` returns a redirect. Everything else works as in
    /// ``withResponse(to:priority:onStep:_:)``.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - priority: The place among the waiters for the same permits.
    ///   - onStep: Called with each step that precedes sending a request; ``Step/admitted(_:)`` includes the
    ///     waits in `body`.
    ///   - body: Sends the request with ``Connection/withResponse(_:)``.
    /// - Returns: The output of the last hop.
    /// - Throws: What ``withResponse(to:priority:onStep:_:)`` throws.
    public func withConnection<Output: Sendable>(
        for request: HTTPRequest,
        priority: LivePriority = LivePriority(),
        onStep: @escaping @Sendable (Step) -> Void = { _ in },
        _ body: (Connection) async throws -> Hop<Output>
    ) async throws -> Output {
        var route = RedirectRoute(request, maximum: limits.redirects)
        var spent = HTTPTimings()
        while true {
            try check(route.request.url)
            try await admit(route.request.url, route.redirects)
            var next = try route.request.withTotalReduced(by: spent.origin)
            if sendsTraceContext { next.joinTrace() }
            let request = try await resolve(next, onStep)
            let connection = Connection(
                transport: transport,
                request: request,
                isDetour: route.isTemporary,
                spent: spent,
                onStep: onStep
            )
            let hop = try await withPermits(request.url.origin, priority) { try await body(connection) }
            switch hop {
            case .output(let output): return output
            case .redirect(let target, let status, let timings):
                spent = timings
                try route.follow(to: target, status: status)
            }
        }
    }

    private func check(_ url: WebURL) throws(CalotypeError) {
        guard !accepts(url) else { return }
        throw CalotypeError(
            .blockedSource,
            "this URL is not allowed here",
            stage: .request,
            url: url.text
        )
    }

    private func withPermits<Output>(
        _ origin: WebURL.Origin,
        _ priority: LivePriority,
        _ body: () async throws -> Output
    ) async throws -> Output {
        try await hosts.withPermit(for: origin, priority: priority) {
            try await connections.withPermit(priority: priority, body)
        }
    }

    /// Resolves the name of the request's host, which may be slow, before the request takes any permit.
    private func resolve(
        _ request: HTTPRequest,
        _ onStep: @Sendable (Step) -> Void
    ) async throws -> HTTPRequest {
        resolving.withLock { $0 += 1 }
        defer { resolving.withLock { $0 -= 1 } }
        let start = ContinuousClock.now
        do {
            let request = try await transport.resolved(request)
            onStep(.resolved(request.resolution?.duration ?? .zero))
            return request
        } catch {
            onStep(.resolved(.now - start))
            throw error
        }
    }
}

extension HTTPClient {
    /// The result of one exchange.
    public enum Hop<Output: Sendable>: Sendable {
        /// What the closure returned for the response.
        case output(Output)
        /// The response is a redirect; `timings` covers all hops so far.
        case redirect(to: WebURL, status: Int, timings: HTTPTimings)
    }

    /// The permits for one exchange; valid until the closure that receives it returns.
    public struct Connection: Sendable {
        let transport: any HTTPTransporting
        let request: HTTPRequest
        /// Whether the chain contains a redirect that may lead elsewhere next time.
        let isDetour: Bool
        /// The timings of the previous hops.
        let spent: HTTPTimings
        let onStep: @Sendable (Step) -> Void
        /// When the wait for the permits began.
        let start = ContinuousClock.now

        /// Sends the request, and passes the response to `body` unless it is a redirect.
        ///
        /// The call to `body` happens as soon as the head has arrived.
        ///
        /// - Returns: What `body` returns, or the target of the redirect.
        /// - Throws: `invalid_redirect`, and errors from the transport and from `body`.
        public func withResponse<Output: Sendable>(
            _ body: (HTTPResponse) async throws -> Output
        ) async throws -> Hop<Output> {
            var spent = spent
            let waited = ContinuousClock.now - start
            spent.queue += waited
            onStep(.admitted(waited))
            return try await transport.withResponse(to: request) { [spent] response in
                guard HTTPStatus.isRedirect(response.status) else {
                    return .output(try await body(response.after(spent, isDetour: isDetour)))
                }
                let target = try RedirectRoute.target(of: response)
                return .redirect(to: target, status: response.status, timings: response.timings + spent)
            }
        }
    }
}

/// A type that performs one HTTP exchange.
///
/// Conform to it to load from elsewhere, or to change requests on their way; the example `OwnTransport` does
/// both. In a package that does not enable `NonisolatedNonsendingByDefault`, declare the closure as
/// `nonisolated(nonsending) (HTTPResponse) async throws -> Output`.
///
/// A transport applies the timeouts and limits of a request itself, as far as it can; the pipeline applies the
/// limits of bytes and the total time in any case. It ends soon after its task was cancelled, and so does the
/// closure of a body: a load waits for both.
public protocol HTTPTransporting: Sendable {
    /// Sends `request` and passes the response to `body` as soon as its head has arrived.
    ///
    /// The transport does not follow redirects. It sends the request's body before it reads the response,
    /// unless the response arrives earlier; a response that refuses the request ends the sending.
    ///
    /// When `body` returns or throws, the exchange is over before the call returns, and unread data is
    /// discarded.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: `CalotypeError` if there is no response, `CancellationError` if the task was cancelled, and
    ///   any error from `body`.
    func withResponse<Output: Sendable>(
        to request: HTTPRequest,
        _ body: (HTTPResponse) async throws -> Output
    ) async throws -> Output

    /// Resolves the name of the host of `request`, if the transport does that itself.
    ///
    /// An ``HTTPClient`` awaits this before it takes a connection permit, so that a name which hangs or does
    /// not exist delays only the requests for it.
    ///
    /// - Returns: The request to send, with the result of the lookup; by default the request itself.
    /// - Throws: `CalotypeError` if there is no address to connect to, `CancellationError` if the task was
    ///   cancelled.
    func resolved(_ request: HTTPRequest) async throws -> HTTPRequest
}

extension HTTPTransporting {
    /// Returns the request unchanged: for a transport that resolves no names, or only while it sends.
    public func resolved(_ request: HTTPRequest) async throws -> HTTPRequest { request }
}

/// A gate for each origin that has users or waiters; an idle gate is removed.
final class HostGates: Sendable {
    private struct Entry {
        let gate: AdmissionGate
        var users = 0
    }

    private let capacity: Int
    private let entries = Guarded<[WebURL.Origin: Entry]>([:])

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of gates.
    var count: Int { entries.withLock(\.count) }

    /// The number of waiters at each gate, for gates with at least one.
    var waiting: [WebURL.Origin: Int] {
        entries.withLock { $0.mapValues(\.gate) }.mapValues(\.snapshot.waiting).filter { $0.value > 0 }
    }

    /// Runs `body` with a permit for `origin`.
    func withPermit<Output>(
        for origin: WebURL.Origin,
        priority: LivePriority,
        _ body: () async throws -> Output
    ) async throws -> Output {
        let gate = join(origin)
        defer { leave(origin) }
        return try await gate.withPermit(priority: priority, body)
    }

    private func join(_ origin: WebURL.Origin) -> AdmissionGate {
        entries.withLock { entries in
            var entry =
                entries[origin] ?? Entry(gate: AdmissionGate(capacity: capacity, keptBack: capacity / 4))
            entry.users += 1
            entries[origin] = entry
            return entry.gate
        }
    }

    private func leave(_ origin: WebURL.Origin) {
        entries.withLock { entries in
            guard var entry = entries[origin] else { return }
            entry.users -= 1
            entries[origin] = entry.users == 0 ? nil : entry
        }
    }
}
