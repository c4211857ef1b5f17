import CalotypeCMicroHTTPD

/// A call of the library for a response, or with a piece of a body.
package protocol LibraryCalling {
    /// The piece of the body; empty if the call is for the response.
    var piece: UnsafeRawBufferPointer { get }

    /// Reads and checks the head of the request.
    ///
    /// - Parameters:
    ///   - target: The target and its original location.
    ///   - rules: The rules for heads.
    /// - Returns: The head.
    /// - Throws: The reason for a refusal.
    func head(_ target: RawTarget, _ rules: HeadRules) throws(HTTPListenerError) -> IncomingHead

    /// Passes the response to the library.
    ///
    /// Returns `false` if there is no memory for it.
    func send(_ answer: Answer, of exchange: Exchange) -> Bool
}

/// The interface between a listener and the code that accepts its connections.
package protocol ConnectionWatching: Sendable {
    /// Accepts the connections that already wait, and no more.
    func stopAccepting()

    /// Notifies the watch that a connection has ended and another one has room.
    func connectionEnded()

    /// Reads from `descriptor` for a while, and closes it.
    ///
    /// Returns `false` if too many descriptors linger.
    func linger(_ descriptor: Int32) -> Bool
}

/// A connection that can be taken out of the library's loop for a while.
package protocol Suspending: Sendable {
    /// Takes the connection out of the loop until ``resume()``.
    ///
    /// Called in a call of the library.
    func suspend()
    /// Returns the connection to the library's loop.
    ///
    /// It is called on any thread, once for each ``suspend()``. It may precede that call if the library's
    /// thread is between deciding to suspend and doing so.
    func resume()
}

// SAFETY: lives no longer than the call.
/// The data that the library passes when it calls for a response.
@safe
struct HandlerCall: LibraryCalling {
    let connection: OpaquePointer
    let method: UnsafePointer<CChar>?
    let version: UnsafePointer<CChar>?
    /// A piece of the body; empty if the call is for the response.
    let piece: UnsafeRawBufferPointer

    func head(_ target: RawTarget, _ rules: HeadRules) throws(HTTPListenerError) -> IncomingHead {
        try IncomingHead(target, self, rules)
    }

    func send(_ answer: Answer, of exchange: Exchange) -> Bool {
        guard let response = MHDResponse(answer, exchange) else { return false }
        // If the library found an error that it does not report, it has its own response, and sends that one.
        _ = unsafe response.send(answer.status, on: connection)
        return true
    }
}
