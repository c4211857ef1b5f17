import CalotypeCEpollShim
import CalotypeCore
import Glibc

/// A listening socket on 127.0.0.1.
struct Listener: Sendable {
    /// What one attempt to accept gave.
    enum Arrival {
        case connection(Int32)
        /// Nobody waits.
        case none
        /// The process or the system has no descriptor left.
        case exhausted
    }

    let descriptor: Int32
    let port: Int

    /// Listens on `port`; 0 lets the kernel choose.
    init(port: Int) throws(CalotypeError) {
        guard let number = UInt16(exactly: port) else {
            throw CalotypeError(.invalidRequest, "\(port) is no port: 0 to 65535", stage: .request)
        }
        descriptor = socket(
            AF_INET,
            Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue),
            0
        )
        guard descriptor >= 0 else { throw SocketError.make("no socket") }
        do {
            self.port = try Self.listen(descriptor, number)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    func close() {
        Glibc.close(descriptor)
    }

    func accept() -> Arrival {
        while true {
            let connection = calotype_accept(descriptor)
            if connection >= 0 { return .connection(connection) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .none
            }
        }
    }

    private static func listen(_ descriptor: Int32, _ port: UInt16) throws(CalotypeError) -> Int {
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withSocketAddress(&address) { unsafe bind(descriptor, $0, length) }
        guard bound == 0 else { throw SocketError.make("127.0.0.1:\(port) cannot be bound") }
        guard Glibc.listen(descriptor, 4096) == 0 else { throw SocketError.make("listening failed") }
        _ = unsafe withSocketAddress(&address) { unsafe getsockname(descriptor, $0, &length) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func withSocketAddress(
        _ address: inout sockaddr_in,
        _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
    ) -> Int32 {
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
        }
    }
}
