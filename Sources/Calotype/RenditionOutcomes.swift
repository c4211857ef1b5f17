import CalotypeCore
import TaskFlow

/// The outcomes of a batch, as they come.
///
/// When the reading task is cancelled the loop ends; loads that were cut short by it have no outcome.
public struct RenditionOutcomes: AsyncSequence, Sendable {
    /// What became of one request.
    public typealias Element = RenditionOutcome
    /// Failures are values here.
    public typealias Failure = Never

    let base: ConcurrentResults<ImageRequest, Rendition, Never>

    /// Reads outcomes; dropping it cancels what is under way.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        var base: ConcurrentResults<ImageRequest, Rendition, Never>.Iterator

        /// Waits for the next outcome; `nil` after the last.
        public mutating func next() async -> RenditionOutcome? {
            await next(isolation: nil)
        }

        /// Waits for the next outcome on the caller's actor; `nil` after the last.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> RenditionOutcome? {
            while let result = await base.next(isolation: actor) {
                if let outcome = RenditionOutcome(result) { return outcome }
            }
            return nil
        }
    }

    /// Creates the iterator, which starts nothing yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator())
    }
}

extension RenditionOutcome {
    /// The outcome of a load that was not cut short.
    init?(_ result: ConcurrentResult<ImageRequest, Rendition>) {
        switch result.result {
        case .success(let rendition):
            self.init(index: result.index, request: result.input, result: .success(rendition))
        case .failure(let error as CalotypeError):
            self.init(index: result.index, request: result.input, result: .failure(error))
        case .failure:
            return nil
        }
    }
}
