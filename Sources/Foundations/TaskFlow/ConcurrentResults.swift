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

/// What came of one input of a concurrent iteration.
public struct ConcurrentResult<Input, Output> {
    /// The place of the input, from zero.
    public let index: Int
    /// The input.
    public let input: Input
    /// The output, or the error that the operation threw.
    public let result: Result<Output, any Error>
}

extension ConcurrentResult: Sendable where Input: Sendable, Output: Sendable {}

/// The order in which a concurrent iteration gives its results.
public enum ResultOrder: Sendable {
    /// As they finish.
    case completion
    /// As their inputs came. A slow one holds back those after it, and soon stops new ones from starting.
    case input
}
