import CalotypeCore

/// Which addresses a request may connect to besides those of the public internet; it is applied to the resolved address, not
/// to the URL's text.
public struct AddressPolicy: OptionSet, Hashable, Sendable {
    /// A bit for each kind of address that is allowed.
    public let rawValue: UInt8

    /// Creates a policy that allows the kinds whose bits are set.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Every address.
    public static let any: AddressPolicy = [.loopback, .linkLocal, .privateNetworks, .special]
    /// Addresses of the public internet only; a name with one other address is refused as a whole.
    public static let publicOnly: AddressPolicy = []
    /// Those of this machine: 127.0.0.0/8 and ::1.
    public static let loopback = AddressPolicy(rawValue: 1)
    /// Those of the same link: 169.254.0.0/16, where clouds tell their machines' credentials, and fe80::/10.
    public static let linkLocal = AddressPolicy(rawValue: 2)
    /// Those of private networks: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 and fc00::/7.
    public static let privateNetworks = AddressPolicy(rawValue: 4)
    /// All others that are not of the public internet, such as 0.0.0.0, shared and multicast ones.
    static let special = AddressPolicy(rawValue: 8)

    /// Whether the policy lets a connection to `address` be made.
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
