import CalotypeCore
import CalotypeStore
import Synchronization
import TaskFlow

/// Remembers which sources changed, so that no older version is served or stored after a newer one.
///
/// Downloads, look-ups and decodes overlap: one that began before a change may end after it, and bring the old
/// version back. Every result is therefore compared with the newest known version before it is shared, served
/// or stored. Only the latest change of each source is remembered; a source that never changed needs no memory.
final class SourceChanges: Sendable {
    /// A point in the order of changes, and in that of removals.
    struct Moment: Hashable, Sendable {
        fileprivate let number: UInt64
        fileprivate var removal = SourceRemovals.Moment.beginning

        static let beginning = Moment(number: 0)
    }

    /// A query to the origin that is in progress.
    struct Query: Sendable {
        fileprivate let source: SourceKey.Identity
        /// Its place in the order of all queries.
        fileprivate let number: UInt64
        /// The latest change when the query was sent.
        fileprivate let moment: Moment
        fileprivate let replaces: Bool
    }

    private struct Order {
        /// The number of the latest change; ``latest`` is a copy for readers without the lock.
        var change: UInt64 = 0
        var query: UInt64 = 0
        /// The queries in progress whose responses may replace another version.
        var replacing: [SourceKey.Identity: Set<UInt64>] = [:]
    }

    private struct Change: Sendable {
        let moment: Moment
        /// The number of the query that found the change.
        let query: UInt64
        /// The source's version since then; `nil` if it has no versions or the version is unknown.
        let version: SourceVersion?
    }

    /// Limits the memory to about 4 MiB.
    private static let limits = MemoryCacheLimits(bytes: .mebibytes(4), count: 4_096)

    private let changes = MemoryCache<SourceKey.Identity, Change>(limits: limits) { _ in .kibibytes(1) }
    /// What was removed from the caches.
    let removals = SourceRemovals()
    private let latest = Atomic<UInt64>(0)
    private let order = Guarded(Order())
    private let onChange: @Sendable (SourceKey.Identity) -> Void

    /// Creates an empty record of changes.
    ///
    /// - Parameter onChange: Called with each source that changed, before a caller receives its new version.
    init(onChange: @escaping @Sendable (SourceKey.Identity) -> Void) {
        self.onChange = onChange
    }

    /// The latest change.
    var now: Moment { Moment(number: latest.load(ordering: .acquiring)) }

    /// Registers a query to the origin.
    ///
    /// Call ``end(_:)`` when the query has received a response or has failed.
    ///
    /// - Parameters:
    ///   - source: The source that the query requests.
    ///   - replacing: Whether another version may be in use, because one is known or because the caller wants
    ///     a reload.
    /// - Returns: The query; pass it to ``note(_:answering:)`` with the response's version.
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

    /// Records the version that the origin sent, or that the origin has no such source.
    ///
    /// - Parameters:
    ///   - version: The version that the origin sent.
    ///   - query: The query that received it.
    /// - Returns: Whether `version` is the newest; `false` if the source changed during the query, and it is
    ///   unknown which of the two versions is newer.
    @discardableResult
    func note(_ version: SourceVersion?, answering query: Query) -> Bool {
        let (isNewest, isChange) = order.withLock { order in
            let last = changes.value(for: query.source)
            // The response to an earlier query must not replace this one.
            let overtakes = order.replacing[query.source]?.contains { $0 < query.number } ?? false
            guard query.replaces || last != nil || overtakes else { return (true, false) }
            if let last, last.version.isSame(as: version) { return (true, false) }
            let isNewest = last.map { $0.moment.number <= query.moment.number } ?? true
            if !isNewest { sometimes("an answer was overtaken by a change of its source") }
            if !isNewest, let last, query.number < last.query { return (false, false) }
            order.change += 1
            // This query was sent after the one whose response arrived first, so neither version is recorded:
            // the next caller queries again.
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
    /// A result without a version is never outdated; see ``forbids(_:of:)``.
    func isOutdated(_ version: SourceVersion?, of source: @autoclosure () -> SourceKey.Identity?) -> Bool {
        guard let version, let change = change(of: source) else { return false }
        return !change.version.isSame(as: version)
    }

    /// Whether a stored value must not be used.
    ///
    /// It must not if it was made from an outdated version, or if its version is unknown and the source has
    /// changed.
    func forbids(_ version: SourceVersion?, of source: @autoclosure () -> SourceKey.Identity?) -> Bool {
        version == nil ? change(of: source) != nil : isOutdated(version, of: source())
    }

    /// The latest change and the latest removal of the source.
    ///
    /// Shared work belongs to one such moment: a caller that arrives after a change does not join work that began
    /// before it.
    func moment(of source: @autoclosure () -> SourceKey.Identity?) -> Moment {
        var moment = change(of: source)?.moment ?? .beginning
        moment.removal = removals.moment(of: source()?.group)
        return moment
    }

    /// Whether the source was removed from the caches after `moment`.
    func isRemoved(_ source: @autoclosure () -> SourceKey.Identity?, since moment: Moment) -> Bool {
        let last = removals.moment(of: source()?.group)
        return last != moment.removal || last.isDuring
    }

    /// Runs `keep`, which stores a value made from `version`, unless that version is outdated or the source was
    /// removed after the work on the value began.
    ///
    /// If that happens meanwhile, `undo` removes the value, because it may have replaced a newer one.
    ///
    /// - Returns: Whether the value was stored and is up to date.
    @discardableResult
    func keeping(
        _ version: SourceVersion?,
        of source: @autoclosure () -> SourceKey.Identity?,
        since moment: Moment,
        _ keep: () -> Void,
        undo: () -> Void
    ) -> Bool {
        func isCurrent() -> Bool {
            !isOutdated(version, of: source()) && !isRemoved(source(), since: moment)
        }
        guard isCurrent() else { return false }
        keep()
        if isCurrent() { return true }
        undo()
        return false
    }

    private func change(of source: () -> SourceKey.Identity?) -> Change? {
        guard now != .beginning, let source = source() else { return nil }
        return changes.value(for: source)
    }
}

extension SourceVersion? {
    /// Whether both certainly have the same bytes; `false` if one has no version.
    fileprivate func isSame(as other: SourceVersion?) -> Bool {
        guard let self, let other else { return false }
        return self.hasBytes(of: other)
    }
}
