public import CalotypeCore
// Requests and responses consist of these types.
@_exported public import CalotypeHTTPMessages

extension CalotypeError {
    /// Creates the error for a request or response that is not valid HTTP.
    public init(_ error: HTTPMessageError) {
        switch error.code {
        case .headTooLarge: self.init(.tooManyHeaderBytes, error.message, stage: .response)
        case .malformedHead: self.init(.protocolError, error.message, stage: .response)
        default: self.init(.invalidRequest, error.message, stage: .request)
        }
    }

    /// Runs `body`, and translates its error.
    static func translating<Value>(
        _ body: () throws(HTTPMessageError) -> Value
    ) throws(CalotypeError) -> Value {
        do throws(HTTPMessageError) { return try body() } catch { throw CalotypeError(error) }
    }
}
