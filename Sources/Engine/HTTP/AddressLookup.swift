import CalotypeCore
import Glibc

/// What a name resolved to.
enum LookupAnswer: Hashable, Sendable {
    /// At least one address, best first.
    case addresses([IPAddress])
    /// No address, and why.
    case failure(String)
    /// This machine had no descriptor or memory left to ask with; its number for that.
    case shortage(Int32)
}

/// Asks the system for the addresses of `host`; blocks for as long as that takes.
func lookUp(_ host: String) -> LookupAnswer {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    let status = unsafe getaddrinfo(host, nil, &hints, &list)
    guard status == 0 else { return failure(status, errno) }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [IPAddress] = []
    var entry = unsafe list
    while let current = unsafe entry {
        if let address = unsafe address(of: current.pointee), !addresses.contains(address) {
            addresses.append(address)
        }
        unsafe entry = current.pointee.ai_next
    }
    return addresses.isEmpty ? .failure("the name has no address") : .addresses(addresses)
}

/// Distinguishes what this machine lacks from what is wrong with the name: the resolver may call either a failure of the name.
private func failure(_ status: Int32, _ number: Int32) -> LookupAnswer {
    if status == EAI_SYSTEM, SystemError("resolve", code: number).isShortage { return .shortage(number) }
    if status == EAI_MEMORY { return .shortage(ENOMEM) }
    if let shortage = SystemError.descriptorShortage(opening: 2) { return .shortage(shortage.code) }
    return .failure(unsafe String(cString: gai_strerror(status)))
}

private func address(of entry: addrinfo) -> IPAddress? {
    guard let pointer = unsafe UnsafeRawPointer(entry.ai_addr) else { return nil }
    switch unsafe entry.ai_family {
    case AF_INET:
        let v4 = unsafe pointer.loadUnaligned(as: sockaddr_in.self)
        return IPAddress(v4: UInt32(bigEndian: v4.sin_addr.s_addr))
    case AF_INET6:
        let v6 = unsafe pointer.loadUnaligned(as: sockaddr_in6.self)
        return unsafe withUnsafeBytes(of: v6.sin6_addr) { unsafe IPAddress(networkOrder: $0) }
    default:
        return nil
    }
}
