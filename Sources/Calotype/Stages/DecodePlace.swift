import CalotypeCodec
import Synchronization

/// A picture's place in a decode to come, kept until the picture is had or not wanted any more.
final class DecodePlace: Sendable {
    let set: DecodeSets.SetID
    let spec: PictureSpec
    let source: SourceKey
    private let isKept = Atomic(true)

    init(in set: DecodeSets.SetID, for spec: PictureSpec, of source: SourceKey) {
        self.set = set
        self.spec = spec
        self.source = source
    }

    /// Marks the place as given up, and tells whether this call did.
    func giveUp() -> Bool {
        isKept.exchange(false, ordering: .relaxed)
    }
}
