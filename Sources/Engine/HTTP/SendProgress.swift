public import CalotypeCore
import TaskFlow

/// How much of a request's body has been handed to the network, told while it is sent.
///
/// What the network was handed is not yet at the origin; only the origin's answer tells that. The system holds up to
/// 256 KiB that are not on their way yet, and as much as the connection allows that are.
public final class SendProgress: Sendable {
    private let latest = Guarded(ByteCount(0))
    private let tell: (@Sendable (ByteCount) -> Void)?

    /// Creates a progress of zero, for one request.
    ///
    /// - Parameter tell: Is called with each new count, by the thread that sends: it returns at once, or all of the
    ///   transport's exchanges wait for it.
    public init(_ tell: (@Sendable (ByteCount) -> Void)? = nil) {
        self.tell = tell
    }

    /// The bytes of the body that were sent up to now; after a redirect that repeats the body, those of the new request.
    public var sent: ByteCount { latest.withLock { $0 } }

    package func report(_ count: ByteCount) {
        latest.withLock { $0 = count }
        tell?(count)
    }
}

extension SendProgress: Hashable {
    /// Whether they are the same object.
    public static func == (lhs: SendProgress, rhs: SendProgress) -> Bool { lhs === rhs }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
