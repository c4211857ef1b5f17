import CalotypeCore
import CalotypeFiles
import CalotypeHTTPListener
import CalotypePlatform
import CalotypeTestKit
import Foundation
import TaskFlow
import Testing

/// Descriptors that connections never take.
@Suite(.timeLimit(.minutes(1)))
struct ReserveTests {
    /// The numbers below are for connections; the clients of the test have theirs well above.
    private static let firstReserved = 300
    private static let clients: Int32 = 600

    private func descriptors(upTo count: Int32) -> [Int32] {
        var taken: [Int32] = []
        while let next = Optional(dup(STDERR_FILENO)), next >= 0 {
            taken.append(next)
            if next >= count { break }
        }
        return taken
    }

    /// The descriptors that are open among those that no connection may have.
    private func reserved() throws -> Set<Int32> {
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            Int32($0)
        }
        return Set(open.filter { (Int32(Self.firstReserved)..<Self.clients).contains($0) })
    }

    @Test func `connections leave what is reserved, and those that wait come in when others end`()
        async throws
    {
        let responder = ScriptedResponder(immediate: { .text($0.target) }) { _ in .text("") }
        // All but some forty numbers below the reserve are taken; others come free when something else in this process ends.
        let filled = descriptors(upTo: Int32(Self.firstReserved) - 40)
        defer { for descriptor in filled { close(descriptor) } }
        let others = try reserved()
        try await withTestListener(responder) {
            $0.reservedDescriptors = DescriptorLimit.current - Self.firstReserved
        } _: { listener, client in
            let connections = try (0..<80).map { _ in
                let low = try client.connect()
                let high = fcntl(low.descriptor, F_DUPFD_CLOEXEC, Self.clients)
                low.close()
                return RawConnection(high, client.executor)
            }
            for (index, connection) in connections.enumerated() {
                try await connection.send(request("GET", "/\(index)"))
            }
            // In the order in which they connected; each that ends makes room for one that waits.
            for (index, connection) in connections.enumerated() {
                let answer = try await connection.answer()
                #expect(answer.bodyText == "/\(index)")
                // The last connection that was accepted may have one, and each of the looks for a free number another.
                #expect(try reserved().subtracting(others).count <= 3)
                connection.close()
            }
        }
    }
}
