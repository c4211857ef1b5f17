import CalotypeOrigin
import CalotypePlatform
import TaskFlow

/// What a connection gave until it ended or enough was read.
struct Exchange: Sendable {
    enum End: Sendable {
        case closed, reset, limit, timedOut
    }

    var bytes: [UInt8] = []
    var end = End.closed

    /// The head with its status line; everything where no head ended.
    var head: String {
        String(decoding: bytes[..<(bodyStart ?? bytes.count)], as: UTF8.self)
    }

    var body: [UInt8] {
        bodyStart.map { Array(bytes[$0...]) } ?? []
    }

    var status: Int? {
        head.hasPrefix("HTTP/1.1 ") ? Int(head.dropFirst(9).prefix(3)) : nil
    }

    func field(_ name: String) -> String? {
        let prefix = "\(name): "
        let line = head.split(separator: "\r\n").first { $0.hasPrefix(prefix) }
        return line.map { String($0.dropFirst(prefix.count)) }
    }

    private var bodyStart: Int? {
        bytes.indices.dropLast(3).first { bytes[$0...].starts(with: [13, 10, 13, 10]) }.map { $0 + 4 }
    }
}

/// A client that knows no HTTP: it sends text and keeps what comes, in blocking calls on threads of its own.
struct RawClient: Sendable {
    let port: Int
    let executor: ThreadExecutor

    /// Sends `text` on a new connection and reads up to `limit` bytes or the end; then closes.
    func send(_ text: String, limit: Int = .max) async -> Exchange {
        await send(Array(text.utf8), limit: limit)
    }

    /// Sends `bytes` on a new connection and reads up to `limit` bytes or the end; then closes.
    func send(_ bytes: [UInt8], limit: Int = .max) async -> Exchange {
        let port = port
        return await withTaskExecutorPreference(executor) { await Self.exchange(bytes, port, limit) }
    }

    /// Sends a GET whose answer ends with the connection.
    func get(_ path: String, _ fields: String..., limit: Int = .max) async -> Exchange {
        let lines = ["GET \(path) HTTP/1.1", "Host: test", "Connection: close"] + fields
        return await send(lines.joined(separator: "\r\n") + "\r\n\r\n", limit: limit)
    }

    @concurrent
    private static func exchange(_ bytes: [UInt8], _ port: Int, _ limit: Int) async -> Exchange {
        let socket = connected(to: port)
        defer { close(socket) }
        _ = unsafe bytes.withUnsafeBytes {
            unsafe CalotypePlatform.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        return received(from: socket, limit)
    }

    static func received(from socket: Int32, _ limit: Int) -> Exchange {
        var exchange = Exchange()
        var chunk = [UInt8](repeating: 0, count: 8192)
        while exchange.bytes.count < limit {
            let wanted = min(chunk.count, limit - exchange.bytes.count)
            let count = unsafe recv(socket, &chunk, wanted, 0)
            if count == 0 { return exchange }
            if count < 0 {
                exchange.end = errno == ECONNRESET ? .reset : .timedOut
                return exchange
            }
            exchange.bytes += chunk[..<count]
        }
        exchange.end = .limit
        return exchange
    }

    /// A connected socket, whose reads end after 20 s so that no test hangs; -1 when nobody listens.
    static func connected(to port: Int) -> Int32 {
        // The process of an exit test would hold an inherited connection open that is closed here.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            return -1
        }
        return descriptor
    }
}

/// Runs a test with an origin and a client for it.
func withTestOrigin(
    _ pictures: [String: [UInt8]]? = nil,
    configure: (inout OriginConfiguration) -> Void = { _ in },
    _ body: (Origin, RawClient) async throws -> Void
) async throws {
    var configuration = OriginConfiguration(
        pictures: pictures.map { PicturesInMemory($0) } ?? TestPictures.served
    )
    configure(&configuration)
    try await withThreadExecutor(name: "raw client", threads: 4) { executor in
        try await withOrigin(configuration) { origin in
            try await body(origin, RawClient(port: origin.port, executor: executor))
        }
    }
}

/// Bytes that stand for pictures: the origin does not look into them.
enum TestPictures {
    static let small = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    static let large = [UInt8](repeating: 7, count: 3 << 20)
    static let files = ["a.jpg": small, "in a/folder/b.png": Array(small[..<500]), "large.webp": large]
    /// Made once: tags of megabytes take long to compute unoptimised.
    static let served = PicturesInMemory(files)
}
