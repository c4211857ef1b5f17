import CalotypeCore
import CalotypeHTTPMessages
public import TaskFlow

/// Sends requests and follows redirects, within limits on connections: in all, and for each origin.
///
/// A name is resolved before anything is waited for. Permits are taken in the order origin, connection, and then what the caller
/// of ``withConnection(for:priority:onStep:_:)`` takes; all are released before a redirect is followed, so that nothing ever waits
/// for permits out of order.
public final class HTTPClient: Sendable {
    /// How much may go on at a time.
    public struct Limits: Hashable, Sendable {
        /// The most exchanges at a time, 64; a quarter is kept back from work below normal priority.
        public var connections = 64
        /// The most exchanges with one origin (scheme, host and port) at a time, 8; a quarter is kept back likewise.
        public var connectionsPerHost = 8
        /// The most redirects that are followed, 10; `too_many_redirects`.
        public var redirects = 10

        /// Creates the default limits.
        public init() {}
    }

    /// What a client holds at one moment; all zero when nothing goes on.
    public struct Snapshot: Hashable, Sendable {
        /// The exchanges whose host's name is being resolved; they have no permit yet.
        public var resolving = 0
        /// The exchanges that have a connection permit.
        public var active = 0
        /// The exchanges that wait for a connection permit, be it for one of their origin or for one of all.
        public var waiting = 0
        /// Those of ``waiting`` that wait for one of their origin; origins for which nobody waits are left out.
        public var waitingPerOrigin: [WebURL.Origin: Int] = [:]
        /// The origins that have a gate.
        public var hosts = 0
    }

    /// What a request has passed before it is sent, and how long that took.
    public enum Step: Hashable, Sendable {
        /// The name of its host is resolved, or was found to have no address.
        case resolved(Duration)
        /// It has its permits.
        case admitted(Duration)
    }

    private let transport: any HTTPTransporting
    private let limits: Limits
    private let accepts: @Sendable (WebURL) -> Bool
    private let connections: AdmissionGate
    private let hosts: HostGates
    private let resolving = Guarded(0)

    /// Creates a client that sends through `transport`.
    ///
    /// - Parameters:
    ///   - transport: Performs the exchanges.
    ///   - limits: How much may go on at a time.
    ///   - accepts: Whether a URL may be asked at all; it is called before each hop, also before those that a
    ///     redirect leads to.
    public init(
        _ transport: any HTTPTransporting,
        limits: Limits = Limits(),
        accepts: @escaping @Sendable (WebURL) -> Bool = { _ in true }
    ) {
        self.transport = transport
        self.limits = limits
        self.accepts = accepts
        connections = AdmissionGate(capacity: limits.connections, keptBack: limits.connections / 4)
        hosts = HostGates(capacity: limits.connectionsPerHost)
    }

    /// What the client holds now.
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

    /// Sends `request`, follows redirects, and passes the last response to `body` as soon as its head has arrived.
    ///
    /// Every status but a redirect's is a response; ``HTTPResponse/requireSuccess()`` throws for those that are no success.
    /// 307 and 308 repeat the request with its body, 303 leads to a `GET` without one; 301 and 302 are followed only by methods
    /// that change nothing. `Authorization` and `Cookie` are not sent to another origin.
    /// The total timeout counts the time of all hops, but not the waits for permits, which ``HTTPTimings/queue`` counts.
    /// When `body` returns or throws, the exchange is over before the call returns.
    ///
    /// - Parameters:
    ///   - request: What to ask for; its address policy holds for every hop.
    ///   - priority: Its place among those that wait for the same permits; the place follows its changes.
    ///   - onStep: Called at each hop with each step that comes before its request is sent.
    ///   - body: Reads the response.
    /// - Returns: What `body` returns.
    /// - Throws: `blocked_source`, `too_many_redirects`, `invalid_redirect`, `http_301` or `http_302` for a method that may
    ///   change something, what the transport throws, and what `body` throws.
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

    /// Runs `body` with the permits for a connection: once for `request`, and again for each request that a redirect leads to.
    ///
    /// For a caller that needs a permit of its own, for example for memory, before a request is sent: it takes that permit in
    /// `body`, and releases it when `body` returns a redirect. All else is as in ``withResponse(to:priority:onStep:_:)``.
    ///
    /// - Parameters:
    ///   - request: What to ask for.
    ///   - priority: Its place among those that wait for the same permits.
    ///   - onStep: Called with each step that comes before a request is sent; ``Step/admitted(_:)`` includes the waits in `body`.
    ///   - body: Sends the request by ``Connection/withResponse(_:)``.
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
            let request = try await resolve(route.request.withTotalReduced(by: spent.origin), onStep)
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
            "the URL is not among those that may be loaded here",
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

    /// Resolves the name of the request's host, which may take long, before anybody else is held up by that.
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
    /// What one exchange came to.
    public enum Hop<Output: Sendable>: Sendable {
        /// What was made of the response.
        case output(Output)
        /// The response is a redirect; `timings` are those of all hops so far.
        case redirect(to: WebURL, status: Int, timings: HTTPTimings)
    }

    /// The permits for one exchange; valid until the closure that receives it returns.
    public struct Connection: Sendable {
        let transport: any HTTPTransporting
        let request: HTTPRequest
        /// Whether a redirect on the way may lead elsewhere the next time.
        let isDetour: Bool
        /// What the hops before this one took.
        let spent: HTTPTimings
        let onStep: @Sendable (Step) -> Void
        /// When it began to wait for the permits.
        let start = ContinuousClock.now

        /// Sends the request, and passes the response to `body` as soon as its head has arrived, unless it is a redirect.
        ///
        /// - Returns: What `body` returns, or where the redirect leads.
        /// - Throws: `invalid_redirect`, what the transport throws, and what `body` throws.
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

/// What performs one HTTP exchange.
public protocol HTTPTransporting: Sendable {
    /// Sends `request` and gives the answer to `body` as soon as its head has come; redirects are not followed.
    ///
    /// The body is sent before the answer is read, unless the answer comes earlier; one that refuses ends the sending.
    ///
    /// When `body` returns or throws, the exchange is over before the call returns: what was not read is cut off.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: `CalotypeError` when there is no answer, `CancellationError` when the
    ///   task was cancelled, and what `body` throws.
    func withResponse<Output: Sendable>(
        to request: HTTPRequest,
        _ body: (HTTPResponse) async throws -> Output
    ) async throws -> Output

    /// Resolves the name of the host of `request`, where the transport does that itself.
    ///
    /// An ``HTTPClient`` awaits it before it takes a connection's place, so that a name which hangs or does not exist holds up
    /// nobody but those who ask for it.
    ///
    /// - Returns: The request to send, with what was found out; the request itself by default.
    /// - Throws: `CalotypeError` when there is no address to connect to, `CancellationError` when the task was cancelled.
    func resolved(_ request: HTTPRequest) async throws -> HTTPRequest
}

extension HTTPTransporting {
    /// Gives the request back: for a transport that resolves no names, or not before it sends.
    public func resolved(_ request: HTTPRequest) async throws -> HTTPRequest { request }
}

/// A gate for each origin that someone uses or waits for; an idle one is dropped.
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

    /// How many wait at each gate; those where nobody waits are left out.
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
