import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct TusDiscardTests {
    private func discard(
        _ server: ScriptedTus,
        _ state: RememberedState,
        _ uploaded: UploadedMedium? = nil
    ) async throws {
        let client = PublishClient(HTTPClient(server.transport))
        try await server.destination().discard(state, uploaded, client)
    }

    @Test(arguments: [200, 204, 404, 405, 410, 501])
    func `an upload is removed, or is gone, or stays with a server that removes nothing`(
        status: Int
    )
        async throws
    {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            server.next(.patch, 503)
            _ = try await server.failure(try sampleMedium(100, in: folder))
            server.next(.delete, status)
            try await discard(server, server.log.state)
            #expect(server.course.last == "DELETE /files/1")
        }
    }

    @Test(arguments: [(401, PublishError.Remedy.none), (423, .busy), (500, .retry)])
    func `an upload that is not removed is reported`(status: Int, remedy: PublishError.Remedy) async throws {
        let server = try ScriptedTus()
        server.next(.delete, status)
        let failure = await #expect(throws: PublishError.self) {
            try await discard(server, .none, UploadedMedium(id: "https://media.test/files/1"))
        }
        #expect(failure?.remedy == remedy)
    }

    @Test func `where nothing was created, nothing is removed`() async throws {
        let server = try ScriptedTus()
        try await discard(server, .none)
        #expect(server.course.isEmpty)
    }

    @Test func `nothing is removed elsewhere`() async throws {
        let server = try ScriptedTus()
        let elsewhere = UploadedMedium(id: "https://other.test/files/1")
        await #expect(throws: PublishError.self) { try await discard(server, .none, elsewhere) }
        #expect(server.course.isEmpty)
    }
}
