/// What performs one HTTP exchange.
public protocol HTTPTransporting: Sendable {
    /// Sends `request` and gives the answer to `body` as soon as its head has come; redirects are not followed.
    ///
    /// The body is sent before the answer is read, unless the answer comes earlier; one that refuses ends the sending.
    ///
    /// When `body` returns or throws, the exchange is over before the call returns: what was not read is cut off.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: `CalotypeError` when there is no answer, `CancellationError` when the
    ///   task was cancelled, and what `body` throws.
    func withResponse<Output: Sendable>(
        to request: HTTPRequest,
        _ body: (HTTPResponse) async throws -> Output
    ) async throws -> Output

    /// Resolves the name of the host of `request`, where the transport does that itself.
    ///
    /// An ``HTTPClient`` awaits it before it takes a connection's place, so that a name which hangs or does not exist holds up
    /// nobody but those who ask for it.
    ///
    /// - Returns: The request to send, with what was found out; the request itself by default.
    /// - Throws: `CalotypeError` when there is no address to connect to, `CancellationError` when the task was cancelled.
    func resolved(_ request: HTTPRequest) async throws -> HTTPRequest
}

extension HTTPTransporting {
    /// Gives the request back: for a transport that resolves no names, or not before it sends.
    public func resolved(_ request: HTTPRequest) async throws -> HTTPRequest { request }
}
