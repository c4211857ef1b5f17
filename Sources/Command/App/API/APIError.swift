import CalotypeCatalog
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener

/// An error response of the API.
struct APIError: Error, Hashable, Sendable {
    let status: Int
    /// The stable name of the error.
    let code: String
    /// What happened and what to do.
    let message: String
    /// When to try again, if that is known.
    var retryAfter: Duration?

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// Creates an API error from another error.
    init(_ error: any Error) {
        switch error {
        case let error as APIError: self = error
        case let error as CatalogError: self.init(error)
        case let error as CalotypeError: self.init(Self.status(of: error), error.code.rawValue, error.message)
        case let error as HTTPListenerError: self.init(502, error.code.description, error.message)
        case is CancellationError: self.init(499, "cancelled", "the client closed the connection")
        default: self.init(500, "internal_error", "\(error)")
        }
    }

    /// Most errors come from another server; shortages are this machine's own.
    private static func status(of error: CalotypeError) -> Int {
        switch error.code {
        case .storageFailed: 507
        case .resourceShortage: 503
        default: 502
        }
    }

    /// Creates an API error from a failed catalogue query.
    private init(_ error: CatalogError) {
        switch error.code {
        case .noSuchApp: self.init(404, "not_found", error.message)
        case .invalidQuery: self.init(400, error.code.rawValue, error.message)
        case .rateLimited: self.init(429, error.code.rawValue, error.message)
        default: self.init(502, error.code.rawValue, error.message)
        }
        retryAfter = error.retryAfter
    }

    static let notFound = APIError(
        404,
        "not_found",
        "no such path; see /api/openapi.json for the API"
    )
    static let serverEnds = APIError(
        503,
        "server_ends",
        "the server is shutting down; try again when it is back"
    )
    static let tokenNeeded = APIError(
        401,
        "token_needed",
        "the server requires its token; enter it in the app, or send it as 'Authorization: Bearer TOKEN'"
    )
    static let methodNotAllowed = APIError(
        405,
        "method_not_allowed",
        "this path does not support the request's method"
    )

    var response: OutgoingResponse {
        struct Wire: Encodable {
            struct Error: Encodable {
                let code: String
                let message: String
            }
            let error: Error
        }
        var response = OutgoingResponse.json(Wire(error: .init(code: code, message: message)))
        response.status = status
        if let seconds = retryAfter?.components.seconds {
            response.headers.append(.init("Retry-After", "\(seconds + 1)"))
        }
        return response
    }
}
