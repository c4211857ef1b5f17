/// The value of an `ETag` field (RFC 9110, section 8.8.3), as it was written.
package struct EntityTag: Hashable, Sendable {
    /// The value as the origin wrote it, to send back.
    package let text: String

    /// The maximum length of a tag; longer ones are ignored.
    static let longest = 1024

    /// Creates a tag; `nil` if the text is empty, longer than 1,024 bytes or not printable.
    package init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        self.text = text
    }

    /// Whether the bytes of two responses with this tag are the same.
    ///
    /// A tag without its quotation marks is not valid, but some servers write and compare them; it counts as
    /// weak.
    package var isStrong: Bool {
        text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
    }

    /// Whether both identify the same content, perhaps in other bytes: the weak comparison of the RFC.
    package func matches(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    /// Whether both identify the same bytes: the strong comparison of the RFC.
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        isStrong && text == other.text
    }

    /// The tag without the mark of weak tags.
    package var opaque: Substring {
        text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
    }
}

/// The value of `If-Match` or `If-None-Match`: entity tags, or any.
package enum EntityTagList: Hashable, Sendable {
    case any
    case tags([EntityTag])

    /// Reads the values of all fields of one name, as one list; `nil` if there is none.
    package init?(_ values: [String]) {
        guard !values.isEmpty else { return nil }
        if values.count == 1, values[0] == "*" {
            self = .any
        } else {
            self = .tags(values.flatMap { Self.tags(in: $0) })
        }
    }

    /// The tags between the commas; a comma may be part of a tag.
    private static func tags(in text: String) -> [EntityTag] {
        var isQuoted = false
        let parts = text.split(omittingEmptySubsequences: true) { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
        return parts.compactMap { EntityTag($0.trimmingBlanks()) }
    }
}
