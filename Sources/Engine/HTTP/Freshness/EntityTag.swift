/// The value of an `ETag` field (RFC 9110, section 8.8.3), kept as it was written.
package struct EntityTag: Hashable, Sendable {
    /// The value as the origin wrote it, to be sent back.
    package let text: String

    /// The longest tag that is kept; longer ones say nothing.
    static let longest = 1024

    /// Creates a tag; `nil` where the text is empty, longer than 1,024 bytes or not printable.
    package init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        self.text = text
    }

    /// Whether the bytes of two answers with this tag are the same.
    ///
    /// A tag without its quotation marks is not valid, but some servers write and compare them; it counts as weak.
    package var isStrong: Bool {
        text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
    }

    /// Whether both name the same picture, perhaps in other bytes: the weak comparison of the RFC.
    package func matches(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    /// Whether both name the same bytes: the strong comparison of the RFC.
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        isStrong && text == other.text
    }

    /// The tag without the mark of a weak one.
    package var opaque: Substring {
        text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
    }
}
