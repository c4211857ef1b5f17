internal import TaskFlow

/// Tells of trouble, once for each kind until it is over.
final class NoticeBoard: Sendable {
    /// The kinds of trouble.
    enum Kind: Hashable, Sendable {
        case unusable, notOwner, damagedIndex, damagedEntry, vanished, refused, logHeld
    }

    private let told = Guarded<Set<Kind>>([])
    private let tell: (@Sendable (String) -> Void)?

    init(_ tell: (@Sendable (String) -> Void)?) {
        self.tell = tell
    }

    func post(_ kind: Kind, _ text: @autoclosure () -> String) {
        guard let tell, told.withLock({ $0.insert(kind).inserted }) else { return }
        tell(text())
    }

    /// The trouble is over; the next of its kind is told again.
    func clear(_ kind: Kind) {
        told.withLock { _ = $0.remove(kind) }
    }
}
