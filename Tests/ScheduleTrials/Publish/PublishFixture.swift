import Calotype
import CalotypePublish
import CalotypeTestKit

/// A publisher whose random numbers are no random numbers, over a pipeline without a network.
enum PublishFixture {
    /// Runs `body` with a publisher over the journal in `journal`.
    ///
    /// - Parameters:
    ///   - journal: Where the journal is; it stays.
    ///   - onJournal: Is told of each write.
    ///   - body: Uses the publisher.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, and what goes wrong with the journal.
    static func run<Output>(
        _ journal: String,
        onJournal: @escaping @Sendable (JournalMoment) -> Void = { _ in },
        _ body: (Publisher) async throws -> Output
    ) async throws -> Output {
        var configuration = PublisherConfiguration(journal: journal)
        configuration.random = { $0 / 2 }
        configuration.onJournal = onJournal
        var pictures = PipelineConfiguration()
        pictures.exchange = ScriptedTransport()
        return try await withImagePipeline(pictures) { pipeline in
            try await withPublisher(configuration, pipeline) { try await body($0) }
        }
    }
}
