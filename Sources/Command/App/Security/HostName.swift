import CalotypeHTTP

/// The name of a host, as it stands in a setting or in the `Host` field of a request.
struct HostName: Hashable, Sendable {
    /// Without a port and without brackets, in small letters.
    let text: String

    /// Takes the host of `HOST` or `HOST:PORT`; an IPv6 address may be in brackets.
    init(_ field: some StringProtocol) {
        var name = Substring(field.lowercased())
        if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
            name = name[..<end].dropFirst()
        } else if let colon = name.firstIndex(of: ":"), colon == name.lastIndex(of: ":") {
            name = name[..<colon]
        }
        text = String(name)
    }

    /// Whether it is an address, which no name server can give another meaning.
    var isAddress: Bool { IPAddress(text) != nil }

    /// Whether it names this machine for itself only.
    var isLoopback: Bool {
        text == "localhost" || text == "::1" || text.hasPrefix("127.") && isAddress
    }
}
