/// An archive that cannot be written.
package struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Whether the library is missing that writes archives, or is too old.
    package let isUnavailable: Bool
    /// What happened and what to do.
    package let description: String

    init(_ description: String, isUnavailable: Bool = false) {
        self.description = description
        self.isUnavailable = isUnavailable
    }
}
