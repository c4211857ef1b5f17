import CalotypeCore
import CalotypeHTTPMessages
import Glibc
import TaskFlow

/// What comes on one connection: heads of requests, and their bodies; used by one task at a time.
final class Inlet: Sendable {
    private let socket: Int32
    private let reactor: Reactor
    private let idleLimit: Duration
    /// What was received and not yet used.
    private let received = Guarded<[UInt8]>([])

    init(_ socket: Int32, _ reactor: Reactor, idleLimit: Duration) {
        self.socket = socket
        self.reactor = reactor
        self.idleLimit = idleLimit
    }

    /// The lines of the next request head, each with its end, without the blank line.
    ///
    /// - Returns: `nil` when the client has closed between requests or was idle for too long.
    /// - Throws: `OriginError.hangUp` when it reset the connection, `CalotypeError` when the head is too large.
    func nextHead() async throws -> [UInt8]? {
        let deadline = ContinuousClock.now + idleLimit
        var searched = 0
        while true {
            if let head = takeHead(from: searched) { return head }
            let count = received.withLock(\.count)
            guard count < RequestHead.largest else {
                throw CalotypeError(.tooManyHeaderBytes, "the request head is too large", stage: .request)
            }
            searched = max(0, count - 3)
            switch try receive(4096) {
            case let bytes? where bytes.isEmpty: return nil
            case let bytes?: received.withLock { $0 += bytes }
            case nil:
                let outcome = try await reactor.wait(for: .readable, on: socket, until: deadline)
                if outcome == .timedOut { return nil }
            }
        }
    }

    /// The next bytes of a body, at least one and at most `limit`.
    ///
    /// - Throws: `OriginError.hangUp` when the client has closed, or sent nothing for too long.
    func next(_ limit: Int) async throws -> [UInt8] {
        let waiting = received.withLock { received in
            let bytes = Array(received.prefix(limit))
            received.removeFirst(bytes.count)
            return bytes
        }
        guard waiting.isEmpty else { return waiting }
        while true {
            try Task.checkCancellation()
            if let bytes = try receive(limit) {
                guard !bytes.isEmpty else { throw OriginError.hangUp }
                return bytes
            }
            let outcome = try await reactor.wait(for: .readable, on: socket, until: .now + idleLimit)
            if outcome == .timedOut { throw OriginError.hangUp }
        }
    }

    /// Reads and drops what comes until the client closes, `deadline` has come or it was `limit` bytes.
    func drain(_ limit: Int, until deadline: ContinuousClock.Instant) async throws {
        received.withLock { $0 = [] }
        var left = limit
        while left > 0 {
            if let bytes = try receive(64 << 10) {
                guard !bytes.isEmpty else { return }
                left -= bytes.count
            } else if try await reactor.wait(for: .readable, on: socket, until: deadline) == .timedOut {
                return
            }
            guard ContinuousClock.now < deadline else { return }
        }
    }

    /// Tells a client who asked that the body is wanted (RFC 9110, section 15.2.1).
    func sayContinue() throws(OriginError) {
        let bytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        // The client waits and has nothing else to read, so that these few bytes find room.
        let count = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count == bytes.count else { throw OriginError.hangUp }
    }

    /// Lets `duration` pass, or less where the client ends its side.
    func pause(_ duration: Duration) async throws {
        _ = try await reactor.wait(for: .hangUp, on: socket, until: .now + duration)
    }

    /// Waits until the client ends its side, as long as a client may be idle at most.
    ///
    /// What the client has closed is not seen before all is read that it sent.
    func waitForHangUp() async throws {
        _ = try await reactor.wait(for: .hangUp, on: socket, until: .now + idleLimit)
        throw OriginError.hangUp
    }

    private func takeHead(from start: Int) -> [UInt8]? {
        received.withLock { received in
            guard let end = Self.headEnd(in: received, from: start) else { return nil }
            defer { received.removeFirst(end.next) }
            return Array(received[..<end.head])
        }
    }

    /// Reads what is there, at most `limit` bytes: none at the end, `nil` where nothing is there yet.
    private func receive(_ limit: Int) throws(OriginError) -> [UInt8]? {
        while true {
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
                count = unsafe recv(socket, buffer.baseAddress, limit, 0)
                filled = max(count, 0)
            }
            if count >= 0 { return bytes }
            if errno == EAGAIN { return nil }
            if errno != EINTR { throw OriginError.hangUp }
        }
    }

    /// Where the last line of the first head ends and what follows the blank line begins; lines may end in LF alone.
    ///
    /// The end of the last line belongs to the head: cut between its CR and LF, the CR would count to the value.
    private static func headEnd(in bytes: [UInt8], from start: Int) -> (head: Int, next: Int)? {
        var index = start
        while index < bytes.count {
            guard bytes[index] == 10 else {
                index += 1
                continue
            }
            if index + 1 < bytes.count, bytes[index + 1] == 10 { return (index + 1, index + 2) }
            if index + 2 < bytes.count, bytes[index + 1] == 13, bytes[index + 2] == 10 {
                return (index + 1, index + 3)
            }
            index += 1
        }
        return nil
    }
}
