extension Origin {
    /// What was received up to now: media, posts and requests.
    public var received: Received { reception.received }

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
