import TaskFlow

/// A text that is made of something kept, once, by the first who needs it.
package final class DerivedText: Sendable {
    private let made = Guarded<String??>(nil)

    package init() {}

    /// The text that `make` made the first time; `nil` where it could not make one.
    package func text(_ make: () -> String?) -> String? {
        if let text = made.withLock({ $0 }) { return text }
        // Outside the lock: two may make the same at once, and the first stays.
        let text = make()
        return made.withLock { made in
            if let made { return made }
            made = .some(text)
            return text
        }
    }
}
