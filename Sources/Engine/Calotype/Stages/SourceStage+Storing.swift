import CalotypeCore
import TaskFlow

extension SourceStage {
    /// Brings the source into the lasting store, unless it is there and fresh; tells where it came from.
    ///
    /// - Throws: `LoadFailure`; `CancellationError`.
    func store(_ key: SourceKey, priority: LivePriority) async throws -> PipelineEvent.Origin {
        guard case .web = key.place else {
            throw LoadFailure(
                Self.refusal("the request names no URL; what lies on this machine is not stored again")
            )
        }
        guard let store = kept.store(for: key)?.store else {
            throw LoadFailure(Self.refusal("the pipeline keeps no sources: give it a cache that does"))
        }
        if try await kept.hasFreshBytes(key) { return .store }
        try await store.waitForRoom()
        let (source, origin) = try await find(key, priority: priority)
        defer { source.stay() }
        guard source.isKept else { throw source.receipt.failure(Self.lost) }
        return origin
    }

    private static func refusal(_ message: String) -> CalotypeError {
        CalotypeError(.invalidRequest, message, stage: .store)
    }

    private static var lost: CalotypeError {
        CalotypeError(
            .storageFailed,
            "the source was loaded and could not be stored: its origin or the request forbids it, or it is too large",
            stage: .store
        )
    }
}
