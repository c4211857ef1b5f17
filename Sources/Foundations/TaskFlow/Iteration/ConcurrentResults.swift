/// The results of an operation on many inputs, a bounded number at a time.
///
/// Nothing starts before the first `next()`. Then at most `limit` operations run, and at most twice as many are
/// started and not yet read, so a slow reader stops new ones from starting and the input from being read.
///
/// A failed operation is a result like others; `failFast` throws it instead. An error of the input ends the iteration
/// after all that had been started is delivered.
///
/// Leaving the loop drops the iterator, which cancels what runs; the scope awaits it. When the reading task is
/// cancelled, nothing more is read or started, each input that had been started still gives its one result, and the
/// loop ends: ask `Task.isCancelled` after it. Each iterator runs the whole iteration anew.
public struct ConcurrentResults<Input: Sendable, Output: Sendable, InputFailure: Error>:
    AsyncSequence, Sendable
{
    /// One result.
    public typealias Element = ConcurrentResult<Input, Output>
    /// What the input may throw.
    public typealias Failure = InputFailure

    let makeRun: @Sendable (_ failsFast: Bool) -> ConcurrentRun<Input, Output, InputFailure>

    /// The same results, ended by the first failure.
    public var failFast: FailFastResults<Input, Output, InputFailure> {
        FailFastResults(makeRun: makeRun)
    }

    /// Makes an iterator, which starts nothing yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(run: makeRun(false))
    }

    /// Reads results; dropping it cancels what runs.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let run: ConcurrentRun<Input, Output, InputFailure>

        /// Waits for the next result; nil after the last.
        public mutating func next() async throws(InputFailure) -> Element? {
            switch await run.next() {
            case .deliver(let element): return element
            case .inputFailed(let error): throw error
            case .failed, .end, .wait: return nil
            }
        }

        /// Waits for the next result on the caller's actor; nil after the last.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(InputFailure) -> Element? {
            try await next()
        }
    }
}
