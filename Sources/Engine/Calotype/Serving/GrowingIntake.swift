import CalotypeCore
import TaskFlow

/// The state of a source that is read while it arrives: the load reports it, and one task reads.
final class GrowingIntake: Sendable {
    /// A source that has arrived completely.
    struct Complete: Sendable {
        let source: LoadedSource
        /// All of it; `nil` if it is in the file.
        let bytes: [UInt8]?
        let receipt: SourceReceipt
        let provenance: Provenance
        let isDirect: Bool
    }

    /// How much of the source has arrived.
    struct Level: Sendable {
        /// The number of files that have been replaced by another load's.
        ///
        /// What was read from one of them may be the beginning of another version.
        var replacements = 0
        /// Contains the bytes; `nil` before the first.
        var file: SpoolFile?
        /// Whether the load has reported bytes, and with them the length.
        var hasBegun = false
        /// The length that the origin announced.
        var expected: ByteCount?
        var provenance: Provenance?
        /// Whether the origin's validators are those of the requested URL.
        var isDirect = false
        /// The result of the load.
        var end: Result<Complete, any Error>?

        /// The bytes that are in the file, once their length is known as well as it can be.
        var count: Int { hasBegun ? file?.count ?? 0 : 0 }

        /// Forgets a file that does not grow any more.
        fileprivate mutating func restart() {
            self = Level(replacements: file == nil ? replacements : replacements + 1)
        }
    }

    private let levels = LatestValue(Level())

    /// How far it has come by now.
    var level: Level { levels.current ?? Level() }

    /// Returns an observer that updates ``level``.
    ///
    /// `provenance` returns the provenance of a version, and whether that is of the requested URL.
    func observer(
        _ provenance: @escaping @Sendable (SourceVersion) -> (Provenance, isDirect: Bool)
    ) -> SourceFeed.Observer {
        SourceFeed.Observer(
            progress: { progress in
                self.change { ($0.hasBegun, $0.expected) = (true, $0.expected ?? progress.expected) }
            },
            begin: { self.change { $0.restart() } },
            version: { version in
                let (provenance, isDirect) = provenance(version)
                self.change { ($0.provenance, $0.isDirect) = (provenance, isDirect) }
            },
            file: { file in self.change { $0.file = file } }
        )
    }

    private func change(_ change: (inout Level) -> Void) {
        levels.update { level in
            change(&level)
            return false
        }
    }

    /// The load has ended.
    func end(_ result: Result<Complete, any Error>) {
        levels.update { level in
            level.end = result
            guard case .success(let complete) = result else { return true }
            if let file = level.file, file !== complete.source.spool { level.replacements += 1 }
            level.file = complete.source.spool
            (level.provenance, level.isDirect) = (complete.provenance, complete.isDirect)
            return true
        }
    }

    /// Waits until `isEnough` holds, which it must at the end.
    ///
    /// - Throws: `CancellationError`, immediately.
    func level(where isEnough: (Level) -> Bool) async throws -> Level {
        for await level in levels.makeReader() where isEnough(level) { return level }
        throw CancellationError()
    }
}
