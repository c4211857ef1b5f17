import CalotypeCMicroHTTPDShim
import CalotypeHTTP

/// Where a connection came from.
package struct ClientAddress: Hashable, Sendable {
    /// The address as people write it; that of an IPv4 client of an IPv6 socket is the IPv4 one.
    let text: String
    /// What connections are counted by: an IPv4 address, or the half of an IPv6 address that a network is given.
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
