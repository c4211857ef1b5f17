/// Runs `operation` on the inputs, at most `limit` at a time, and `body` on the results as they arrive.
///
/// However `body` ends, by a return, an error or cancellation, this cancels the children that are still
/// running and awaits them.
///
/// ```swift
/// await withConcurrentResults(of: urls, limit: 8) { url in
///     try await download(url)
/// } body: { results in
///     for await result in results { report(result) }
/// }
/// ```
///
/// - Parameters:
///   - inputs: The inputs, read only as far as there is room.
///   - limit: How many operations run at a time, at least one.
///   - order: As they finish, or in the order of the inputs.
///   - name: The name of the children, followed by the index.
///   - priority: The priority of the children.
///   - executor: Where the children and the task that starts them run; the global pool when `nil`.
///   - operation: The work on one input.
///   - body: Reads the results; `results.failFast` throws the first failure.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
public func withConcurrentResults<Inputs: Sequence & Sendable, Output: Sendable, Answer, Failure: Error>(
    of inputs: Inputs,
    limit: Int,
    order: ResultOrder = .completion,
    name: String? = nil,
    priority: TaskPriority? = nil,
    executor: (any TaskExecutor)? = nil,
    operation: @escaping @Sendable (Inputs.Element) async throws -> Output,
    body: (ConcurrentResults<Inputs.Element, Output, Never>) async throws(Failure) -> Answer
) async throws(Failure) -> Answer where Inputs.Element: Sendable {
    try await withConcurrentResults(
        of: SequenceInputs(base: inputs),
        limit: limit,
        order: order,
        name: name,
        priority: priority,
        executor: executor,
        operation: operation,
        body: body
    )
}

/// Runs `operation` on inputs that arrive over time, at most `limit` at a time, and `body` on the results.
///
/// However `body` ends, by a return, an error or cancellation, this cancels the children that are still
/// running and awaits them.
///
/// - Parameters:
///   - inputs: The inputs, read only as far as there is room. The sequence may be endless, and it may throw.
///   - limit: How many operations run at a time, at least one.
///   - order: As they finish, or in the order of the inputs.
///   - name: The name of the children, followed by the index.
///   - priority: The priority of the children.
///   - executor: Where the children and the task that starts them run; the global pool when `nil`.
///   - operation: The work on one input.
///   - body: Reads the results; `results.failFast` throws the first failure.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
public func withConcurrentResults<Inputs: AsyncSequence & Sendable, Output: Sendable, Answer, Failure: Error>(
    of inputs: Inputs,
    limit: Int,
    order: ResultOrder = .completion,
    name: String? = nil,
    priority: TaskPriority? = nil,
    executor: (any TaskExecutor)? = nil,
    operation: @escaping @Sendable (Inputs.Element) async throws -> Output,
    body: (ConcurrentResults<Inputs.Element, Output, Inputs.Failure>) async throws(Failure) -> Answer
) async throws(Failure) -> Answer where Inputs.Element: Sendable {
    try await withTaskScope(executor: executor) { scope async throws(Failure) in
        let results = inputs.concurrentResults(
            limit: limit,
            order: order,
            in: scope,
            name: name,
            priority: priority,
            executor: executor,
            operation: operation
        )
        return try await body(results)
    }
}

extension Sequence where Self: Sendable, Element: Sendable {
    /// The results of `operation` on the elements, with children that `scope` awaits.
    ///
    /// At most `limit` operations run at a time.
    ///
    /// - Parameters:
    ///   - limit: How many operations run at a time, at least one.
    ///   - order: As they finish, or in the order of the inputs.
    ///   - scope: Owns the children: leaving the loop cancels them, the end of the scope awaits them.
    ///   - name: The name of the children, followed by the index.
    ///   - priority: The priority of the children.
    ///   - executor: Where the children run; the executor of the scope when `nil`.
    ///   - operation: The work on one element.
    /// - Returns: A sequence that starts at its first `next()`.
    public func concurrentResults<Output: Sendable>(
        limit: Int,
        order: ResultOrder = .completion,
        in scope: TaskScope,
        name: String? = nil,
        priority: TaskPriority? = nil,
        executor: (any TaskExecutor)? = nil,
        operation: @escaping @Sendable (Element) async throws -> Output
    ) -> ConcurrentResults<Element, Output, Never> {
        SequenceInputs(base: self).concurrentResults(
            limit: limit,
            order: order,
            in: scope,
            name: name,
            priority: priority,
            executor: executor,
            operation: operation
        )
    }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// The results of `operation` on the elements, with children that `scope` awaits.
    ///
    /// At most `limit` operations run at a time.
    ///
    /// - Parameters:
    ///   - limit: How many operations run at a time, at least one.
    ///   - order: As they finish, or in the order of the inputs.
    ///   - scope: Owns the children: leaving the loop cancels them, the end of the scope awaits them.
    ///   - name: The name of the children, followed by the index.
    ///   - priority: The priority of the children.
    ///   - executor: Where the children run; the executor of the scope when `nil`.
    ///   - operation: The work on one element.
    /// - Returns: A sequence that starts at its first `next()`.
    public func concurrentResults<Output: Sendable>(
        limit: Int,
        order: ResultOrder = .completion,
        in scope: TaskScope,
        name: String? = nil,
        priority: TaskPriority? = nil,
        executor: (any TaskExecutor)? = nil,
        operation: @escaping @Sendable (Element) async throws -> Output
    ) -> ConcurrentResults<Element, Output, Failure> {
        let options = ConcurrencyOptions(
            limit: limit,
            order: order,
            name: name,
            priority: priority,
            executor: executor
        )
        return ConcurrentResults { failsFast in
            ConcurrentRun(self, options, failsFast: failsFast, in: scope, operation: operation)
        }
    }
}

/// A sequence as the input of a concurrent iteration; it never suspends and never throws.
struct SequenceInputs<Base: Sequence & Sendable>: AsyncSequence, Sendable {
    typealias Element = Base.Element
    typealias Failure = Never

    let base: Base

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: Base.Iterator

        mutating func next() async -> Element? {
            base.next()
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            base.next()
        }
    }
}
