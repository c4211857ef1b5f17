extension Origin {
    /// What was received up to now: media, posts and requests.
    public var received: Received { reception.received }

    /// Waits until what was received is as `isMet` wants it, and returns it.
    ///
    /// What is known of a request may change when its client has gone already, or while its body comes.
    ///
    /// - Parameter isMet: looks at it at each change, under a lock; it must be quick.
    /// - Returns: the first that is so.
    /// - Throws: `CancellationError`.
    public func received(when isMet: @escaping @Sendable (Received) -> Bool) async throws -> Received {
        let reception = reception
        _ = try await statistics { _ in isMet(reception.received) }
        // Nothing is taken away from what was received, but numbers grow.
        return reception.received
    }

    /// The URL of what receives at `path`, such as `/posts` or `/inbox/a.jpg`.
    ///
    /// - Parameters:
    ///   - fault: what goes wrong with it, such as `lost-answer` or `cut:50`; nothing by default. See ``Origin/words``.
    ///   - path: begins with a slash and is encoded.
    /// - Returns: the URL.
    public func publishURL(fault: String? = nil, _ path: String) -> String {
        url((fault.map { "\(PublishFault.prefix)/\($0)" } ?? "") + path)
    }
}
