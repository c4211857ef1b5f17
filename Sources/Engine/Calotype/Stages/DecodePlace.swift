import CalotypeCodec
import Synchronization

/// A picture's place in a decode to come, kept until the picture is had or not wanted any more.
final class DecodePlace: Sendable {
    let spec: PictureSpec
    let source: SourceKey
    private let current: Atomic<DecodeSets.SetID>
    private let isKept = Atomic(true)

    init(in set: DecodeSets.SetID, for spec: PictureSpec, of source: SourceKey) {
        current = Atomic(set)
        self.spec = spec
        self.source = source
    }

    /// The set in which it is; changed under the lock that the sets are behind.
    var set: DecodeSets.SetID {
        get { current.load(ordering: .relaxed) }
        set { current.store(newValue, ordering: .relaxed) }
    }

    /// Marks the place as given up, and tells whether this call did.
    func giveUp() -> Bool {
        isKept.exchange(false, ordering: .relaxed)
    }
}
