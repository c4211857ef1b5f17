import CalotypeCore

/// Which addresses a request may connect to; it is applied to the resolved address, not to the URL's text.
public enum AddressPolicy: Hashable, Sendable, CaseIterable {
    /// Every address.
    case any
    /// Addresses of the public internet only; a name with one other address is refused as a whole.
    case publicOnly

    /// Whether the policy lets a connection to `address` be made.
    public func allows(_ address: IPAddress) -> Bool {
        self == .any || address.isPublic
    }

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
