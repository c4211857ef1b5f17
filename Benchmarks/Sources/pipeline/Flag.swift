import Synchronization

/// Something that is set once.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func signal() {
        value.store(true, ordering: .releasing)
    }
}
