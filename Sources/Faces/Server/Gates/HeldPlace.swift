/// A place in the queue that several parts of an answer hold; given up by the last.
final class HeldPlace: Sendable {
    private let place: RequestQueue.Place

    init(_ place: consuming RequestQueue.Place) {
        self.place = place
    }

    /// Keeps the place up to here.
    func stay() {}
}
