import CalotypeCore
public import CalotypeHTTPMessages

/// The addresses outside the public internet that a request may connect to.
///
/// The policy applies to the resolved address, not to the text of the URL.
public struct AddressPolicy: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// Kinds of addresses, each a bit.
    struct Kinds: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        static let loopback = Kinds(rawValue: 1)
        static let linkLocal = Kinds(rawValue: 2)
        static let privateNetworks = Kinds(rawValue: 4)
        static let special = Kinds(rawValue: 8)
        static let metadata = Kinds(rawValue: 16)
    }

    /// The allowed kinds.
    private(set) var kinds: Kinds
    /// The networks that are allowed whatever the kind of their addresses is.
    ///
    /// The address of a metadata service is allowed only by a network of that single address.
    public var networks: Set<IPNetwork>

    private init(_ kinds: Kinds, _ networks: Set<IPNetwork> = []) {
        self.kinds = kinds
        self.networks = networks
    }

    /// Creates a policy that allows public addresses and `networks`.
    public init(networks: some Sequence<IPNetwork>) {
        self.init([], Set(networks))
    }

    /// Creates a policy that allows what any of `policies` allows.
    public init(arrayLiteral policies: AddressPolicy...) {
        self = policies.reduce(.publicOnly) { $0.union($1) }
    }

    /// Every address.
    public static let any = allPrivate.union(AddressPolicy(.metadata))
    /// Every address except those of metadata services.
    ///
    /// Clouds hand out the credentials of their machines there, for example at 169.254.169.254.
    public static let allPrivate: AddressPolicy = [.loopback, .linkLocal, .privateNetworks, .special]
    /// Addresses of the public internet only.
    ///
    /// If a name also resolves to any other address, the request is refused.
    public static let publicOnly = AddressPolicy([])
    /// Addresses of this machine: 127.0.0.0/8 and ::1.
    public static let loopback = AddressPolicy(.loopback)
    /// Link-local addresses, 169.254.0.0/16 and fe80::/10, except those of metadata services.
    public static let linkLocal = AddressPolicy(.linkLocal)
    /// Addresses of private networks: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 and fc00::/7.
    public static let privateNetworks = AddressPolicy(.privateNetworks)
    /// All other addresses outside the public internet, such as 0.0.0.0, shared and multicast addresses.
    static let special = AddressPolicy(.special)
    /// Addresses of clouds' metadata services.
    static let metadata = AddressPolicy(.metadata)

    /// Returns a policy that allows what this one or `other` allows.
    public func union(_ other: AddressPolicy) -> AddressPolicy {
        AddressPolicy(kinds.union(other.kinds), networks.union(other.networks))
    }

    /// Returns a policy without the kinds and networks of `other`.
    public func subtracting(_ other: AddressPolicy) -> AddressPolicy {
        AddressPolicy(kinds.subtracting(other.kinds), networks.subtracting(other.networks))
    }

    /// Whether the policy allows every kind and network that `other` allows.
    package func isSuperset(of other: AddressPolicy) -> Bool {
        kinds.isSuperset(of: other.kinds) && networks.isSuperset(of: other.networks)
    }

    /// Whether the policy permits a connection to `address`.
    public func allows(_ address: IPAddress) -> Bool {
        if networks.contains(where: { $0.isSingleAddress && $0.contains(address) }) { return true }
        let carried = address.carried
        guard carried.isEmpty else { return carried.allSatisfy(allows) }
        let needed = address.needed
        return kinds.isSuperset(of: needed)
            || !needed.contains(.metadata) && networks.contains { $0.contains(address) }
    }

    /// Throws `blocked_address` if the policy forbids one of `addresses`, which `host` resolved to.
    func check(_ addresses: [IPAddress], of host: String) throws(CalotypeError) {
        guard let blocked = addresses.first(where: { !allows($0) }) else { return }
        throw Self.blocked(host, blocked)
    }

    /// The error for a `host` whose `address` is forbidden.
    static func blocked(_ host: String, _ address: IPAddress) -> CalotypeError {
        let subject = host == address.description ? host : "\(host) is \(address), which"
        let problem =
            address.needed.contains(.metadata)
            ? "gives clouds' machines their credentials; allow that address (--allow-private=ADDRESS)"
            : "is not a public address; allow private addresses (--allow-private)"
        return CalotypeError(.blockedAddress, "\(subject) \(problem) to load from it", stage: .resolve)
    }
}

/// Returns a network that is part of the source.
private func network(_ base: StaticString, _ prefix: Int) -> IPNetwork {
    guard let address = IPAddress(base.description), let network = IPNetwork(address, prefix: prefix) else {
        preconditionFailure("\(base)/\(prefix) is no network")
    }
    return network
}

extension IPAddress {
    private static let loopback = [network("127.0.0.0", 8), network("::1", 128)]
    private static let linkLocal = [network("169.254.0.0", 16), network("fe80::", 10)]
    private static let privateNetworks = [
        network("10.0.0.0", 8), network("172.16.0.0", 12), network("192.168.0.0", 16),
        network("fc00::", 7),
    ]

    // The metadata services of Amazon (also for containers), Azure, Google, OpenStack, Scaleway, Tencent,
    // Alibaba and Oracle, from their documentation.
    private static let metadata = [
        network("169.254.169.0", 24), network("169.254.170.0", 24), network("169.254.42.42", 32),
        network("169.254.0.23", 32), network("100.100.100.200", 32), network("192.0.0.192", 32),
        network("fd00:ec2::", 32), network("fd20:ce::", 32), network("fd00:42::42", 128),
        network("fe80::a9fe:a9fe", 128),
    ]

    // Other ranges outside the public internet, from IANA's special-purpose registries (RFC 6890 and its
    // updates).
    private static let reserved = [
        network("0.0.0.0", 8), network("100.64.0.0", 10), network("192.0.0.0", 24),
        network("192.0.2.0", 24), network("192.88.99.0", 24), network("198.18.0.0", 15),
        network("198.51.100.0", 24), network("203.0.113.0", 24), network("224.0.0.0", 4),
        network("240.0.0.0", 4),
        network("2001:2::", 48), network("2001:10::", 28), network("2001:20::", 28),
        network("2001:db8::", 32), network("3fff::", 20),
    ]

    // Global unicast. All other IPv6 addresses are loopback, local, multicast or unassigned.
    private static let globalUnicast = network("2000::", 3)

    // IPv6 forms that carry an IPv4 address (mapped, NAT64, 6to4), and the number of bits below that address.
    private static let carriers: [(block: IPNetwork, shift: UInt128)] = [
        (network("::ffff:0:0", 96), 0), (network("64:ff9b::", 96), 0),
        (network("2002::", 16), 80),
    ]

    // Teredo (RFC 4380) carries the server's address as it is, and the client's address with every bit
    // inverted.
    private static let teredo = network("2001::", 32)

    /// Whether the address can belong to a host on the public internet.
    ///
    /// Loopback, private, link-local, shared, multicast, documentation and other special addresses cannot. An
    /// IPv6 form that carries an IPv4 address (mapped, NAT64, 6to4, Teredo) can if the IPv4 address can.
    public var isPublic: Bool { needed.isEmpty }

    /// What a policy must allow before it permits a connection to the address; empty for the public internet.
    var needed: AddressPolicy.Kinds {
        guard carried.isEmpty else { return carried.reduce([]) { $0.union($1.needed) } }
        if Self.metadata.contains(where: { $0.contains(self) }) { return .metadata }
        if Self.loopback.contains(where: { $0.contains(self) }) { return .loopback }
        if Self.linkLocal.contains(where: { $0.contains(self) }) { return .linkLocal }
        if Self.privateNetworks.contains(where: { $0.contains(self) }) { return .privateNetworks }
        if family == .v6, !Self.globalUnicast.contains(self) { return .special }
        return Self.reserved.contains { $0.contains(self) } ? .special : []
    }

    /// The IPv4 addresses that this IPv6 address carries.
    var carried: [IPAddress] {
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
