import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeHTTP

@Suite(.timeLimit(.minutes(2)))
struct SendingSweepTests {
    @Test func `an upload over libcurl cancelled at any step leaves nothing behind`() async throws {
        let bytes = SampleFile.bytes(3 * SendStateMachine.blockBytes + 1)
        try await withServer { connection in
            while let (_, body) = connection.wholeRequest() {
                #expect(body == bytes)
                connection.answer("201 Created")
            }
        } _: { server in
            try await SampleFile.with(bytes) { file in
                try await withCurlTransport { transport in
                    let client = HTTPClient(transport)
                    let request = try HTTPRequest(server.url(), method: .post, body: file.body(bytes.count))
                    // Once uncut, so that the threads run before anything is compared.
                    _ = try await transport.body(request)
                    var sweep = CancellationSweep()
                    sweep.patience = .seconds(10)
                    let report = try await sweep.run { context in
                        try await context.victim {
                            try await client.withResponse(to: request) { try await $0.body.collect() }
                        }
                        #expect(transport.snapshot.transfers == 0)
                        #expect(client.snapshot == HTTPClient.Snapshot(active: 0, waiting: 0, hosts: 0))
                    }
                    #expect(report.cuts > 5)
                }
            }
        }
    }
}
