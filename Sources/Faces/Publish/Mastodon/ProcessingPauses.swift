internal import CalotypeCore

/// The pauses between two questions whether a medium is processed: 1, 2, 4, 8, and then 10 s each, until there have been
/// enough of them for its size.
struct ProcessingPauses: IteratorProtocol {
    private static let longest = Duration.seconds(10)

    /// All pauses together: 2 min, and 2 s more for each MiB, which is some times what small servers take for a video.
    let budget: Duration
    private var pause = Duration.seconds(1)
    private var spent = Duration.zero

    /// Creates the pauses for a medium of `size`.
    init(for size: ByteCount) {
        budget = .seconds(120 + 2 * (size.bytes >> 20))
    }

    mutating func next() -> Duration? {
        guard spent < budget else { return nil }
        let next = pause
        spent += next
        pause = min(pause * 2, Self.longest)
        return next
    }
}
