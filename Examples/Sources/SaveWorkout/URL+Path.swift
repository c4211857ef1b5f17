import FoundationEssentials

extension URL {
    /// The path of a file as the system takes it.
    var plainPath: String { path(percentEncoded: false) }
}
