import CalotypePlatform

/// An IPv4 or IPv6 address.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The two versions of the Internet Protocol.
    public enum Family: Hashable, Sendable {
        case v4, v6
    }

    /// The version of the address.
    public let family: Family
    /// The address as a number in host byte order; at most 32 bits for IPv4.
    package let value: UInt128

    /// Creates the IPv4 address `value`, such as `0x7F00_0001` for 127.0.0.1.
    public init(v4 value: UInt32) {
        family = .v4
        self.value = UInt128(value)
    }

    /// Creates the IPv6 address `value`, such as 1 for `::1`.
    public init(v6 value: UInt128) {
        family = .v6
        self.value = value
    }

    /// Parses four decimal numbers (`192.0.2.1`) or an IPv6 address without brackets and zone.
    ///
    /// Returns `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        if let bytes = Self.parse(text, AF_INET, count: 4) {
            self.init(networkOrder: bytes)
        } else if let bytes = Self.parse(text, AF_INET6, count: 16) {
            self.init(networkOrder: bytes)
        } else {
            return nil
        }
    }

    /// Creates an address from 4 or 16 bytes in network order; `nil` for any other number of bytes.
    public init?(networkOrder bytes: some Collection<UInt8>) {
        let value = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        switch bytes.count {
        case 4: self.init(v4: UInt32(value))
        case 16: self.init(v6: value)
        default: return nil
        }
    }

    /// The usual text form, such as `192.0.2.1` or `2001:db8::1`.
    public var description: String {
        let count = family == .v4 ? 4 : 16
        let bytes = (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (UInt128($0) * 8)) }
        let version = family == .v4 ? AF_INET : AF_INET6
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            guard unsafe inet_ntop(version, bytes, text.baseAddress, socklen_t(text.count)) != nil,
                let start = text.baseAddress
            else { return "?" }
            return unsafe String(cString: start)
        }
    }

    private static func parse(_ text: some StringProtocol, _ version: Int32, count: Int) -> [UInt8]? {
        // inet_pton stops at a NUL, which would let text after it go unseen.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe inet_pton(version, String(text), &bytes) == 1 ? bytes : nil
    }
}
