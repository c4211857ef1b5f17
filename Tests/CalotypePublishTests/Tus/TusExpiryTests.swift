import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct TusExpiryTests {
    /// Sun, 06 Nov 1994 08:00:00 GMT.
    private static let start = WallTime(secondsSince1970: 784_108_800)

    private static func creation(_ store: inout ScriptedTus.Store, date: String?) -> ScriptedResponse {
        store.created += 1
        store.bytes = []
        var fields: KeyValuePairs = [
            "Location": "/files/\(store.created)", "Upload-Expires": "Sun, 06 Nov 1994 09:00:00 GMT",
        ]
        if let date {
            fields = [
                "Location": "/files/\(store.created)", "Upload-Expires": "Sun, 06 Nov 1994 09:00:00 GMT",
                "Date": date,
            ]
        }
        return .status(201, headers: fields)
    }

    /// How the attempt `later` than the first one goes.
    private func course(later: Duration, date: String? = nil) async throws -> [String] {
        try await withScratchFolder { folder in
            let time = Guarded(Self.start)
            let server = try ScriptedTus(now: { time.withLock { $0 } })
            server.next(.post) { store, _, _ in Self.creation(&store, date: date) }
            server.next(.patch, 503)
            let medium = try sampleMedium(100, in: folder)
            _ = try await server.failure(medium)
            time.withLock { $0 = $0 + later }
            try await server.attempt(medium)
            return Array(server.course.dropFirst(2))
        }
    }

    @Test func `an upload that has expired is not queried`() async throws {
        let before = try await course(later: .seconds(3599))
        #expect(before == ["HEAD /files/1", "PATCH /files/1 0"])
        let after = try await course(later: .seconds(3600))
        #expect(after == ["POST /files/", "PATCH /files/2 0"])
    }

    @Test func `the server's clock may be another`() async throws {
        // The server is 50 minutes ahead: ten minutes are left.
        let ahead = "Sun, 06 Nov 1994 08:50:00 GMT"
        let before = try await course(later: .seconds(599), date: ahead)
        #expect(before.first == "HEAD /files/1")
        let after = try await course(later: .seconds(600), date: ahead)
        #expect(after.first == "POST /files/")
        // The server is two hours behind: three hours are left.
        let behind = try await course(later: .seconds(10_799), date: "Sun, 06 Nov 1994 06:00:00 GMT")
        #expect(behind.first == "HEAD /files/1")
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 09:00:30 GMT", 1), ("Sun, 06 Nov 1994 10:00:00 GMT", 2), ("tomorrow", 1),
    ])
    func `an expiry that has moved is remembered, unless by seconds`(expires: String, count: Int) async throws
    {
        try await withScratchFolder { folder in
            let server = try ScriptedTus(now: { Self.start })
            server.next(.post) { store, _, _ in Self.creation(&store, date: nil) }
            server.next(.patch) { store, _, body in
                store.bytes += body
                return .status(204, headers: ["Upload-Offset": "100", "Upload-Expires": expires])
            }
            try await server.attempt(try sampleMedium(200, in: folder))
            #expect(server.log.states.count == count)
        }
    }
}
