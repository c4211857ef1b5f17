import CalotypeCore
import CalotypeStore

/// The pictures that a pipeline keeps in memory, half of which go when the system is short of it.
final class PictureMemory: Sendable {
    /// What is worth watching the system for, which takes a thread, and at its end about 10 ms of the kernel's.
    private static let watchedBytes = ByteCount.mebibytes(8)

    let cache: MemoryCache<RenditionKey, KeptPicture>
    private let watcher: PressureWatcher?

    /// Creates an empty one; whoever creates it calls ``end()``.
    ///
    /// - Parameters:
    ///   - configuration: Limits, and whether memory is given back.
    ///   - watcher: Makes what calls its argument when memory is short; what watches the system unless given.
    init(
        _ configuration: PipelineConfiguration,
        watcher: (@escaping @Sendable () -> Void) -> PressureWatcher = { PressureWatcher($0) }
    ) {
        let cache = MemoryCache<RenditionKey, KeptPicture>(
            limits: configuration.memoryCache,
            clock: configuration.clock,
            cost: { ByteCount($0.picture.byteCount) },
            family: { RenditionKey.family(of: $0.sourceIdentity) }
        )
        self.cache = cache
        // On an executor of somebody else's there are no threads of ours.
        let isWatched = configuration.trimsOnMemoryPressure && configuration.executor == nil
        self.watcher = isWatched ? watcher { cache.trim(toFraction: 0.5) } : nil
    }

    /// Whether the system is being watched.
    var isWatched: Bool { watcher?.pressure.isWatched ?? false }

    /// Takes note that something was stored.
    func hasGrown() {
        guard let watcher, cache.snapshot.bytes >= Self.watchedBytes else { return }
        watcher.begin()
    }

    /// Forgets the pictures, also those that loads have left after the pipeline had forgotten all; ends the watch, and returns when
    /// its thread has ended.
    func end() async {
        cache.removeAll()
        await watcher?.end()
    }
}

/// Runs `body` with memory for pictures, and returns when it no longer watches the system.
func withPictureMemory<Output>(
    _ configuration: PipelineConfiguration,
    _ body: (PictureMemory) async throws -> Output
) async throws -> Output {
    let memory = PictureMemory(configuration)
    do {
        let output = try await body(memory)
        await memory.end()
        return output
    } catch {
        await memory.end()
        throw error
    }
}
