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
        /// Contains the bytes; `nil` before the first.
        var file: SpoolFile?
        /// The length that the origin announced.
        var expected: ByteCount?
        var provenance: Provenance?
        /// Whether the origin's validators are those of the requested URL.
        var isDirect = false
        /// The result of the load.
        var end: Result<Complete, any Error>?

        /// The number of bytes in the file.
        var count: Int { file?.count ?? 0 }
    }

    private let state = Guarded(Level())
    /// Something may have changed; nobody counts how often.
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    init() {
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// How far it has come by now.
    var level: Level { state.withLock { $0 } }

    /// Returns an observer that updates ``level``.
    ///
    /// `provenance` returns the provenance of a version, and whether that is of the requested URL.
    func observer(
        _ provenance: @escaping @Sendable (SourceVersion) -> (Provenance, isDirect: Bool)
    ) -> SourceFeed.Observer {
        SourceFeed.Observer(
            progress: { progress in
                self.state.withLock { $0.expected = $0.expected ?? progress.expected }
                self.change.yield()
            },
            version: { version in
                let (provenance, isDirect) = provenance(version)
                self.state.withLock { ($0.provenance, $0.isDirect) = (provenance, isDirect) }
            },
            file: { file in
                // Another one is that of another load.
                self.state.withLock { $0.file = $0.file ?? file }
            }
        )
    }

    /// The load has ended.
    func end(_ result: Result<Complete, any Error>) {
        state.withLock { state in
            state.end = result
            guard case .success(let complete) = result else { return }
            state.file = complete.source.spool
            (state.provenance, state.isDirect) = (complete.provenance, complete.isDirect)
        }
        change.yield()
    }

    /// Waits until it has come so far that `isEnough`.
    ///
    /// One task waits at a time.
    ///
    /// - Throws: `CancellationError`, at once.
    func level(where isEnough: (Level) -> Bool) async throws -> Level {
        while true {
            let level = level
            if isEnough(level) { return level }
            var iterator = changes.makeAsyncIterator()
            _ = await iterator.next()
            // A cancel ends the changes too.
            try Task.checkCancellation()
        }
    }
}
