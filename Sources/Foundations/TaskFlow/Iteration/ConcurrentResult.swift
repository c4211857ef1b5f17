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
