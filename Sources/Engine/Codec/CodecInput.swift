/// An encoded picture, complete, in memory or on disk.
public enum CodecInput: Sendable {
    case bytes([UInt8])
    case file(path: String)
}
