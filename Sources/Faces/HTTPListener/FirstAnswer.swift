/// What a responder says to a request on the listener's thread.
public enum FirstAnswer: Sendable {
    /// This is the answer; a stream is not given here.
    case now(OutgoingResponse)
    /// The answer comes without a task: the function, which is called once and at once, begins what leads to it.
    case later(@Sendable (LaterAnswer) -> Void)
    /// ``HTTPResponding/response(to:)`` has to be asked.
    case task
}

/// Takes the answer to a request that waits without a task.
public struct LaterAnswer: Sendable {
    private let wanted: @Sendable () -> Bool
    private let take: @Sendable (OutgoingResponse?) -> Void

    /// Creates one for `give`, which is asked once, and `isWanted`, which may be asked at any time.
    public init(
        ifWanted isWanted: @escaping @Sendable () -> Bool,
        _ give: @escaping @Sendable (OutgoingResponse?) -> Void
    ) {
        wanted = isWanted
        take = give
    }

    /// Whether the client is still there.
    public var isWanted: Bool { wanted() }

    /// Answers; it has to be called once, soon, on any thread, also where nobody wants the answer any more.
    ///
    /// - Parameter response: The answer, which is no stream; `nil` to have ``HTTPResponding/response(to:)`` asked in a task.
    public func give(_ response: OutgoingResponse?) {
        take(response)
    }
}
