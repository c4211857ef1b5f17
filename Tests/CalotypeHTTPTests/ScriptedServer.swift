import CalotypePlatform
import TaskFlow

@testable import CalotypeHTTP

/// A server on loopback that does byte by byte what a test says, one thread for each connection.
final class ScriptedServer: Sendable {
    typealias Script = @Sendable (ScriptedConnection) -> Void

    private struct State {
        var connections: [ScriptedConnection] = []
        var running = 0
        var isStopping = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let port: UInt16
    private let listener: Int32
    private let script: Script
    private let state = Guarded(State())

    init(_ script: @escaping Script) {
        self.script = script
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Self.loopback
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        port = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                var length = size
                unsafe bind(listener, pointer, size)
                listen(listener, 512)
                unsafe getsockname(listener, pointer, &length)
            }
            return unsafe UInt16(bigEndian: pointer.pointee.sin_port)
        }
        self.listener = listener
    }

    /// How many connections were accepted.
    var accepted: Int { state.withLock { $0.connections.count } }

    /// The URL of `path` on this server.
    func url(_ path: String = "/", host: String = "127.0.0.1") throws -> WebURL {
        try WebURL("http://\(host):\(port)\(path)")
    }

    /// Accepts connections until ``stop()``.
    func start() {
        launch { self.acceptAll() }
    }

    /// Closes everything and waits for the threads.
    func stop() async {
        let connections = state.withLock { state in
            state.isStopping = true
            return state.connections
        }
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in connections { connection.hangUp() }
        await withCheckedContinuation { waiter in
            let isDone = state.withLock { state in
                if state.running > 0 { state.waiters.append(waiter) }
                return state.running == 0
            }
            if isDone { waiter.resume() }
        }
        close(listener)
        for connection in connections { connection.close() }
    }

    private func acceptAll() {
        while true {
            let socket = accept(listener, nil, nil)
            guard socket >= 0 else {
                guard errno == EMFILE else { return }
                // A test has taken the descriptors away for a while, before this thread came to wait.
                usleep(1000)
                continue
            }
            let connection = state.withLock { state in
                let connection = ScriptedConnection(socket, number: state.connections.count)
                state.connections.append(connection)
                if state.isStopping { connection.hangUp() }
                return connection
            }
            launch {
                self.script(connection)
                connection.hangUp()
            }
        }
    }

    private func launch(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.running += 1 }
        // The test fails without the server, whose thread the system gives unless it is out of memory.
        _ = try? startThread(named: "server", blocksSignals: true, isDetached: true) {
            body()
            let waiters = self.state.withLock { state in
                state.running -= 1
                return state.running == 0 ? state.waiters : []
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    private static var loopback: sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// Runs `body` with a server that plays `script` on each connection.
func withServer<Output>(
    _ script: @escaping ScriptedServer.Script,
    _ body: (ScriptedServer) async throws -> Output
) async throws -> Output {
    let server = ScriptedServer(script)
    server.start()
    do {
        let output = try await body(server)
        await server.stop()
        return output
    } catch {
        await server.stop()
        throw error
    }
}
