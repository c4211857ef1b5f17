/// Where a picture's bytes come from.
public enum ImageSource: Hashable, Sendable {
    /// An `http` or `https` URL as a person would write it; blanks and non-ASCII are percent-encoded.
    case url(String)
    /// A file on this machine.
    case file(path: String)
    /// Encoded bytes.
    case bytes([UInt8])
    /// Bytes from a closure.
    case provided(ImageProvider)

    /// Hashes the name, and of encoded bytes their number and both ends: they may be many.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .url(let text): hasher.combine(text)
        case .file(let path): hasher.combine(path)
        case .provided(let provider): hasher.combine(provider)
        case .bytes(let bytes):
            hasher.combine(bytes.count)
            hasher.combine(bytes.prefix(64))
            hasher.combine(bytes.suffix(64))
        }
    }
}
