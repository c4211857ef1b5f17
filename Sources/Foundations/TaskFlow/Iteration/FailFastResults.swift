/// The results of an operation on many inputs, ended by the first failure.
///
/// The first failure of an operation or of the input stops new ones from starting and cancels those that run. The
/// loop still gets what had finished before and is due in its order, then the error is thrown. When the reading
/// task is cancelled, it throws `CancellationError`.
public struct FailFastResults<Input: Sendable, Output: Sendable, InputFailure: Error>:
    AsyncSequence, Sendable
{
    /// One result, always a success.
    public typealias Element = ConcurrentResult<Input, Output>
    /// The first failure, of whatever kind.
    public typealias Failure = any Error

    let makeRun: @Sendable (_ failsFast: Bool) -> ConcurrentRun<Input, Output, InputFailure>

    /// Makes an iterator, which starts nothing yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(run: makeRun(true))
    }

    /// Reads results; dropping it cancels what runs.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let run: ConcurrentRun<Input, Output, InputFailure>

        /// Waits for the next result; nil after the last.
        public mutating func next() async throws -> Element? {
            switch await run.next() {
            case .deliver(let element): return element
            case .inputFailed(let error): throw error
            case .failed(let error): throw error
            case .end, .wait: return nil
            }
        }

        /// Waits for the next result on the caller's actor; nil after the last.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            try await next()
        }
    }
}
