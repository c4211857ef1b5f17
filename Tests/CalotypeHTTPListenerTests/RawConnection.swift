import CalotypePlatform
import TaskFlow

/// A client's connection that knows no HTTP: it sends text and keeps what comes, in blocking calls on its own threads.
final class RawConnection: Sendable {
    /// What came until the connection ended or enough was there.
    struct Received: Sendable {
        enum End: Sendable {
            case closed, reset, enough, timedOut
        }

        var bytes: [UInt8] = []
        var end = End.closed

        var text: String { String(decoding: bytes, as: UTF8.self) }
        var head: String { String(decoding: bytes[..<(bodyStart ?? bytes.count)], as: UTF8.self) }
        var body: [UInt8] { bodyStart.map { Array(bytes[$0...]) } ?? [] }
        var bodyText: String { String(decoding: body, as: UTF8.self) }
        var status: Int? { head.hasPrefix("HTTP/1.1 ") ? Int(head.dropFirst(9).prefix(3)) : nil }

        func field(_ name: String) -> String? {
            let prefix = "\(name.lowercased()): "
            let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(prefix) }
            return line.map { String($0.dropFirst(prefix.count)) }
        }

        /// The length of the first answer, where its head and all that the head promises is there.
        var answerEnd: Int? {
            guard let bodyStart else { return nil }
            let length = field("Content-Length").flatMap { Int($0) } ?? 0
            return bytes.count >= bodyStart + length ? bodyStart + length : nil
        }

        private var bodyStart: Int? {
            bytes.indices.dropLast(3).first { bytes[$0...].starts(with: [13, 10, 13, 10]) }.map { $0 + 4 }
        }
    }

    let descriptor: Int32
    private let executor: ThreadExecutor
    private let isOpen = Guarded(true)

    init(_ descriptor: Int32, _ executor: ThreadExecutor) {
        self.descriptor = descriptor
        self.executor = executor
    }

    deinit {
        close()
    }

    func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    /// Sends all of the bytes; waits for room.
    func send(_ bytes: [UInt8]) async throws {
        try await executor.run { try self.sendNow(bytes) }
    }

    /// Sends all of the bytes on the calling thread, which may be blocked.
    func sendNow(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe CalotypePlatform.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw ClientFailure("send: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads until `isEnough`, or the end, or nothing came for 20 s.
    func receive(
        until isEnough: @escaping @Sendable (Received) -> Bool = { _ in false }
    ) async throws -> Received {
        let descriptor = descriptor
        return try await executor.run { Self.receive(descriptor, isEnough) }
    }

    /// Reads one answer with its body.
    func answer() async throws -> Received {
        try await receive { $0.answerEnd != nil }
    }

    /// Reads until `isEnough` on the calling thread, which may be blocked; see ``receive(until:)``.
    func receiveNow(until isEnough: (Received) -> Bool) -> Received {
        Self.receive(descriptor, isEnough)
    }

    /// Reads about `count` bytes and keeps none.
    func drop(_ count: Int) async throws -> Int {
        let descriptor = descriptor
        return try await executor.run {
            var bytes = [UInt8](repeating: 0, count: 64 << 10)
            var sum = 0
            while sum < count {
                let got = unsafe recv(descriptor, &bytes, min(bytes.count, count - sum), 0)
                guard got > 0 else { break }
                sum += got
            }
            return sum
        }
    }

    func close() {
        if isOpen.withLock({
            let was = $0; $0 = false; return was
        }) {
            CalotypePlatform.close(descriptor)
        }
    }

    /// Closes with RST.
    func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Ends the sending side.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    private static func receive(_ descriptor: Int32, _ isEnough: (Received) -> Bool) -> Received {
        var received = Received()
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while !isEnough(received) {
            let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
            if count == 0 { return received }
            if count < 0 {
                received.end = errno == ECONNRESET ? .reset : .timedOut
                return received
            }
            received.bytes += chunk[..<count]
        }
        received.end = .enough
        return received
    }
}

struct ClientFailure: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// Connects to one port of this machine.
struct RawClient: Sendable {
    let port: Int
    let executor: ThreadExecutor

    func connect(receiveBuffer: Int32? = nil) throws -> RawConnection {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ClientFailure("socket: \(errno)") }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var bytes = receiveBuffer {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe CalotypePlatform.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            let failure = ClientFailure("connect: \(errno)")
            close(descriptor)
            throw failure
        }
        return RawConnection(descriptor, executor)
    }

    /// Sends `text` on a connection of its own, and reads to the end.
    func exchange(_ text: String) async throws -> RawConnection.Received {
        let connection = try connect()
        try await connection.send(text)
        return try await connection.receive()
    }

    /// Sends a GET whose answer is the last on its connection.
    func get(_ target: String, _ fields: String...) async throws -> RawConnection.Received {
        try await exchange(request("GET", target, fields + ["Connection: close"]))
    }
}

/// A request's head, with `Host`.
func request(_ method: String, _ target: String, _ fields: [String] = [], body: String = "") -> String {
    (["\(method) \(target) HTTP/1.1", "Host: test"] + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
}
