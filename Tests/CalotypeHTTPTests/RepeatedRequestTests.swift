import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeHTTP

/// What becomes of a request on a connection that was kept and is dead.
@Suite(.timeLimit(.minutes(1)))
struct RepeatedRequestTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let method: HTTPMethod
        var body = HTTPBody.none
        let isRepeated: Bool

        var testDescription: String { "\(method) of \(body.length)" }
    }

    static let cases = [
        Case(method: .get, isRepeated: true),
        Case(method: .head, isRepeated: true),
        Case(method: .delete, isRepeated: true),
        Case(method: .put, isRepeated: true),
        Case(method: .post, isRepeated: false),
        Case(method: .patch, isRepeated: false),
        Case(method: .post, body: HTTPBody(SampleFile.bytes(10)), isRepeated: false),
        Case(method: .put, body: HTTPBody(SampleFile.bytes(10)), isRepeated: false),
        Case(method: .patch, body: HTTPBody(SampleFile.bytes(1_000_000)), isRepeated: false),
    ]

    @Test(arguments: cases)
    func `a request that was seen without a response is sent again only if it is safe`(
        of example: Case
    ) async throws {
        let seen = Recorder<String>()
        try await withServer { connection in
            while let (head, _) = connection.wholeRequest() {
                seen.record(String(head.prefix { $0 != " " }))
                // The second request of the first connection is taken, and then the connection closed.
                if connection.number == 0, seen.count == 2 { return }
                connection.answer(body: head.hasPrefix("HEAD") ? "" : "hello")
            }
        } _: { server in
            try await withCurlTransport { transport in
                _ = try await transport.text(server.url())
                let request = HTTPRequest(try server.url(), method: example.method, body: example.body)
                if example.isRepeated {
                    _ = try await transport.body(request)
                } else {
                    #expect(await code { try await transport.body(request) } == .connectionReset)
                }
                let last = try await transport.text(server.url())
                #expect(last == "hello")
            }
        }
        let requests = seen.values.dropFirst().dropLast()
        #expect(requests.count == (example.isRepeated ? 2 : 1))
        #expect(requests.allSatisfy { $0 == example.method.name })
    }

    @Test func `posts to an origin that closes idle connections arrive once each`() async throws {
        let seen = Recorder<[UInt8]>()
        try await withServer { connection in
            // Half of the connections are closed as soon as they are idle, without a word.
            repeat {
                guard let (_, body) = connection.wholeRequest() else { return }
                seen.record(body)
                connection.answer("201 Created")
            } while connection.number % 2 == 1
        } _: { server in
            try await withCurlTransport { transport in
                var failed: [[UInt8]] = []
                for number in 0..<200 {
                    let body = Array("post \(number)".utf8)
                    let request = HTTPRequest(try server.url(), method: .post, body: HTTPBody(body))
                    do {
                        _ = try await transport.body(request)
                    } catch let error as CalotypeError {
                        #expect(error.code == .connectionReset)
                        failed.append(body)
                    }
                }
                #expect(Set(seen.values).count == seen.values.count)
                #expect(Set(seen.values).union(failed).count == 200)
            }
        }
    }

    @Test func `a request that needs its own connection gets one, and others can use it afterwards`()
        async throws
    {
        try await withServer { connection in
            while connection.wholeRequest() != nil { connection.answer() }
        } _: { server in
            try await withCurlTransport { transport in
                var request = HTTPRequest(try server.url(), method: .post, body: HTTPBody([1]))
                request.needsNewConnection = true
                for count in 1...3 {
                    _ = try await transport.body(request)
                    #expect(server.accepted == count)
                }
                _ = try await transport.text(server.url())
                #expect(server.accepted == 3)
            }
        }
    }
}
