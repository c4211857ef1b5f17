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
}
