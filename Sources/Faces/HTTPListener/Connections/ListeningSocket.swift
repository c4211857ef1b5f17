import CalotypeCMicroHTTPD
import CalotypeFiles
import CalotypeHTTPMessages
import CalotypePlatform

/// A bound socket that accepts connections.
struct ListeningSocket: Sendable {
    /// The result of one attempt to accept.
    enum Arrival {
        case connection(Int32, ClientAddress)
        /// No connection is waiting.
        case none
        /// The process or the system has no descriptor left.
        case exhausted
    }

    let descriptor: Int32
    let port: Int

    /// The maximum number of bytes per connection that the kernel holds before they are in transit.
    private static let unsent: Int32 = 256 << 10

    /// Listens on an address; with port 0, the kernel chooses one.
    ///
    /// - Throws: `invalid_request` if the address is invalid, `connect_failed` if the system refuses it.
    init(host: String, port: Int) throws(HTTPListenerError) {
        let text = host == "localhost" ? "127.0.0.1" : host
        guard let address = IPAddress(text), let number = UInt16(exactly: port) else {
            throw HTTPListenerError(
                .invalidRequest,
                "cannot listen on \(host) port \(port): use an IPv4 or IPv6 address and a port up to 65535"
            )
        }
        let domain = address.family == .v4 ? AF_INET : AF_INET6
        descriptor = Platform.streamSocket(domain, waits: false)
        guard descriptor >= 0 else { throw Self.failure("open a socket") }
        do throws(SystemError) {
            self.port = try Self.listen(descriptor, address, number)
        } catch {
            CalotypePlatform.close(descriptor)
            throw Self.failure("listen on \(host) port \(port)", error)
        }
    }

    func close() {
        CalotypePlatform.close(descriptor)
    }

    func accept() -> Arrival {
        while true {
            var peer = calotype_http_peer()
            let connection = unsafe calotype_http_accept(descriptor, &peer)
            if connection >= 0 { return .connection(connection, ClientAddress(peer)) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .none
            }
        }
    }

    private static func listen(
        _ descriptor: Int32,
        _ address: IPAddress,
        _ port: UInt16
    ) throws(SystemError) -> Int {
        set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        // `::` accepts IPv4 clients too; a specific IPv6 address has none anyway.
        if address.family == .v6 { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
        calotype_tcp_limit_unsent(descriptor, unsent)
        guard bind(descriptor, address, port) == 0 else { throw SystemError("bind") }
        guard CalotypePlatform.listen(descriptor, 4096) == 0 else { throw SystemError("listen") }
        return boundPort(descriptor)
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func bind(_ descriptor: Int32, _ address: IPAddress, _ port: UInt16) -> Int32 {
        guard address.family == .v6 else {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            unsafe inet_pton(AF_INET, address.description, &name.sin_addr)
            return unsafe bind(descriptor, &name)
        }
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = port.bigEndian
        unsafe inet_pton(AF_INET6, address.description, &name.sin6_addr)
        return unsafe bind(descriptor, &name)
    }

    private static func bind<Name>(_ descriptor: Int32, _ name: UnsafePointer<Name>) -> Int32 {
        unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe CalotypePlatform.bind(descriptor, $0, socklen_t(MemoryLayout<Name>.size))
        }
    }

    private static func boundPort(_ descriptor: Int32) -> Int {
        // The port is at the same offset in the socket addresses of both IP versions.
        var name = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = unsafe withUnsafeMutablePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        return Int(UInt16(bigEndian: name.sin6_port))
    }

    private static func failure(_ action: String, _ cause: SystemError? = nil) -> HTTPListenerError {
        let reason = (cause ?? SystemError(action)).reason
        return HTTPListenerError(.connectFailed, "cannot \(action): \(reason)", cause: cause)
    }
}

/// The address of a client.
package struct ClientAddress: Hashable, Sendable {
    /// The address in its usual notation; an IPv4 client of an IPv6 socket has its IPv4 address.
    let text: String
    /// The key for counting connections: an IPv4 address, or the network half of an IPv6 address.
    let group: [UInt8]

    /// Creates an address from its parts.
    package init(text: String, group: [UInt8]) {
        self.text = text
        self.group = group
    }

    init(_ peer: calotype_http_peer) {
        let bytes = unsafe withUnsafeBytes(of: peer.address) {
            unsafe Array($0.prefix(Int(peer.address_bytes)))
        }
        text = IPAddress(networkOrder: bytes)?.description ?? "?"
        group = Array(bytes.prefix(8))
    }
}
