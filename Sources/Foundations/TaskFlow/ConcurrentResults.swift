/// The results of an operation on many inputs, a bounded number at a time.
///
/// Nothing starts before the first `next()`. Then at most `limit` operations run, and at most twice as many
/// are started and not yet read, so a slow reader stops new ones from starting and the input from being read.
///
/// A failed operation is a result like any other; with `failFast` it is thrown instead. An error of the input
/// ends the iteration after the results of everything started before have been delivered.
///
/// Leaving the loop drops the iterator, which cancels the running operations; the scope awaits them. When the
/// reading task is cancelled, nothing more is read or started, each input that had been started still gets
/// its one result, and the loop ends: check `Task.isCancelled` after it. Each iterator runs the whole
/// iteration again.
public struct ConcurrentResults<Input: Sendable, Output: Sendable, InputFailure: Error>:
    AsyncSequence, Sendable
{
    /// One result.
    public typealias Element = ConcurrentResult<Input, Output>
    /// What the input may throw.
    public typealias Failure = InputFailure

    let makeRun: @Sendable (_ failsFast: Bool) -> ConcurrentRun<Input, Output, InputFailure>

    /// Throws the first failure instead of delivering it as a result.
    public var failFast: FailFastResults<Input, Output, InputFailure> {
        FailFastResults(makeRun: makeRun)
    }

    /// Creates an iterator; nothing starts yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(run: makeRun(false))
    }

    /// Reads results; dropping it cancels the running operations.
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
/// The first failure of an operation or of the input stops new operations and cancels the running ones. The
/// loop still gets the results that were finished before and are due in its order, then the error is thrown.
/// When the reading task is cancelled, it throws `CancellationError`.
public struct FailFastResults<Input: Sendable, Output: Sendable, InputFailure: Error>:
    AsyncSequence, Sendable
{
    /// One result, always a success.
    public typealias Element = ConcurrentResult<Input, Output>
    /// The first failure, of any kind.
    public typealias Failure = any Error

    let makeRun: @Sendable (_ failsFast: Bool) -> ConcurrentRun<Input, Output, InputFailure>

    /// Creates an iterator; nothing starts yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(run: makeRun(true))
    }

    /// Reads results; dropping it cancels the running operations.
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

/// The result for one input of a concurrent iteration.
public struct ConcurrentResult<Input, Output> {
    /// The position of the input, from zero.
    public let index: Int
    /// The input.
    public let input: Input
    /// The output, or the error that the operation threw.
    public let result: Result<Output, any Error>
}

extension ConcurrentResult: Sendable where Input: Sendable, Output: Sendable {}

/// The order in which a concurrent iteration delivers its results.
public enum ResultOrder: Sendable {
    /// As they finish.
    case completion
    /// In the order of their inputs.
    ///
    /// A slow operation delays the results after it, and soon stops new ones from starting.
    case input
}
