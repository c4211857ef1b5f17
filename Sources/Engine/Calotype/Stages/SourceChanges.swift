import CalotypeCore
import CalotypeStore
import Synchronization
import TaskFlow

/// The sources that changed while this pipeline ran, so that no older version is served or kept after a newer one.
///
/// Downloads, look-ups and decodes overlap: one that began before a change may end after it, and bring the old version
/// back. Whatever is found, shared or about to be kept is therefore compared with the newest version that is known. Only
/// changes are kept in mind, and of those the latest: a source that never changed costs nothing.
final class SourceChanges: Sendable {
    /// A point in the order of changes; nothing has changed at the beginning.
    struct Moment: Hashable, Sendable {
        fileprivate let number: UInt64

        static let beginning = Moment(number: 0)
    }

    /// A query to the origin that is in progress.
    struct Query: Sendable {
        fileprivate let source: SourceKey.Identity
        /// Its place in the order of all queries.
        fileprivate let number: UInt64
        /// Where the order of changes was when it was asked.
        fileprivate let moment: Moment
        fileprivate let replaces: Bool
    }

    private struct Order {
        /// The number of the latest change; ``latest`` has it for those who only look.
        var change: UInt64 = 0
        var query: UInt64 = 0
        /// The queries in progress whose answers may replace another version.
        var replacing: [SourceKey.Identity: Set<UInt64>] = [:]
    }

    private struct Change: Sendable {
        let moment: Moment
        /// The number of the query that was answered.
        let query: UInt64
        /// The version that the source has since then; `nil` for one without versions, and where nobody can tell.
        let version: SourceVersion?
    }

    /// About four megabytes.
    private static let limits = MemoryCacheLimits(bytes: .mebibytes(4), count: 4_096)

    private let changes = MemoryCache<SourceKey.Identity, Change>(limits: limits) { _ in .kibibytes(1) }
    private let latest = Atomic<UInt64>(0)
    private let order = Guarded(Order())
    private let onChange: @Sendable (SourceKey.Identity) -> Void

    /// Knows no changes yet; `onChange` is called with each source that changed, before any caller receives its new version.
    init(onChange: @escaping @Sendable (SourceKey.Identity) -> Void) {
        self.onChange = onChange
    }

    /// Where the order of changes is now.
    var now: Moment { Moment(number: latest.load(ordering: .acquiring)) }

    /// Registers a query to the origin.
    ///
    /// Call ``end(_:)`` when it has answered or failed.
    ///
    /// - Parameters:
    ///   - source: What is asked for.
    ///   - replacing: Whether another version may be in use, because one is known or because the caller wants it loaded again.
    /// - Returns: The query; pass it to ``note(_:answering:)`` with the answer.
    func ask(for source: SourceKey.Identity, replacing: Bool) -> Query {
        let moment = now
        return order.withLock { order in
            order.query += 1
            if replacing { order.replacing[source, default: []].insert(order.query) }
            return Query(source: source, number: order.query, moment: moment, replaces: replacing)
        }
    }

    /// Removes a query that has ended.
    func end(_ query: Query) {
        guard query.replaces else { return }
        order.withLock { order in
            order.replacing[query.source]?.remove(query.number)
            if order.replacing[query.source]?.isEmpty == true { order.replacing[query.source] = nil }
        }
    }

    /// Notes what the origin sent, or that it has nothing.
    ///
    /// - Parameters:
    ///   - version: The version that it sent.
    ///   - query: The query that it answers.
    /// - Returns: Whether `version` is the newest; `false` if the source changed since it was asked for, and it is
    ///   unknown which of the two is newer.
    @discardableResult
    func note(_ version: SourceVersion?, answering query: Query) -> Bool {
        let (isNewest, isChange) = order.withLock { order in
            let last = changes.value(for: query.source)
            // The answer to an earlier query must not replace this one.
            let overtakes = order.replacing[query.source]?.contains { $0 < query.number } ?? false
            guard query.replaces || last != nil || overtakes else { return (true, false) }
            if let last, last.version.isSame(as: version) { return (true, false) }
            let isNewest = last.map { $0.moment.number <= query.moment.number } ?? true
            if !isNewest { sometimes("an answer was overtaken by a change of its source") }
            if !isNewest, let last, query.number < last.query { return (false, false) }
            order.change += 1
            // This query was sent after the one whose answer arrived first, so neither version is kept: the next caller queries again.
            let change = Change(
                moment: Moment(number: order.change),
                query: query.number,
                version: isNewest ? version : nil
            )
            changes.replaceValue(change, for: query.source)
            latest.store(order.change, ordering: .releasing)
            return (isNewest, true)
        }
        if isChange { onChange(query.source) }
        return isNewest
    }

    /// Whether the source has a newer version than `version`.
    ///
    /// What has no version is never outdated; see ``forbids(_:of:)``.
    func isOutdated(_ version: SourceVersion?, of source: @autoclosure () -> SourceKey.Identity?) -> Bool {
        guard let version, let change = change(of: source) else { return false }
        return !change.version.isSame(as: version)
    }

    /// Whether something that was stored must not be used: it was made of a version that is outdated, or of one that is not
    /// known and the source has changed.
    func forbids(_ version: SourceVersion?, of source: @autoclosure () -> SourceKey.Identity?) -> Bool {
        version == nil ? change(of: source) != nil : isOutdated(version, of: source())
    }

    /// When the source changed last.
    ///
    /// Work that is shared belongs to one such moment: a caller that arrives after a change takes no part in what began before it.
    func moment(of source: @autoclosure () -> SourceKey.Identity?) -> Moment {
        change(of: source)?.moment ?? .beginning
    }

    /// Runs `keep`, which stores something made of `version`, unless that is outdated.
    ///
    /// What a change overtakes is removed by `undo`, because it may have taken the place of the newer one.
    ///
    /// - Returns: Whether it was stored, and is up to date.
    @discardableResult
    func keeping(
        _ version: SourceVersion?,
        of source: @autoclosure () -> SourceKey.Identity?,
        _ keep: () -> Void,
        undo: () -> Void
    ) -> Bool {
        guard !isOutdated(version, of: source()) else { return false }
        keep()
        guard isOutdated(version, of: source()) else { return true }
        undo()
        return false
    }

    private func change(of source: () -> SourceKey.Identity?) -> Change? {
        guard now != .beginning, let source = source() else { return nil }
        return changes.value(for: source)
    }
}

extension SourceVersion? {
    /// Whether both are certainly the same bytes; nothing is certain of what has no version.
    fileprivate func isSame(as other: SourceVersion?) -> Bool {
        guard let self, let other else { return false }
        return self.hasBytes(of: other)
    }
}
