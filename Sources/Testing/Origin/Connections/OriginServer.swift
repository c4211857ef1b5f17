import CalotypeCPOSIX
import CalotypeCore
import CalotypeHTTPMessages
import CalotypePlatform
import TaskFlow

/// Accepts connections and responds to the requests on each, with one task per connection.
struct OriginServer: Sendable {
    let listener: Listener
    let reactor: Reactor
    let site: Site
    let configuration: OriginConfiguration

    private var tally: Tally { site.tally }

    /// Serves until the task is cancelled.
    ///
    /// Returns when all connections are closed.
    func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                switch listener.accept() {
                case .connection(let socket): admit(socket, &group)
                case .none: await waitForArrivals()
                // Descriptors become free when connections end.
                case .exhausted: await pause()
                }
            }
            group.cancelAll()
        }
    }

    private func waitForArrivals() async {
        do {
            _ = try await reactor.wait(for: .readable, on: listener.descriptor)
        } catch {
            // The loop notices a cancellation. If the system is short of memory, it may recover.
            await pause()
        }
    }

    /// An immediate retry would only burn CPU time.
    private func pause() async {
        // A failure is a cancellation, which the loop notices.
        try? await Task.sleep(for: .milliseconds(20))
    }

    private func admit(_ socket: Int32, _ group: inout DiscardingTaskGroup) {
        guard tally.statistics.openConnections < configuration.largestConnectionCount else {
            tally.count { $0.refusedConnections += 1 }
            CalotypePlatform.close(socket)
            return
        }
        tally.count {
            $0.connections += 1
            $0.openConnections += 1
            $0.peakConnections = max($0.peakConnections, $0.openConnections)
        }
        group.addTask { await serve(socket) }
    }

    private func serve(_ socket: Int32) async {
        var connection = Connection(socket, reactor, tally, idleLimit: configuration.idleLimit)
        var isReset = false
        do {
            isReset = try await answerAll(&connection)
        } catch OriginError.hangUp {
            tally.count { $0.earlyHangUps += 1 }
        } catch {
            // The origin ends, and the connection with it.
        }
        connection.close(withReset: isReset)
        tally.count { $0.openConnections -= 1 }
    }

    /// Responds to one request after another.
    ///
    /// Returns whether to reset the connection at the end.
    private func answerAll(_ connection: inout Connection) async throws -> Bool {
        while let request = try await nextRequest(&connection) {
            let match = RouteTable.match(request.path)
            let prefix = match?.prefix ?? "other"
            tally.count {
                $0.requests += 1
                $0.requestsByPrefix[prefix, default: 0] += 1
            }
            let body = RequestBody(request, connection.inlet, tally)
            let script = try await site.answer(request, match, body)
            if let status = script.status { tally.count { $0.responsesByStatus[status, default: 0] += 1 } }
            try await play(script, on: connection, prefix)
            if script.ending == .reset { return true }
            // After an unread body, its bytes could not be distinguished from the next request.
            if !body.isRead, script.status != nil { try await connection.closeInOrder() }
            if script.ending == .close || request.wantsClose || !body.isRead { return false }
        }
        return false
    }

    private func play(
        _ script: ResponseScript,
        on connection: borrowing Connection,
        _ prefix: String
    ) async throws {
        do {
            try await connection.play(script)
        } catch OriginError.hangUp {
            tally.count { $0.earlyHangUpsByPrefix[prefix, default: 0] += 1 }
            throw OriginError.hangUp
        }
    }

    /// Returns the next request, or `nil` if there is none or the origin has refused an invalid one.
    private func nextRequest(_ connection: inout Connection) async throws -> RequestHead? {
        do {
            guard let bytes = try await connection.nextHead() else { return nil }
            if let request = RequestHead(toOrigin: bytes) { return request }
            try await connection.play(Response.text("This is not an HTTP/1 request.", status: 400).script())
        } catch let error as CalotypeError {
            try await connection.play(Response.text(error.message, status: 431).script())
        }
        return nil
    }
}

/// A listening socket on 127.0.0.1.
struct Listener: Sendable {
    /// The result of one attempt to accept.
    enum Arrival {
        case connection(Int32)
        /// No client is waiting.
        case none
        /// The process or the system has no descriptor left.
        case exhausted
    }

    let descriptor: Int32
    let port: Int

    /// Listens on `port`; 0 lets the kernel choose.
    init(port: Int) throws(CalotypeError) {
        guard let number = UInt16(exactly: port) else {
            throw CalotypeError(.invalidRequest, "\(port) is not a port from 0 to 65535", stage: .request)
        }
        descriptor = Platform.streamSocket(AF_INET, waits: false)
        guard descriptor >= 0 else { throw CalotypeError.socket("no socket could be created") }
        do {
            self.port = try Self.listen(descriptor, number)
        } catch {
            CalotypePlatform.close(descriptor)
            throw error
        }
    }

    func close() {
        CalotypePlatform.close(descriptor)
    }

    func accept() -> Arrival {
        while true {
            let connection = calotype_accept(descriptor)
            if connection >= 0 { return .connection(connection) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .none
            }
        }
    }

    private static func listen(_ descriptor: Int32, _ port: UInt16) throws(CalotypeError) -> Int {
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withSocketAddress(&address) { unsafe bind(descriptor, $0, length) }
        guard bound == 0 else { throw CalotypeError.socket("cannot bind 127.0.0.1:\(port)") }
        guard CalotypePlatform.listen(descriptor, 4096) == 0 else {
            throw CalotypeError.socket("listening failed")
        }
        _ = unsafe withSocketAddress(&address) { unsafe getsockname(descriptor, $0, &length) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func withSocketAddress(
        _ address: inout sockaddr_in,
        _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
    ) -> Int32 {
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
        }
    }
}

extension CalotypeError {
    /// Creates the error for `errno`, after the socket call `what` failed.
    static func socket(_ what: String) -> CalotypeError {
        let reason = unsafe String(cString: strerror(errno))
        return CalotypeError(.connectFailed, "\(what): \(reason)", stage: .connect)
    }
}
