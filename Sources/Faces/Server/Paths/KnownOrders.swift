import CalotypeCore
import CalotypeStore

/// Reads paths, those that are asked for often once.
///
/// What a path means follows from the path alone, unless it expires or a browser's hints are heeded; such ones are read each
/// time, as are those that are refused.
final class KnownOrders: Sendable {
    /// The most paths that are kept, and the most bytes that they may have in all.
    private static let limits = MemoryCacheLimits(
        bytes: .mebibytes(8),
        count: 4_096,
        entryBytes: .kibibytes(8)
    )

    private let reader: PathReader
    private let kept = MemoryCache<String, ReadOrder>(
        limits: limits,
        cost: { order in
            // An order has little but its source, which the path has too.
            ByteCount(1_024 + 2 * order.order.source.utf8.count)
        }
    )

    init(_ reader: PathReader) {
        self.reader = reader
    }

    /// The number of paths that are kept.
    var count: Int { kept.snapshot.count }

    /// What ``PathReader/order(_:now:hints:)`` gives.
    func order(_ target: String, now: Int, hints: ClientHints) throws(RequestRefusal) -> ReadOrder {
        if hints == .none, let order = kept.valueAgain(for: target) { return order }
        let (order, heedsTime) = try reader.timedOrder(target, now: now, hints: hints)
        let read = ReadOrder(order)
        return heedsTime || hints != .none ? read : kept.store(read, for: target)
    }
}
