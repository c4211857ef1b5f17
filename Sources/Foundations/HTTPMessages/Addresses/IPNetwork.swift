/// A range of addresses that share their first bits, such as 10.0.0.0/8, or a single address.
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    /// The first address.
    public let base: IPAddress
    /// The number of bits that all addresses share.
    public let prefix: Int

    /// Creates the network of the addresses that share the first `prefix` bits of `address`.
    ///
    /// Returns `nil` if the address does not have that many bits.
    public init?(_ address: IPAddress, prefix: Int) {
        let width = Self.width(address.family)
        guard (0...width).contains(prefix) else { return nil }
        self.prefix = prefix
        let ones = prefix == 0 ? 0 : UInt128.max << UInt128(width - prefix)
        base =
            address.family == .v4
            ? IPAddress(v4: UInt32(truncatingIfNeeded: address.value & ones))
            : IPAddress(v6: address.value & ones)
    }

    /// Parses a network such as `192.168.0.0/16` or `fd00::/8`, or a single address.
    ///
    /// Returns `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        guard parts.count == 2 else {
            self.init(address, prefix: Self.width(address.family))
            return
        }
        guard let prefix = Int(parts[1]), parts[1].allSatisfy(\.isNumber) else { return nil }
        self.init(address, prefix: prefix)
    }

    /// Whether `address` is in the network; an IPv6 form of an IPv4 address is in IPv6 networks only.
    public func contains(_ address: IPAddress) -> Bool {
        guard address.family == base.family else { return false }
        return prefix == 0
            || (address.value ^ base.value) >> UInt128(Self.width(base.family) - prefix) == 0
    }

    /// Whether the network is one address.
    public var isSingleAddress: Bool { prefix == Self.width(base.family) }

    /// The network as text, such as `10.0.0.0/8`; a single address has no prefix.
    public var description: String { isSingleAddress ? "\(base)" : "\(base)/\(prefix)" }

    private static func width(_ family: IPAddress.Family) -> Int { family == .v4 ? 32 : 128 }
}
