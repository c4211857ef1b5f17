import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

/// Responses of transports from outside.
@Suite(.timeLimit(.minutes(1)))
struct SuppliedBodyTests {
    private static func response(
        _ pieces: [[UInt8]],
        length: Int? = nil,
        then end: (any Error)? = nil,
        calls: Recorder<Int> = Recorder()
    ) throws -> HTTPResponse {
        HTTPResponse(
            url: try WebURL("http://a.test/1.jpg"),
            status: 200,
            contentLength: length.map { ByteCount($0) }
        ) {
            calls.record(calls.count)
            if calls.count <= pieces.count { return pieces[calls.count - 1] }
            if let end { throw end }
            return nil
        }
    }

    private static func code(_ response: HTTPResponse) async -> ErrorCode? {
        do {
            _ = try await response.body.collect()
            return nil
        } catch {
            return (error as? CalotypeError)?.code
        }
    }

    @Test func `pieces arrive in order, the large ones in parts and the empty ones not at all`() async throws
    {
        let large = (0..<40_000).map { UInt8($0 % 251) }
        let response = try Self.response([[1], [], large, [2, 3]])
        var sizes: [Int] = []
        var bytes: [UInt8] = []
        for try await piece in response.body {
            sizes.append(piece.count)
            bytes += piece
        }
        #expect(sizes == [1, 16_384, 16_384, 7_232, 2])
        #expect(bytes == [1] + large + [2, 3])
    }

    @Test(
        arguments: [
            (3, nil), (nil, nil), (4, ErrorCode.truncatedBody), (2, ErrorCode.protocolError),
        ] as [(Int?, ErrorCode?)]
    )
    func `a body has the length that was announced, or fails`(length: Int?, code: ErrorCode?) async throws {
        #expect(await Self.code(try Self.response([[1, 2], [3]], length: length)) == code)
    }

    @Test func `after its end, the closure is not called again`() async throws {
        let calls = Recorder<Int>()
        let failure = CalotypeError(.connectionReset, "gone", stage: .body)
        let failing = try Self.response([[1]], then: failure, calls: calls)
        #expect(await Self.code(failing) == .connectionReset)
        #expect(await Self.code(failing) == .connectionReset)
        #expect(calls.count == 2)
        let complete = try Self.response([[1]], calls: calls)
        #expect(try await complete.body.collect() == [])
        #expect(try await complete.body.collect() == [])
        #expect(calls.count == 3)
    }

    @Test func `a cancelled reader gets no piece, and calls nothing`() async throws {
        let calls = Recorder<Int>()
        let response = try Self.response([[1]], calls: calls)
        let reader = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await response.body.collect()
        }
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(calls.count == 0)
    }
}
