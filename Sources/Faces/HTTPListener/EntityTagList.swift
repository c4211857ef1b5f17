package import CalotypeHTTP

/// The value of `If-Match` or `If-None-Match`: entity tags, or any.
package enum EntityTagList: Hashable {
    case any
    case tags([EntityTag])

    /// Reads the values of all fields of one name, as one list; `nil` where there is none.
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
        return parts.compactMap { part in
            var part = part.drop { $0 == " " || $0 == "\t" }
            while part.last == " " || part.last == "\t" { part.removeLast() }
            return EntityTag(String(part))
        }
    }
}
