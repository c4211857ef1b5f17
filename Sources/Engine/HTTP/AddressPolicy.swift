import CalotypeCore
public import CalotypeHTTPMessages

/// The addresses outside the public internet that a request may connect to.
///
/// The policy applies to the resolved address, not to the text of the URL.
public struct AddressPolicy: OptionSet, Hashable, Sendable {
    /// A bit for each kind of address that is allowed.
    public let rawValue: UInt8

    /// Creates a policy that allows the kinds whose bits are set.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Every address.
    public static let any: AddressPolicy = [.loopback, .linkLocal, .privateNetworks, .special]
    /// Addresses of the public internet only.
    ///
    /// If a name also resolves to any other address, the request is refused.
    public static let publicOnly: AddressPolicy = []
    /// Addresses of this machine: 127.0.0.0/8 and ::1.
    public static let loopback = AddressPolicy(rawValue: 1)
    /// Link-local addresses: fe80::/10 and 169.254.0.0/16, where clouds hand out machine credentials.
    public static let linkLocal = AddressPolicy(rawValue: 2)
    /// Addresses of private networks: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 and fc00::/7.
    public static let privateNetworks = AddressPolicy(rawValue: 4)
    /// All other addresses outside the public internet, such as 0.0.0.0, shared and multicast addresses.
    static let special = AddressPolicy(rawValue: 8)

    /// Whether the policy permits a connection to `address`.
    public func allows(_ address: IPAddress) -> Bool { isSuperset(of: address.needed) }

    /// Throws `blocked_address` if the policy forbids one of `addresses`, which `host` resolved to.
    func check(_ addresses: [IPAddress], of host: String) throws(CalotypeError) {
        guard let blocked = addresses.first(where: { !allows($0) }) else { return }
        throw Self.blocked(host, blocked)
    }

    /// The error for a `host` whose `address` is forbidden.
    static func blocked(_ host: String, _ address: IPAddress) -> CalotypeError {
        let subject = host == address.description ? host : "\(host) is \(address), which"
        return CalotypeError(
            .blockedAddress,
            "\(subject) is not a public address; allow private addresses (--allow-private) to load from it",
            stage: .resolve
        )
    }
}

/// A range of addresses that share their first bits.
private struct AddressBlock: Sendable {
    let base: IPAddress
    let prefix: Int

    init(_ base: StaticString, _ prefix: Int) {
        guard let address = IPAddress(base.description) else { preconditionFailure("\(base) is no address") }
        self.base = address
        self.prefix = prefix
    }

    func contains(_ address: IPAddress) -> Bool {
        guard address.family == base.family else { return false }
        let width = base.family == .v4 ? 32 : 128
        return prefix == 0 || (address.value ^ base.value) >> UInt128(width - prefix) == 0
    }
}

extension IPAddress {
    private static let loopback = [AddressBlock("127.0.0.0", 8), AddressBlock("::1", 128)]
    private static let linkLocal = [AddressBlock("169.254.0.0", 16), AddressBlock("fe80::", 10)]
    private static let privateNetworks = [
        AddressBlock("10.0.0.0", 8), AddressBlock("172.16.0.0", 12), AddressBlock("192.168.0.0", 16),
        AddressBlock("fc00::", 7),
    ]

    // Other ranges outside the public internet, from IANA's special-purpose registries (RFC 6890 and its
    // updates).
    private static let reserved = [
        AddressBlock("0.0.0.0", 8), AddressBlock("100.64.0.0", 10), AddressBlock("192.0.0.0", 24),
        AddressBlock("192.0.2.0", 24), AddressBlock("192.88.99.0", 24), AddressBlock("198.18.0.0", 15),
        AddressBlock("198.51.100.0", 24), AddressBlock("203.0.113.0", 24), AddressBlock("224.0.0.0", 4),
        AddressBlock("240.0.0.0", 4),
        AddressBlock("2001:2::", 48), AddressBlock("2001:10::", 28), AddressBlock("2001:20::", 28),
        AddressBlock("2001:db8::", 32), AddressBlock("3fff::", 20),
    ]

    // Global unicast. All other IPv6 addresses are loopback, local, multicast or unassigned.
    private static let globalUnicast = AddressBlock("2000::", 3)

    // IPv6 forms that carry an IPv4 address (mapped, NAT64, 6to4), and the number of bits below that address.
    private static let carriers: [(block: AddressBlock, shift: UInt128)] = [
        (AddressBlock("::ffff:0:0", 96), 0), (AddressBlock("64:ff9b::", 96), 0),
        (AddressBlock("2002::", 16), 80),
    ]

    // Teredo (RFC 4380) carries the server's address as it is, and the client's address with every bit
    // inverted.
    private static let teredo = AddressBlock("2001::", 32)

    /// Whether the address can belong to a host on the public internet.
    ///
    /// Loopback, private, link-local, shared, multicast, documentation and other special addresses cannot. An
    /// IPv6 form that carries an IPv4 address (mapped, NAT64, 6to4, Teredo) can if the IPv4 address can.
    public var isPublic: Bool { needed.isEmpty }

    /// What a policy must allow before it permits a connection to the address; empty for the public internet.
    var needed: AddressPolicy {
        let carried = embedded
        guard carried.isEmpty else { return carried.reduce(.publicOnly) { $0.union($1.needed) } }
        if Self.loopback.contains(where: { $0.contains(self) }) { return .loopback }
        if Self.linkLocal.contains(where: { $0.contains(self) }) { return .linkLocal }
        if Self.privateNetworks.contains(where: { $0.contains(self) }) { return .privateNetworks }
        if family == .v6, !Self.globalUnicast.contains(self) { return .special }
        return Self.reserved.contains { $0.contains(self) } ? .special : .publicOnly
    }

    /// The IPv4 addresses that this IPv6 address carries.
    private var embedded: [IPAddress] {
        if Self.teredo.contains(self) {
            return [
                IPAddress(v4: UInt32(truncatingIfNeeded: value >> 64)),
                IPAddress(v4: ~UInt32(truncatingIfNeeded: value)),
            ]
        }
        return Self.carriers.filter { $0.block.contains(self) }
            .map { IPAddress(v4: UInt32(truncatingIfNeeded: value >> $0.shift)) }
    }
}
