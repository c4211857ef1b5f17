import CalotypeOrigin
import CalotypePlatform
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CrowdTests {
    private static let clientCount = 1500

    /// Both ends of each connection are descriptors of this process, and other tests want some too.
    private static let hasDescriptors: Bool = {
        var limit = rlimit()
        return unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
            && limit.rlim_cur >= 4000
    }()

    @Test(.enabled(if: hasDescriptors))
    func `clients that all connect at the same time all get a response`() async throws {
        try await withTestOrigin { origin, client in
            let request = "GET /pictures/in%20a/folder/b.png HTTP/1.1\r\nConnection: close\r\n\r\n"
            let sockets = try await client.executor.run {
                (0..<Self.clientCount).map { _ in RawClient.connected(to: origin.port) }
            }
            #expect(!sockets.contains(-1))
            _ = try await origin.statistics { $0.openConnections == Self.clientCount }
            for socket in sockets { LifetimeTests.write(request, to: socket) }
            let answers = try await client.executor.run {
                sockets.map { RawClient.received(from: $0, .max) }
            }
            for socket in sockets { close(socket) }
            #expect(answers.count { $0.status == 200 && $0.end == .closed } == Self.clientCount)
            #expect(answers.allSatisfy { $0.body == answers[0].body })
            let counts = try await origin.statistics { $0.openConnections == 0 }
            #expect(counts.peakConnections == Self.clientCount)
            #expect(counts.requests == Self.clientCount)
            #expect(counts.refusedConnections == 0)
        }
    }

    @Test(.enabled(if: hasDescriptors))
    func `the end of the scope closes a crowd that is being served`() async throws {
        let sockets = try await withOrigin(LifetimeTests.configuration()) { origin in
            let sockets = (0..<300).map { _ in RawClient.connected(to: origin.port) }
            let paths = [
                "/hang", "/endless", "/latency/60000/a.jpg", "/slow/1/a.jpg", "/pictures/large.webp",
            ]
            for (index, socket) in sockets.enumerated() {
                LifetimeTests.write("GET \(paths[index % paths.count]) HTTP/1.1\r\n\r\n", to: socket)
            }
            _ = try await origin.statistics { $0.requests == 300 }
            return sockets
        }
        for socket in sockets {
            // Each ends, after whatever was under way; a read that timed out would be a connection left open.
            #expect(RawClient.received(from: socket, .max).end != .timedOut)
            close(socket)
        }
    }
}
