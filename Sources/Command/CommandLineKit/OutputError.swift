import Glibc

/// Standard output or standard error that does not take what is written to it.
public struct OutputError: Error, Sendable, CustomStringConvertible {
    /// The system's error number.
    public let errno: Int32

    /// Whether the reader of the pipe has gone, as with `| head`: nothing to complain about, just stop.
    public var isClosedPipe: Bool { errno == EPIPE }

    /// The system's words for it.
    public var description: String {
        unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
    }
}
