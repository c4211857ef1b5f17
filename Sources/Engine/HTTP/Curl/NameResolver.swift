import CalotypeCore
import CalotypeFiles
import CalotypeHTTPMessages
import CalotypePlatform
import TaskFlow

/// Resolves names on a limited number of its own threads, each name once at a time, and caches the results.
///
/// A caller that is cancelled or times out returns immediately. The system's `getaddrinfo` cannot be stopped,
/// so a lookup is the only work that may outlive its caller. A lookup without callers no longer counts
/// against ``threads``, so that names which hang do not block others; but no more than ``maximumThreads``
/// lookups ever run.
final class NameResolver: Sendable {
    /// The result of resolving a name.
    struct Resolution: Hashable, Sendable {
        /// The addresses, best first; never empty.
        let addresses: [IPAddress]
        /// How long the lookup took.
        let duration: Duration
        /// Whether the name is that of a proxy, which resolves the names of hosts.
        var isProxy = false
    }

    private typealias Waiter = CheckedContinuation<LookupResult, any Error>

    private struct Lookup {
        var waiters: [UInt64: Waiter] = [:]
        var isRunning = false
    }

    private struct State {
        var cache: NameCache
        var lookups: [String: Lookup] = [:]
        var queue: [String] = []
        var threads = 0
        var lastTicket: UInt64 = 0
        var isClosed = false

        /// The number of running lookups that no caller waits for.
        var abandoned: Int { lookups.values.count { $0.isRunning && $0.waiters.isEmpty } }
    }

    private let threads: Int
    private let maximumThreads: Int
    private let state: Guarded<State>

    init(_ configuration: CurlConfiguration) {
        threads = max(configuration.resolverThreads, 1)
        maximumThreads = threads * 4
        state = Guarded(
            State(
                cache: NameCache(
                    lifetime: configuration.nameLifetime,
                    failureLifetime: configuration.failedNameLifetime,
                    capacity: 4096
                )
            )
        )
    }

    /// The number of `getaddrinfo` calls in progress.
    var runningLookups: Int { state.withLock { $0.lookups.values.count(where: \.isRunning) } }

    /// Returns the addresses of `host`, best first.
    ///
    /// - Throws: `dns_failed`; `timeout_connect` if the lookup takes longer than `timeout`;
    ///   `CancellationError`.
    func addresses(of host: String, timeout: Duration) async throws -> [IPAddress] {
        if let result = state.withLock({ $0.cache.result(for: host, now: .now) }) {
            return try Self.addresses(result, host)
        }
        return try Self.addresses(await wait(for: host, timeout: timeout), host)
    }

    /// Ends all waits.
    ///
    /// Running lookups continue until the system returns.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            state.queue = []
            let waiters = state.lookups.values.flatMap(\.waiters.values)
            for host in state.lookups.keys { state.lookups[host]?.waiters = [:] }
            return waiters
        }
        for waiter in waiters { waiter.resume(throwing: CurlTransport.closedError) }
    }

    private func wait(for host: String, timeout: Duration) async throws -> LookupResult {
        do {
            return try await withTimeout(timeout) { try await self.wait(for: host) }
        } catch TaskFlowError.Code.deadlineExceeded {
            throw CalotypeError(
                .timeoutConnect,
                "the name \(host) was not resolved within \(timeout.inSeconds)",
                stage: .resolve
            )
        }
    }

    private func wait(for host: String) async throws -> LookupResult {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enqueue(host, ticket, $0) }
        } onCancel: {
            leave(host, ticket)
        }
    }

    private func enqueue(_ host: String, _ ticket: UInt64, _ waiter: Waiter) {
        let result = state.withLock { state -> Result<LookupResult, any Error>? in
            if state.isClosed { return .failure(CurlTransport.closedError) }
            // Checked under the lock: an earlier cancellation is seen here, and a later one finds the ticket.
            if Task.isCancelled { return .failure(CancellationError()) }
            // The result may have arrived since the first check of the cache.
            if let result = state.cache.result(for: host, now: .now) { return .success(result) }
            if state.lookups[host] == nil { state.queue.append(host) }
            state.lookups[host, default: Lookup()].waiters[ticket] = waiter
            return nil
        }
        if let result { waiter.resume(with: result) } else { startThreads() }
    }

    private func leave(_ host: String, _ ticket: UInt64) {
        let waiter = state.withLock { state in
            let waiter = state.lookups[host]?.waiters.removeValue(forKey: ticket)
            if let lookup = state.lookups[host], lookup.waiters.isEmpty, !lookup.isRunning {
                state.lookups[host] = nil
                state.queue.removeAll { $0 == host }
            }
            return waiter
        }
        waiter?.resume(throwing: CancellationError())
        // The abandoned lookup may have made room for another thread.
        startThreads()
    }

    private func startThreads() {
        let starts = state.withLock { state in
            let busy = state.threads - state.abandoned
            guard !state.queue.isEmpty, busy < threads, state.threads < maximumThreads else { return false }
            state.threads += 1
            return true
        }
        guard starts else { return }
        do {
            try startThread(named: "resolver", blocksSignals: true, isDetached: true) { self.work() }
        } catch {
            // The existing threads serve the queue. If there are none, the lookups time out.
            state.withLock { $0.threads -= 1 }
        }
    }

    /// The body of a thread: performs lookups until none are left.
    private func work() {
        while let host = nextHost() {
            let result = lookUp(host)
            for waiter in finish(host, result) { waiter.resume(returning: result) }
        }
    }

    private func nextHost() -> String? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.threads -= 1
                return nil
            }
            let host = state.queue.removeFirst()
            state.lookups[host]?.isRunning = true
            return host
        }
    }

    private func finish(_ host: String, _ result: LookupResult) -> [Waiter] {
        state.withLock { state in
            state.cache.store(result, for: host, now: .now)
            return state.lookups.removeValue(forKey: host).map { Array($0.waiters.values) } ?? []
        }
    }

    private static func addresses(_ result: LookupResult, _ host: String) throws -> [IPAddress] {
        switch result {
        case .addresses(let addresses): return addresses
        case .shortage(let code):
            let cause = SystemError("resolve the name \(host)", code: code)
            throw CalotypeError(.resourceShortage, cause.description, stage: .resolve, cause: cause)
        case .failure(let reason):
            throw CalotypeError(
                .dnsFailed,
                "the name \(host) could not be resolved: \(reason)",
                stage: .resolve
            )
        }
    }
}

extension Duration {
    /// The duration for use in a message, such as `10 s` or `0.2 s`.
    var inSeconds: String {
        let tenths = Int((self / .milliseconds(100)).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}

/// A bounded cache of lookup results; a value that receives the time from its caller.
struct NameCache {
    typealias Instant = ContinuousClock.Instant

    private struct Entry {
        let result: LookupResult
        let expiry: Instant
    }

    private let lifetime: Duration
    private let failureLifetime: Duration
    private let capacity: Int
    private var entries: [String: Entry] = [:]

    init(lifetime: Duration, failureLifetime: Duration, capacity: Int) {
        self.lifetime = lifetime
        self.failureLifetime = failureLifetime
        self.capacity = capacity
    }

    var count: Int { entries.count }

    func result(for host: String, now: Instant) -> LookupResult? {
        entries[host].flatMap { $0.expiry > now ? $0.result : nil }
    }

    mutating func store(_ result: LookupResult, for host: String, now: Instant) {
        // A shortage says nothing about the name.
        if case .shortage = result { return }
        if entries.count >= capacity, entries[host] == nil { makeRoom(now) }
        let lifetime = if case .addresses = result { lifetime } else { failureLifetime }
        entries[host] = Entry(result: result, expiry: now + lifetime)
    }

    /// Removes expired entries, and also the half that expires first, so that the next call is far off.
    private mutating func makeRoom(_ now: Instant) {
        let kept = entries.filter { $0.value.expiry > now }.sorted { $0.value.expiry > $1.value.expiry }
        entries = Dictionary(uniqueKeysWithValues: kept.prefix(capacity / 2).map { ($0.key, $0.value) })
    }
}

/// The result of a lookup.
enum LookupResult: Hashable, Sendable {
    /// The addresses, best first; never empty.
    case addresses([IPAddress])
    /// No address, and the reason.
    case failure(String)
    /// No descriptor or memory was left on this machine; the system's error number.
    case shortage(Int32)
}

/// Queries the system for the addresses of `host`; blocks until it responds.
func lookUp(_ host: String) -> LookupResult {
    assert(BlockingCalls.note("resolve \(host)"))
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = Platform.streamKind
    unsafe hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    let status = unsafe getaddrinfo(host, nil, &hints, &list)
    guard status == 0 else { return failure(status, errno) }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [IPAddress] = []
    var entry = unsafe list
    while let current = unsafe entry {
        if let address = unsafe address(of: current.pointee), !addresses.contains(address) {
            addresses.append(address)
        }
        unsafe entry = current.pointee.ai_next
    }
    return addresses.isEmpty ? .failure("the name has no address") : .addresses(addresses)
}

/// Separates a shortage on this machine from a bad name; the resolver may report both as a bad name.
private func failure(_ status: Int32, _ number: Int32) -> LookupResult {
    if status == EAI_SYSTEM, SystemError("resolve", code: number).isShortage { return .shortage(number) }
    if status == EAI_MEMORY { return .shortage(ENOMEM) }
    if let shortage = SystemError.descriptorShortage(opening: 2) { return .shortage(shortage.code) }
    return .failure(unsafe String(cString: gai_strerror(status)))
}

private func address(of entry: addrinfo) -> IPAddress? {
    guard let pointer = unsafe UnsafeRawPointer(entry.ai_addr) else { return nil }
    switch unsafe entry.ai_family {
    case AF_INET:
        let v4 = unsafe pointer.loadUnaligned(as: sockaddr_in.self)
        return IPAddress(v4: UInt32(bigEndian: v4.sin_addr.s_addr))
    case AF_INET6:
        let v6 = unsafe pointer.loadUnaligned(as: sockaddr_in6.self)
        return unsafe withUnsafeBytes(of: v6.sin6_addr) { unsafe IPAddress(networkOrder: $0) }
    default:
        return nil
    }
}
