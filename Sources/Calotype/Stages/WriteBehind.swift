import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import TaskFlow

/// The way to the store: reads are waited for, writes go on in the background after their callers were answered.
final class WriteBehind: Sendable {
    /// Bytes that wait to be written; with more, the next picture waits before it is answered.
    private static let pendingBytes = ByteCount.mebibytes(16).bytes

    private let store: any Storing<StoreKey, Rendition>
    private let headers: [String]
    private let background: TaskScope
    private let pending = AdmissionGate(capacity: WriteBehind.pendingBytes)

    /// Creates the way to `store` for a pipeline that sends `headers` with each request: others may use the store too.
    init(
        _ store: any Storing<StoreKey, Rendition>,
        headers: [HTTPHeaders.Field],
        background: TaskScope
    ) {
        self.store = store
        self.headers = headers.flatMap { [$0.name, $0.value] }
        self.background = background
    }

    /// The writes under way and waiting.
    var pendingByteCount: Int { pending.snapshot.used }

    /// What the store has; a store that fails has nothing.
    ///
    /// - Throws: `CancellationError` when nobody wants the picture any more.
    func picture(for key: RenditionKey) async throws -> Picture? {
        guard key.isStorable, key.cachePolicy.reads, let name = name(of: key) else { return nil }
        do {
            let stored = try await store.value(for: name)
            // A store that does not heed the cancel comes back late.
            try Task.checkCancellation()
            return stored.map(Picture.rendition)
        } catch {
            try Task.checkCancellation()
            LoadEvents.emit(.storeFailed)
            return nil
        }
    }

    /// Has the picture written; returns before it is.
    ///
    /// It is written also when nobody waits for the picture any more.
    func write(_ picture: Picture, for key: RenditionKey) async {
        guard case .rendition(let rendition) = picture, let name = name(of: key) else { return }
        // Nil when the load was cancelled while it waited: what has arrived is stored all the same, and there are no
        // more of these than loads under way.
        let permit = try? await pending.acquire(weight: rendition.bytes.count)
        let isAnew = key.cachePolicy == .reload
        do {
            try background.start(name: "store", priority: .background) { [store] in
                defer { permit?.release() }
                do {
                    if isAnew {
                        try await store.replaceValue(rendition, for: name)
                    } else {
                        try await store.store(rendition, for: name)
                    }
                } catch {
                    LoadEvents.emit(.storeFailed)
                }
            }
        } catch {
            // The pipeline's scope was cancelled: there is nothing left that could write.
            LoadEvents.emit(.storeFailed)
        }
    }

    private func name(of key: RenditionKey) -> StoreKey? {
        StoreKey(key, sentWith: headers)
    }
}
