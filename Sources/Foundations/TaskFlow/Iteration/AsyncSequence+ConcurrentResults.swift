extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// The results of `operation` on the elements, at most `limit` at a time, with children that `scope` awaits.
    ///
    /// - Parameters:
    ///   - limit: How many run at a time, at least one.
    ///   - order: As they finish, or as the inputs came.
    ///   - scope: Owns the children: leaving the loop cancels them, the end of the scope awaits them.
    ///   - name: The name of the children, followed by the index.
    ///   - priority: The priority of the children.
    ///   - executor: Where the children run; where the scope says when `nil`.
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
