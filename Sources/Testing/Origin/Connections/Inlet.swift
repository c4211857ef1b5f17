import CalotypeCore
import CalotypeHTTPMessages
import CalotypePlatform
import TaskFlow

/// The incoming data of one connection: request heads and bodies.
///
/// One task at a time uses it.
final class Inlet: Sendable {
    private let socket: Int32
    private let reactor: Reactor
    private let idleLimit: Duration
    /// Bytes that were received and not used yet.
    private let received = Guarded<[UInt8]>([])

    init(_ socket: Int32, _ reactor: Reactor, idleLimit: Duration) {
        self.socket = socket
        self.reactor = reactor
        self.idleLimit = idleLimit
    }

    /// Returns the lines of the next request head, each with its end, without the blank line.
    ///
    /// - Returns: `nil` if the client closed between requests or was idle for too long.
    /// - Throws: `OriginError.hangUp` if it reset the connection, `CalotypeError` if the head is too large.
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

    /// Returns the next bytes of a body, at least one and at most `limit`.
    ///
    /// - Throws: `OriginError.hangUp` if the client closed, or sent nothing for too long.
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

    /// Reads and discards data until the client closes, `deadline` passes or `limit` bytes have arrived.
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

    /// Sends 100 Continue if the client expects it (RFC 9110, section 15.2.1).
    func sayContinue() throws(OriginError) {
        let bytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        // The client waits and has nothing else to read, so the socket has space for these few bytes.
        let count = unsafe bytes.withUnsafeBytes {
            unsafe CalotypePlatform.send(socket, $0.baseAddress, $0.count, Platform.noSignal)
        }
        guard count == bytes.count else { throw OriginError.hangUp }
    }

    /// Waits for `duration`, or until the client ends its side.
    func pause(_ duration: Duration) async throws {
        _ = try await reactor.wait(for: .hangUp, on: socket, until: .now + duration)
    }

    /// Waits until the client ends its side, at most for the idle limit.
    ///
    /// A close is noticed only after all data that the client sent has been read.
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

    /// Reads at most `limit` available bytes.
    ///
    /// Returns none at the end, `nil` if nothing has arrived yet.
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

    /// Returns the end of the first head's last line and the start of what follows the blank line.
    ///
    /// Lines may end in LF alone. The end of the last line belongs to the head. If a cut separated its CR
    /// from its LF, the CR would count as part of the value.
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
