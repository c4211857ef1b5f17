import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeHTTP

/// A process that has no file descriptor left for a while.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct ShortageTests {
    private func trial(
        readyFor policies: [AddressPolicy],
        _ body: (ScriptedServer, CurlTransport) async throws -> Void
    ) async throws {
        var configuration = CurlConfiguration()
        configuration.readyPolicies = policies
        try await withServer { connection in
            while connection.request() != nil { connection.answer() }
        } _: { server in
            try await withCurlTransport(configuration) { try await body(server, $0) }
        }
    }

    @Test(arguments: [[], [AddressPolicy.any]])
    func `a transport whose first request finds no descriptor works when there are some again`(
        policies: [AddressPolicy]
    ) async throws {
        try await trial(readyFor: policies) { server, transport in
            let failure = try await withoutDescriptors {
                await code { try await transport.text(server.url()) }
            }
            #expect(failure == .resourceShortage)
            for _ in 0..<3 {
                let text = try await transport.text(server.url())
                #expect(text == "hello")
            }
        }
    }

    @Test func `a connection never takes the last descriptors`() async throws {
        try await trial(readyFor: [.any]) { server, transport in
            let failure = try await withDescriptorLimit(400) {
                var taken: [Int32] = []
                while taken.last ?? 0 < Int32(DescriptorLimit.firstReserved) - 1 {
                    taken.append(try #require(Optional(dup(STDERR_FILENO)).flatMap { $0 >= 0 ? $0 : nil }))
                }
                defer { for descriptor in taken { close(descriptor) } }
                return await code { try await transport.text(server.url()) }
            }
            #expect(failure == .resourceShortage)
            let text = try await transport.text(server.url())
            #expect(text == "hello")
        }
    }

    @Test func `what is needed for life is there before the first request`() async throws {
        try await trial(readyFor: [.any, .publicOnly]) { _, transport in
            #expect(transport.snapshot.loops == 2)
        }
    }

    @Test func `a name that could not be resolved is tried again`() async throws {
        ScriptedNames.set("short.scripted.test", "fail")
        try await trial(readyFor: [.any]) { server, transport in
            let url = try server.url(host: "short.scripted.test")
            let failure = try await withoutDescriptors { await code { try await transport.text(url) } }
            #expect(failure == .resourceShortage)
            ScriptedNames.set("short.scripted.test", "127.0.0.1")
            let text = try await transport.text(url)
            #expect(text == "hello")
        }
    }
}
