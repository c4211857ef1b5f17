import CalotypeFiles
import CalotypeOrigin
import CalotypePlatform
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LifetimeTests {
    @Test func `the end of the scope closes what clients hold open and the port`() async throws {
        let (port, sockets) = try await withOrigin(Self.configuration()) { origin in
            let sockets = (0..<50).map { _ in RawClient.connected(to: origin.port) }
            for socket in sockets { Self.write("GET /hang HTTP/1.1\r\n\r\n", to: socket) }
            _ = try await origin.statistics { $0.requests == 50 }
            return (origin.port, sockets)
        }
        var byte: UInt8 = 0
        for socket in sockets {
            #expect(unsafe recv(socket, &byte, 1, 0) == 0)
            close(socket)
        }
        #expect(RawClient.connected(to: port) == -1)
    }

    @Test func `a scope leaves no descriptor and no thread`() async {
        await #expect(processExitsWith: .success) {
            // No time limit holds in this process, and the one that awaits it blocks a thread of its pool meanwhile.
            alarm(30)
            // The first scope starts the pool's threads, which stay.
            try await withOrigin(LifetimeTests.configuration()) { _ in }
            let descriptors = FolderNames.all(in: "/proc/self/fd").count
            let threads = FolderNames.all(in: "/proc/self/task").count
            for _ in 0..<3 {
                try await withOrigin(LifetimeTests.configuration()) { origin in
                    let sockets = (0..<20).map { _ in RawClient.connected(to: origin.port) }
                    for socket in sockets {
                        LifetimeTests.write("GET /pictures/large.webp HTTP/1.1\r\n\r\nGET /hang", to: socket)
                    }
                    let sender = RawClient.connected(to: origin.port)
                    for (name, length) in [("a", 3), ("b", 9)] {
                        let head = "PUT /inbox/\(name) HTTP/1.1\r\nContent-Length: \(length)\r\n\r\n"
                        LifetimeTests.write(head + "abc", to: sender)
                    }
                    _ = try await origin.statistics { $0.requests == 22 }
                    _ = try await origin.received { $0.bytesKept == 6 }
                    for socket in sockets + [sender] { close(socket) }
                }
            }
            #expect(FolderNames.all(in: "/proc/self/fd").count == descriptors)
            #expect(FolderNames.all(in: "/proc/self/task").count <= threads + 1)
        }
    }

    @Test func `cancelling the owner ends an origin with hanging clients`() async throws {
        let (clients, arrival) = AsyncStream.makeStream(of: Int32.self)
        let socket = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await #expect(throws: CancellationError.self) {
                    try await withOrigin(Self.configuration()) { origin in
                        let socket = RawClient.connected(to: origin.port)
                        Self.write("GET /hang HTTP/1.1\r\n\r\n", to: socket)
                        _ = try await origin.statistics { $0.requests == 1 }
                        arrival.yield(socket)
                        _ = try await origin.statistics { $0.requests == 2 }
                    }
                }
                arrival.finish()
            }
            let socket = await clients.first { _ in true }
            group.cancelAll()
            return socket ?? -1
        }
        var byte: UInt8 = 0
        #expect(unsafe recv(socket, &byte, 1, 0) == 0)
        close(socket)
    }

    @Test func `an origin in a cancelled task does not begin`() async {
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask {
                await #expect(throws: CancellationError.self) {
                    try await withOrigin(Self.configuration()) { _ in Issue.record("the body ran") }
                }
            }
        }
    }

    @Test func `a client that leaves in the middle of a body is counted`() async throws {
        try await withTestOrigin { origin, client in
            let answer = await client.get("/pictures/large.webp", limit: 10_000)
            #expect(answer.end == .limit)
            let counts = try await origin.statistics { $0.earlyHangUps == 1 && $0.openConnections == 0 }
            #expect(counts.bytesSent < TestPictures.large.count)
            #expect(await client.get("/pictures/large.webp").body.count == TestPictures.large.count)
            #expect(origin.statistics.earlyHangUps == 1)
        }
    }

    @Test func `statistics count requests by prefix, connections and bytes`() async throws {
        try await withTestOrigin { origin, client in
            let length = await client.get("/pictures/a.jpg").bytes.count
            _ = try await origin.statistics { $0.openConnections == 0 }
            #expect(origin.statistics.bytesSent == length)
            for path in ["/status/404", "/status/500", "/nowhere"] {
                _ = await client.get(path)
                // A client sees the end of its connection before the origin has counted it.
                _ = try await origin.statistics { $0.openConnections == 0 }
            }
            let json = String(decoding: await client.get("/stats").body, as: UTF8.self)
            #expect(json.contains("\"requests\": 5"))
            #expect(json.contains("\"/status\": 2"))
            #expect(json.contains("\"other\": 1"))
            let counts = try await origin.statistics { $0.openConnections == 0 }
            #expect(counts.connections == 5)
            #expect(counts.peakConnections == 1)
            #expect(counts.earlyHangUps == 0)
        }
    }

    @Test func `connections above the limit are closed immediately`() async throws {
        try await withTestOrigin(configure: { $0.largestConnectionCount = 2 }) { origin, client in
            let held = (0..<2).map { _ in RawClient.connected(to: origin.port) }
            _ = try await origin.statistics { $0.openConnections == 2 }
            let refused = await client.get("/")
            #expect(refused.bytes.isEmpty)
            #expect(origin.statistics.refusedConnections == 1)
            for socket in held { close(socket) }
            _ = try await origin.statistics { $0.openConnections == 0 }
            #expect(await client.get("/").status == 200)
        }
    }

    @Test func `a client that sends nothing is closed after the idle limit`() async throws {
        try await withTestOrigin(configure: { $0.idleLimit = .milliseconds(50) }) { _, client in
            #expect(await client.send("").end == .closed)
            #expect(await client.send("GET / HT").end == .closed)
        }
    }

    @Test func `a port that is taken is an error`() async throws {
        try await withTestOrigin { origin, _ in
            var configuration = Self.configuration()
            configuration.port = origin.port
            await #expect(throws: (any Error).self) { try await withOrigin(configuration) { _ in } }
            configuration.port = 70_000
            await #expect(throws: (any Error).self) { try await withOrigin(configuration) { _ in } }
        }
    }

    static func configuration() -> OriginConfiguration {
        OriginConfiguration(pictures: TestPictures.served)
    }

    static func write(_ text: String, to socket: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
