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

    private struct Change: Sendable {
        let moment: Moment
        /// The version that the source has since then; `nil` for one without versions.
        let version: SourceVersion?
    }

    /// About four megabytes.
    private static let limits = MemoryCacheLimits(bytes: .mebibytes(4), count: 4_096)

    private let changes = MemoryCache<SourceKey.Identity, Change>(limits: limits) { _ in .kibibytes(1) }
    private let latest = Atomic<UInt64>(0)
    /// The number of the latest change; ``latest`` has it for those who only look.
    private let order = Guarded<UInt64>(0)
    private let onChange: @Sendable (SourceKey.Identity) -> Void

    /// Knows no changes yet; `onChange` is called with each source that changed, before any caller receives its new version.
    init(onChange: @escaping @Sendable (SourceKey.Identity) -> Void) {
        self.onChange = onChange
    }

    /// Where the order of changes is now.
    var now: Moment { Moment(number: latest.load(ordering: .acquiring)) }

    /// Notes what the origin sent, or that it has nothing.
    ///
    /// - Parameters:
    ///   - version: The version that it sent.
    ///   - source: What was asked for.
    ///   - moment: When it was asked.
    ///   - replacing: Whether another version may be in use, because one was known or because the caller wants it loaded again.
    /// - Returns: Whether `version` is the newest; `false` if the source changed since it was asked for, and nobody can tell which
    ///   of the two is newer.
    @discardableResult
    func note(
        _ version: SourceVersion?,
        of source: SourceKey.Identity,
        askedAt moment: Moment,
        replacing: Bool
    ) -> Bool {
        let (isNewest, isChange) = order.withLock { number in
            let last = changes.value(for: source)
            guard replacing || last != nil else { return (true, false) }
            if let last {
                if last.version.isSame(as: version) { return (true, false) }
                if last.moment.number > moment.number { return (false, false) }
            }
            number += 1
            changes.replaceValue(Change(moment: Moment(number: number), version: version), for: source)
            latest.store(number, ordering: .releasing)
            return (true, true)
        }
        if isChange { onChange(source) }
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
