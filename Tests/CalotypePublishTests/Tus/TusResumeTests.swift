import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct TusResumeTests {
    private static let reset = CalotypeError(.connectionReset, "the connection was cut", stage: .response)

    @Test(arguments: [0, 1, 50, 99, 100])
    func `after a cut the server is asked, and sent only what it does not have`(kept: Int) async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            let medium = try sampleMedium(250, in: folder)
            server.next(.patch) { _, _, _ in nil }
            server.next(.patch) { store, _, body in
                store.bytes += body.prefix(kept)
                return .failure(Self.reset)
            }
            await #expect(throws: CalotypeError.self) { try await server.attempt(medium) }
            try await server.attempt(medium)
            #expect(server.bytes == noise(250))
            #expect(server.created == 1)
            #expect(
                server.course.dropFirst(3).prefix(2) == ["HEAD /files/1", "PATCH /files/1 \(100 + kept)"]
            )
            #expect(server.transport.statistics.sentBytes <= ByteCount(250 + 100))
            let acknowledged = server.log.acknowledged.values.map(\.bytes)
            #expect(acknowledged == acknowledged.sorted())
            #expect(acknowledged.last == 250)
        }
    }

    @Test func `what is whole is not sent again`() async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            let medium = try sampleMedium(100, in: folder)
            server.next(.patch) { store, _, body in
                store.bytes += body
                return .failure(Self.reset)
            }
            await #expect(throws: CalotypeError.self) { try await server.attempt(medium) }
            try await server.attempt(medium)
            #expect(server.course.last == "HEAD /files/1")
            #expect(server.log.acknowledged.values.last == ByteCount(100))
        }
    }

    @Test func `a conflict is settled by asking, within the attempt`() async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            server.next(.patch) { _, _, _ in nil }
            server.next(.patch) { store, _, _ in
                store.bytes.append(contentsOf: noise(250)[100..<130])
                return .status(409)
            }
            try await server.attempt(try sampleMedium(250, in: folder))
            #expect(server.bytes == noise(250))
            #expect(
                server.course.dropFirst(2) == [
                    "PATCH /files/1 100", "HEAD /files/1", "PATCH /files/1 130", "PATCH /files/1 230",
                ]
            )
        }
    }

    @Test func `conflicts without end end the attempt, not the publication`() async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            server.next(.patch, 409, count: 100)
            let failure = try await server.failure(try sampleMedium(250, in: folder))
            #expect(failure?.remedy == .retry)
            #expect(server.transport.requests.count < 20)
        }
    }

    @Test(arguments: [HTTPMethod.patch, .head])
    func `an upload that is locked is busy`(method: HTTPMethod) async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            let medium = try sampleMedium(100, in: folder)
            if method == .head { server.next(.patch, 503) }
            server.next(method, 423)
            if method == .head { _ = try await server.failure(medium) }
            let failure = try await server.failure(medium)
            #expect(failure?.remedy == .busy)
            try await server.attempt(medium)
            #expect(server.created == 1)
            #expect(server.bytes == noise(100))
        }
    }

    @Test(arguments: [(HTTPMethod.head, 404), (.head, 410), (.head, 403), (.patch, 404), (.patch, 410)])
    func `an upload that the server has lost starts over`(method: HTTPMethod, status: Int) async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            let medium = try sampleMedium(100, in: folder)
            server.next(.patch, 503)
            _ = try await server.failure(medium)
            server.next(method, status)
            let failure = try await server.failure(medium)
            #expect(failure?.remedy == .startOver)
            #expect(failure?.error.code == .http(status: status))
        }
    }

    @Test(arguments: [(200, PublishError.Remedy.none), (403, .startOver)])
    func `where sending is forbidden, the server is asked whether the upload is lost`(
        status: Int,
        remedy: PublishError.Remedy
    ) async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            server.next(.patch, 403)
            if status != 200 { server.next(.head, status) }
            let failure = try await server.failure(try sampleMedium(100, in: folder))
            #expect(failure?.remedy == remedy)
        }
    }

    @Test(arguments: [HTTPMethod.head, .patch])
    func `a server that has more than there is does not have the file`(method: HTTPMethod) async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            let medium = try sampleMedium(100, in: folder)
            server.next(.patch, 503)
            _ = try await server.failure(medium)
            server.next(method, 204, headers: ["Upload-Offset": "101"])
            let failure = try await server.failure(medium)
            #expect(failure?.remedy == .startOver)
            #expect(server.course.last == "DELETE /files/1")
            #expect(server.log.acknowledged.values.allSatisfy { $0.bytes <= 100 })
        }
    }

    @Test func `a server that has more than it was sent does not have the file`() async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            server.next(.patch, 204, headers: ["Upload-Offset": "150"])
            let failure = try await server.failure(try sampleMedium(250, in: folder))
            #expect(failure?.remedy == .startOver)
            #expect(server.log.acknowledged.values == [ByteCount(0)])
        }
    }

    @Test func `an upload of another length is another file's`() async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            let medium = try sampleMedium(100, in: folder)
            server.next(.patch, 503)
            _ = try await server.failure(medium)
            server.next(.head, 200, headers: ["Upload-Offset": "7", "Upload-Length": "99"])
            let failure = try await server.failure(medium)
            #expect(failure?.remedy == .startOver)
        }
    }

    @Test func `bytes that the server lost are reported and sent again`() async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            server.next(.patch) { _, _, _ in nil }
            server.next(.patch) { store, _, _ in
                store.bytes.removeLast(60)
                return .status(409)
            }
            try await server.attempt(try sampleMedium(250, in: folder))
            #expect(server.bytes == noise(250))
            #expect(server.log.acknowledged.values.map(\.bytes) == [0, 100, 40, 140, 240, 250])
        }
    }

    @Test func `a server that keeps less than it was sent is sent the rest`() async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            for _ in 0..<9 {
                server.next(.patch) { store, _, body in
                    store.bytes += body.prefix(30)
                    return .status(204, headers: ["Upload-Offset": "\(store.bytes.count)"])
                }
            }
            try await server.attempt(try sampleMedium(250, in: folder))
            #expect(server.bytes == noise(250))
            #expect(
                server.log.acknowledged.values.map(\.bytes) == Array(stride(from: 0, to: 250, by: 30)) + [250]
            )
        }
    }

    @Test func `a server that takes nothing any more is not sent the same for ever`() async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            for _ in 0..<100 { server.next(.patch, 204, headers: ["Upload-Offset": "0"]) }
            let failure = try await server.failure(try sampleMedium(100, in: folder))
            #expect(failure?.remedy == .retry)
            #expect(server.transport.requests.count < 20)
        }
    }

    @Test(arguments: ["", "-1", "1e2", "0x10", "99999999999999999999", "12 13"])
    func `an offset that is not a number is queried`(offset: String) async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            server.next(.patch) { store, _, body in
                store.bytes += body
                return .status(200, headers: ["Upload-Offset": offset])
            }
            try await server.attempt(try sampleMedium(150, in: folder))
            #expect(server.course.dropFirst(2) == ["HEAD /files/1", "PATCH /files/1 100"])
        }
    }

    @Test func `a meaningless response to the query is a proxy's, and is temporary`() async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            let medium = try sampleMedium(100, in: folder)
            server.next(.patch, 503)
            _ = try await server.failure(medium)
            server.next(.head, 200)
            let failure = try await server.failure(medium)
            #expect(failure?.remedy == .retry)
        }
    }
}
