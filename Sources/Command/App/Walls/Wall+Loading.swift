import Calotype
import CalotypeBulk
import CalotypeCore
import TaskFlow

extension Wall {
    /// How many of a wall's pictures are under way at a time; the pipeline's gates bound them too.
    static let width = 128

    /// Loads all pictures as they finish, and tells of each; what it has begun is cancelled and awaited with the caller's task.
    func load(_ pipeline: ImagePipeline, onOutcome: @Sendable () -> Void) async {
        await withConcurrentResults(of: contents.items, limit: Self.width, name: "wall") { item in
            self.began()
            let outcome = await self.outcome(of: item, pipeline)
            self.ended(outcome)
            return outcome != nil
        } body: { results in
            for await element in results where (try? element.result.get()) == true { onOutcome() }
        }
    }

    /// What has become of an entry; `nil` where its load was cut short.
    private func outcome(of item: ListItem, _ pipeline: ImagePipeline) async -> FetchOutcome? {
        do {
            return .loaded(item, try await pipeline.load(try request(for: item)))
        } catch let failure as LoadFailure {
            return .failed(item, failure)
        } catch let error as CalotypeError {
            return .failed(item, LoadFailure(error))
        } catch is CancellationError {
            return nil
        } catch {
            return .failed(item, LoadFailure(CalotypeError(.invalidRequest, "\(error)", stage: .request)))
        }
    }
}
