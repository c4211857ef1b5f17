import CalotypeCore
import TaskFlow

/// What has come of a source that is passed on: its load tells, and one task reads.
final class GrowingIntake: Sendable {
    /// A source that is complete on this machine.
    struct Complete: Sendable {
        let source: LoadedSource
        /// All of it; `nil` where it is in the file.
        let bytes: [UInt8]?
        let receipt: SourceReceipt
        let provenance: Provenance
        let isDirect: Bool
    }

    /// How far it has come.
    struct Level: Sendable {
        /// Where the bytes are; `nil` before the first.
        var file: SpoolFile?
        /// The length that the origin announced.
        var expected: ByteCount?
        var provenance: Provenance?
        /// Whether the origin's validators are those of the URL that was asked for.
        var isDirect = false
        /// How the load ended.
        var end: Result<Complete, any Error>?

        /// The bytes that are in the file.
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

    /// Watches the source for ``level``; `provenance` returns the provenance of a version, and whether that is of the
    /// requested URL.
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
