import CalotypeCore

/// What holds a worker that was forked: the program lets go of it, and the template, whose child the worker is, ends it and
/// tells how it ended.
///
/// So nobody but its parent names the worker by its number, which may be another's as soon as the parent has waited for it.
struct WorkerLeash: Sendable {
    private let socket: WorkerSocket

    /// Makes a leash, and the template's end of it.
    static func pair() throws(SystemError) -> (own: WorkerLeash, template: WorkerSocket) {
        let (own, other) = try WorkerSocket.pair()
        return (WorkerLeash(socket: own), other)
    }

    /// Has the worker ended, without waiting for that.
    func release() {
        socket.close()
    }

    /// Waits, at most `limit`, until the worker is released and has ended.
    ///
    /// - Returns: how it ended; `nil` where the template says nothing in that time.
    func end(within limit: Duration?) -> WorkerEnd? {
        guard socket.wait(limit) else { return nil }
        guard case .message(.ended(let end)) = try? socket.receive() else { return .orphaned }
        return end
    }
}
