import CalotypeCMicroHTTPD

/// A call of the library for an answer, or with a piece of a body.
package protocol LibraryCalling {
    /// The piece of the body; empty if the call is for the answer.
    var piece: UnsafeRawBufferPointer { get }

    /// Reads and checks the head of the request.
    ///
    /// - Parameters:
    ///   - target: The target and where it began.
    ///   - rules: What a head has to be.
    /// - Returns: The head.
    /// - Throws: Why it is refused.
    func head(_ target: RawTarget, _ rules: HeadRules) throws(HTTPListenerError) -> IncomingHead

    /// Gives the answer to the library; false if there is no memory for it.
    func send(_ answer: Answer, of exchange: Exchange) -> Bool
}

/// What a listener needs of whoever accepts its connections.
package protocol ConnectionWatching: Sendable {
    /// Takes the connections that wait already, and no more.
    func stopAccepting()

    /// A connection has ended, and there is room for another.
    func connectionEnded()

    /// Reads from `descriptor` for a while, and closes it; false where there are too many of its kind.
    func linger(_ descriptor: Int32) -> Bool
}

/// A connection that can be taken out of the library's loop for a while.
package protocol Suspending: Sendable {
    /// Takes it out of the loop until ``resume()``; called in a call of the library.
    func suspend()
    /// Lets the library go on with it.
    ///
    /// Called on any thread, once for each ``suspend()``, and perhaps before it, if the library's thread is between
    /// deciding to suspend and doing so.
    func resume()
}

// SAFETY: lives no longer than the call.
/// What the library hands over when it calls for an answer.
@safe
struct HandlerCall: LibraryCalling {
    let connection: OpaquePointer
    let method: UnsafePointer<CChar>?
    let version: UnsafePointer<CChar>?
    /// A piece of the body; empty where the call is for the answer.
    let piece: UnsafeRawBufferPointer

    func head(_ target: RawTarget, _ rules: HeadRules) throws(HTTPListenerError) -> IncomingHead {
        try IncomingHead(target, self, rules)
    }

    func send(_ answer: Answer, of exchange: Exchange) -> Bool {
        guard let response = MHDResponse(answer, exchange) else { return false }
        // The library has an answer of its own where it found a fault that it does not tell; that one is sent then.
        _ = unsafe response.send(answer.status, on: connection)
        return true
    }
}
