import CalotypeCore
import Glibc
import TaskFlow

/// Accepts connections and answers the requests on each, one task a connection.
struct OriginServer: Sendable {
    let listener: Listener
    let reactor: Reactor
    let site: Site
    let configuration: OriginConfiguration

    private var tally: Tally { site.tally }

    /// Serves until the task is cancelled; returns when all connections are closed.
    func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                switch listener.accept() {
                case .connection(let socket): admit(socket, &group)
                case .none: await waitForArrivals()
                // Descriptors come free when connections end.
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
            // The loop sees a cancellation, and this returns at once; a system that is short of memory may recover.
            await pause()
        }
    }

    /// Asking at once again would only burn the CPU.
    private func pause() async {
        // A failure is a cancellation, which the loop sees.
        try? await Task.sleep(for: .milliseconds(20))
    }

    private func admit(_ socket: Int32, _ group: inout DiscardingTaskGroup) {
        guard tally.statistics.openConnections < configuration.largestConnectionCount else {
            tally.count { $0.refusedConnections += 1 }
            Glibc.close(socket)
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
        } catch is HangUp {
            tally.count { $0.earlyHangUps += 1 }
        } catch {
            // The origin ends: the connection ends with it.
        }
        connection.close(withReset: isReset)
        tally.count { $0.openConnections -= 1 }
    }

    /// Answers request after request; whether the connection is to be reset at the end.
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
            // What follows a body that was not read could not be told from a request.
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
        } catch let hangUp as HangUp {
            tally.count { $0.earlyHangUpsByPrefix[prefix, default: 0] += 1 }
            throw hangUp
        }
    }

    /// The next request; `nil` when there is none, or a bad one was answered.
    private func nextRequest(_ connection: inout Connection) async throws -> RequestHead? {
        do {
            guard let bytes = try await connection.nextHead() else { return nil }
            if let request = RequestHead(bytes) { return request }
            try await connection.play(Response.text("This is no HTTP/1 request.", status: 400).script())
        } catch let error as CalotypeError {
            try await connection.play(Response.text(error.message, status: 431).script())
        }
        return nil
    }
}
