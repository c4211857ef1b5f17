/// What the `Vary` field of an answer names, with what the request sent for it (RFC 9111, section 4.1).
package struct VariantKey: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        /// In lower case.
        let name: String
        /// The value that was sent, blanks at its ends and around its commas left out; `nil` where none was.
        let value: String?
    }

    /// The most names that are looked at; an answer that names more matches no request.
    static let most = 16
    /// The longest value that is kept as it is.
    static let longest = 64

    let entries: [Entry]
    /// Whether no request matches: `Vary: *`.
    package let isUnmatchable: Bool

    init(entries: [Entry], isUnmatchable: Bool) {
        self.entries = entries
        self.isUnmatchable = isUnmatchable
    }

    package init(vary: [String], request: HTTPHeaders) {
        let names = Set(
            vary.flatMap { $0.split(separator: ",") }.map { $0.trimmingBlanks().lowercased() }
        ).subtracting([""])
        let isKept = names.count <= Self.most && names.allSatisfy { $0.utf8.count <= Self.longest }
        isUnmatchable = names.contains("*") || !isKept
        entries = isUnmatchable ? [] : names.sorted().map { Self.entry($0, request) }
    }

    /// Whether a request with the fields `request` would be given the same answer.
    package func matches(_ request: HTTPHeaders) -> Bool {
        !isUnmatchable && entries.allSatisfy { $0 == Self.entry($0.name, request) }
    }

    private static func entry(_ name: String, _ request: HTTPHeaders) -> Entry {
        let values = request.values(of: name)
        guard !values.isEmpty else { return Entry(name: name, value: nil) }
        let parts = values.flatMap { $0.split(separator: ",") }.map { $0.trimmingBlanks() }
        return Entry(name: name, value: abridged(parts.joined(separator: ","), of: name))
    }

    /// The value itself, or a hash of it where it is long or secret: what is kept may lie in a file.
    private static func abridged(_ value: String, of name: String) -> String {
        let isSecret = ["authorization", "cookie"].contains(name)
        guard isSecret || value.utf8.count > longest else { return value }
        // FNV-1a, 64 bits.
        let hash = value.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "#" + String(hash, radix: 16)
    }
}
