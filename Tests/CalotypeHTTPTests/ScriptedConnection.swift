import CalotypePlatform
import TaskFlow

/// One connection of a ``ScriptedServer``; all calls block, and fail once the client or the server has hung up.
final class ScriptedConnection: Sendable {
    /// The place of the connection among those accepted, from 0.
    let number: Int
    private let socket: Int32
    private let unread = Guarded<[UInt8]>([])

    init(_ socket: Int32, number: Int) {
        self.socket = socket
        self.number = number
    }

    /// Reads a request's head, without the empty line; `nil` when the client has hung up.
    func request() -> String? {
        while true {
            let bytes = unread.withLock { $0 }
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                unread.withLock { $0.removeSubrange(..<end.upperBound) }
                return String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            }
            guard let more = read() else { return nil }
            unread.withLock { $0 += more }
        }
    }

    /// Reads a request's head and the body that its `Content-Length` announces; `nil` when the client hung up before its end.
    func wholeRequest() -> (head: String, body: [UInt8])? {
        guard let head = request() else { return nil }
        let body = receive(Self.contentLength(of: head) ?? 0)
        return body.count == Self.contentLength(of: head) ?? 0 ? (head, body) : nil
    }

    /// Reads `count` bytes; fewer when the client hung up before.
    func receive(_ count: Int) -> [UInt8] {
        var bytes = unread.withLock { unread in
            let start = Array(unread.prefix(count))
            unread.removeFirst(start.count)
            return start
        }
        while bytes.count < count, let more = read(atMost: count - bytes.count) { bytes += more }
        return bytes
    }

    /// Reads and drops `count` bytes and tells how many it were; fewer when the client hung up before.
    func drain(_ count: Int) -> Int {
        var done = 0
        while done < count {
            let part = receive(min(count - done, 1 << 20)).count
            guard part > 0 else { break }
            done += part
        }
        return done
    }

    /// The `Content-Length` of `head`; `nil` where it has none.
    static func contentLength(of head: String) -> Int? {
        field("content-length", of: head).flatMap { Int($0) }
    }

    /// The value of the field called `name`, which is in lower case.
    static func field(_ name: String, of head: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name):") }.map {
            String($0.dropFirst(name.utf8.count + 1).drop { $0 == " " })
        }
    }

    /// Sends `text`; `false` when the client has hung up.
    @discardableResult
    func send(_ text: String) -> Bool {
        send(Array(text.utf8))
    }

    /// Sends `bytes`; `false` when the client has hung up.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
                return unsafe CalotypePlatform.send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends `block` again and again until the client takes no more for a while, then calls `stalled` and sends the rest of
    /// `total` bytes.
    func flood(_ block: [UInt8], total: Int, stalled: () -> Void) {
        var sent = 0
        var hasStalled = false
        while sent < total {
            if !hasStalled, !isWritable(milliseconds: 300) {
                hasStalled = true
                stalled()
            }
            let count = unsafe block.withUnsafeBytes { block in
                unsafe CalotypePlatform.send(
                    socket,
                    block.baseAddress,
                    min(block.count, total - sent),
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    private func isWritable(milliseconds: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&descriptor, 1, milliseconds) > 0
    }

    /// Sends a whole answer with its length.
    func answer(_ status: String = "200 OK", _ headers: [String] = [], body: String = "hello") {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers
        send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    /// Waits until the client hangs up, passing over what it sends.
    func waitForHangUp() {
        while read() != nil {}
    }

    /// Waits for `milliseconds`; `false` when the client hung up meanwhile.
    func linger(milliseconds: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, milliseconds) == 0
    }

    /// Does nothing for `milliseconds`, whatever the client sends.
    func idle(milliseconds: Int32) {
        _ = poll(nil, 0, milliseconds)
    }

    /// Reads nothing, until the client can send nothing more.
    func waitUntilFull() {
        var last: Int32 = -1
        var unread: Int32 = 0
        while unread != last || unread == 0 {
            last = unread
            idle(milliseconds: 200)
            _ = unsafe ioctl(socket, UInt(FIONREAD), &unread)
        }
    }

    /// Ends its own side; what the client sends can still be read.
    func endSending() {
        shutdown(socket, Int32(SHUT_WR))
    }

    /// Ends its own side and passes over what the client sends until it has ended its side too.
    func closeInOrder() {
        endSending()
        waitForHangUp()
    }

    /// Ends the connection with a reset in place of an orderly end.
    func reset() {
        var option = linger_option(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger_option>.size))
        // Connecting a socket to nothing drops its connection at once and keeps the descriptor for `close()`.
        var nothing = sockaddr(
            sa_family: sa_family_t(AF_UNSPEC),
            sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        )
        _ = unsafe connect(socket, &nothing, socklen_t(MemoryLayout<sockaddr>.size))
    }

    func hangUp() {
        shutdown(socket, Int32(SHUT_RDWR))
    }

    func close() {
        _ = CalotypePlatform.close(socket)
    }

    private typealias linger_option = CalotypePlatform.linger

    private func read(atMost limit: Int = 16 << 10) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: min(limit, 256 << 10))
        let count = unsafe recv(socket, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : nil
    }
}
