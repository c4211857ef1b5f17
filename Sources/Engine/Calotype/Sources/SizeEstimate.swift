import CalotypeCore
import TaskFlow

/// How much memory to set aside for a source whose length is not known yet: what recent ones needed, and half as
/// much again.
///
/// Too little sends bodies to the spool, too much lets fewer of them in; both only cost time. At most 1 MiB, so that
/// large photographs over a slow network are spooled, many at a time, rather than fetched a few at a time.
final class SizeEstimate: Sendable {
    private static let range = ByteCount.kibibytes(256).bytes...ByteCount.mebibytes(1).bytes
    private let mean = Guarded(ByteCount.kibibytes(512).bytes)

    /// The bytes to set aside for the next source.
    var reservation: Int {
        let mean = mean.withLock { $0 }
        return min(max(mean + mean / 2, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Takes the length of one complete source into account.
    func record(_ bytes: Int) {
        mean.withLock { $0 += (min(bytes, Self.range.upperBound) - $0) / 8 }
    }
}
