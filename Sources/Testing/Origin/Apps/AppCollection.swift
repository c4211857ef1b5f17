/// A list of apps as an App Store has them: made up, the same for the same seed.
public struct AppCollection: Hashable, Sendable {
    /// How many apps there are.
    public let count: Int
    /// What all random choices are made from.
    public let seed: UInt64

    /// Creates the list; nothing is made until it is asked for.
    ///
    /// - Parameters:
    ///   - count: how many apps, 0 to 100,000; 320 by default.
    ///   - seed: the same seed gives the same apps.
    public init(count: Int = 320, seed: UInt64 = 1) {
        self.count = min(max(0, count), 100_000)
        self.seed = seed
    }
}
