import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeHTTP

/// One hop against origins that do what they should not.
@Suite(.timeLimit(.minutes(1)))
struct MisbehavingOriginTests {
    private static let head = "HTTP/1.1 200 OK\r\n"

    /// What a request ends with when the server answers every request with `bytes` and hangs up.
    private func outcome(
        of bytes: String,
        _ change: (inout HTTPRequest) -> Void = { _ in }
    ) async throws -> Result<[UInt8], CalotypeError> {
        try await outcome(change) { connection in
            _ = connection.request()
            connection.send(bytes)
        }
    }

    private func outcome(
        _ change: (inout HTTPRequest) -> Void = { _ in },
        _ script: @escaping ScriptedServer.Script
    ) async throws -> Result<[UInt8], CalotypeError> {
        try await withServer(script) { server in
            var request = HTTPRequest(try server.url())
            change(&request)
            return try await withCurlTransport { [request] transport in
                do {
                    return .success(try await transport.body(request))
                } catch let error as CalotypeError {
                    return .failure(error)
                }
            }
        }
    }

    private func code(_ outcome: Result<[UInt8], CalotypeError>) -> String? {
        if case .failure(let error) = outcome { error.code.rawValue } else { nil }
    }

    @Test func `a short body is truncated and says how short`() async throws {
        let outcome = try await outcome(
            of: Self.head + "Content-Length: 1000\r\n\r\n" + String(repeating: "x", count: 400)
        )
        guard case .failure(let error) = outcome else {
            Issue.record("it succeeded")
            return
        }
        #expect(error.code == .truncatedBody)
        #expect(error.message.contains("400 of 1000"))
        #expect(error.url?.hasPrefix("http://127.0.0.1:") == true)
    }

    @Test func `bytes after the announced length are not read, nor is the connection used again`()
        async throws
    {
        try await withServer { connection in
            while connection.request() != nil {
                connection.send(Self.head + "Content-Length: 4\r\n\r\n" + String(repeating: "x", count: 1000))
            }
        } _: { server in
            try await withCurlTransport { transport in
                for _ in 0..<2 {
                    let text = try await transport.text(server.url())
                    #expect(text == "xxxx")
                }
            }
            #expect(server.accepted == 2)
        }
    }

    @Test func `a chunked body without its end is truncated`() async throws {
        let outcome = try await outcome(of: Self.head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
        #expect(code(outcome) == "truncated_body")
    }

    @Test(arguments: ["FFFFFFFFFFFFFFFF", "-1", "xyz", "FFFFFFFFFFFFFFFFFFFF"])
    func `a chunk size that is none is a protocol error`(size: String) async throws {
        let outcome = try await outcome(
            of: Self.head + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\nhello\r\n0\r\n\r\n"
        )
        #expect(code(outcome) == "protocol_error")
    }

    @Test(arguments: [
        "Content-Length: 5\r\nTransfer-Encoding: chunked", "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5, 6", "Content-Length: five", "Content-Length: -5",
    ])
    func `a body of two lengths or a senseless one is refused`(fields: String) async throws {
        let outcome = try await outcome(of: Self.head + fields + "\r\n\r\nhello")
        #expect(code(outcome) == "protocol_error")
    }

    @Test func `the same length twice is one length`() async throws {
        let outcome = try await outcome(of: Self.head + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello")
        #expect(try outcome.get() == Array("hello".utf8))
    }

    @Test func `a body without a length ends with the connection`() async throws {
        #expect(try await outcome(of: Self.head + "\r\nhello").get() == Array("hello".utf8))
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nX: y\r\n"])
    func `a connection closed before the head is complete is a reset`(bytes: String) async throws {
        #expect(try await code(outcome(of: bytes)) == "connection_reset")
    }

    @Test(arguments: ["<html>not http</html>\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n"])
    func `a response that is not HTTP is a protocol error`(bytes: String) async throws {
        #expect(try await code(outcome(of: bytes)) == "protocol_error")
    }

    @Test func `a head that comes byte by byte runs into the header timeout`() async throws {
        let outcome = try await outcome {
            $0.timeouts.headers = .milliseconds(200)
        } _: { connection in
            _ = connection.request()
            for byte in "HTTP/1.1 200 OK\r\nX-Slow: loris" {
                guard connection.send(String(byte)), connection.linger(milliseconds: 50) else { return }
            }
        }
        #expect(code(outcome) == "timeout_headers")
    }

    @Test func `a body that trickles is too slow`() async throws {
        let outcome = try await outcome {
            $0.timeouts.rateWindow = .milliseconds(200)
        } _: { connection in
            _ = connection.request()
            connection.send(Self.head + "Content-Length: 1000\r\n\r\n")
            while connection.send("x"), connection.linger(milliseconds: 20) {}
        }
        #expect(code(outcome) == "too_slow")
    }

    @Test func `a body that stalls runs into the idle timeout`() async throws {
        let outcome = try await outcome {
            $0.timeouts.idle = .milliseconds(200)
        } _: { connection in
            _ = connection.request()
            connection.send(Self.head + "Content-Length: 1000\r\n\r\nhalf")
            connection.waitForHangUp()
        }
        #expect(code(outcome) == "timeout_idle")
    }

    @Test func `an exchange that takes too long reaches the total timeout`() async throws {
        let outcome = try await outcome {
            $0.timeouts.total = .milliseconds(300)
        } _: { connection in
            _ = connection.request()
            connection.send(Self.head + "\r\n")
            let block = [UInt8](repeating: 0, count: 4096)
            while connection.send(block), connection.linger(milliseconds: 20) {}
        }
        #expect(code(outcome) == "timeout_total")
    }

    @Test func `a reset after the head truncates, before the head it resets`() async throws {
        let late = try await outcome { connection in
            _ = connection.request()
            connection.send(Self.head + "Content-Length: 1000\r\n\r\nhalf")
            _ = connection.linger(milliseconds: 100)
            connection.reset()
        }
        #expect(code(late) == "truncated_body")
        let early = try await outcome { connection in
            _ = connection.request()
            connection.reset()
        }
        #expect(code(early) == "connection_reset")
    }

    @Test func `a head without end is refused at its limits`() async throws {
        let wide = try await outcome(
            of: Self.head + "X: " + String(repeating: "x", count: 70_000) + "\r\n\r\n"
        )
        #expect(code(wide) == "too_many_header_bytes")
        let long = try await outcome(of: Self.head + String(repeating: "X: y\r\n", count: 300) + "\r\n")
        #expect(code(long) == "too_many_header_bytes")
        let endless = try await outcome { connection in
            _ = connection.request()
            connection.send(Self.head)
            while connection.send("X: " + String(repeating: "x", count: 500) + "\r\n") {}
        }
        #expect(code(endless) == "too_many_header_bytes")
    }

    @Test func `a body without end stops at the limit`() async throws {
        let outcome = try await outcome {
            $0.limits.bodyBytes = .mebibytes(1)
        } _: { connection in
            _ = connection.request()
            connection.send(Self.head + "\r\n")
            let block = [UInt8](repeating: 0, count: 65_536)
            while connection.send(block) {}
        }
        #expect(code(outcome) == "too_many_bytes")
    }

    @Test func `a body announced as too long is not downloaded`() async throws {
        let outcome = try await outcome {
            $0.limits.bodyBytes = .mebibytes(1)
        } _: { connection in
            _ = connection.request()
            connection.send(Self.head + "Content-Length: 1048577\r\n\r\n")
            connection.waitForHangUp()
        }
        #expect(code(outcome) == "too_many_bytes")
    }

    @Test func `a body exactly at the limit is whole`() async throws {
        let body = String(repeating: "x", count: 1000)
        let outcome = try await outcome(of: Self.head + "Content-Length: 1000\r\n\r\n" + body) {
            $0.limits.bodyBytes = ByteCount(1000)
        }
        #expect(try outcome.get().count == 1000)
    }

    @Test(arguments: [true, false])
    func `a compressed bomb stops at the decoded limit`(isAskedFor: Bool) async throws {
        // Made before the clock runs.
        #expect(GzipZeros.file.count < 8000)
        let outcome = try await outcome {
            $0.limits.bodyBytes = .kibibytes(100)
            $0.acceptsCompressed = isAskedFor
        } _: { connection in
            _ = connection.request()
            let bomb = GzipZeros.file
            connection.send(Self.head + "Content-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n")
            connection.send(bomb)
            connection.waitForHangUp()
        }
        #expect(code(outcome) == "too_many_bytes")
    }

    @Test func `a compressed body within the limit is decoded`() async throws {
        let outcome = try await outcome {
            $0.acceptsCompressed = true
        } _: { connection in
            let request = connection.request() ?? ""
            #expect(request.contains("Accept-Encoding: deflate, gzip"))
            connection.send(Self.head + "Content-Encoding: gzip\r\n\r\n")
            connection.send(GzipZeros.file)
        }
        #expect(try outcome.get().count == 2 * GzipZeros.blockBytes)
    }

    @Test func `interim responses are skipped`() async throws {
        let outcome = try await outcome(
            of: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + Self.head + "Content-Length: 2\r\n\r\nok"
        )
        #expect(try outcome.get() == Array("ok".utf8))
    }

    @Test func `a connection that the server closed meanwhile is replaced unseen`() async throws {
        try await withServer { connection in
            // The first connection answers one request, takes another, and goes away without a word.
            guard connection.request() != nil else { return }
            connection.answer()
            guard connection.number > 0 else {
                _ = connection.request()
                return
            }
            while connection.request() != nil { connection.answer() }
        } _: { server in
            try await withCurlTransport { transport in
                for _ in 0..<3 {
                    let text = try await transport.text(server.url())
                    #expect(text == "hello")
                }
            }
            #expect(server.accepted == 2)
        }
    }
}
