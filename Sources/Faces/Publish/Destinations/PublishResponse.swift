internal import CalotypeCore
public import CalotypeHTTP
internal import FoundationEssentials

/// A complete response to a destination's request.
public struct PublishResponse: Sendable {
    /// The status code.
    public let status: Int
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body.
    public let body: [UInt8]
    /// The URL of the request, or the last URL after redirects.
    public let url: WebURL
    /// Whether the request was redirected, even if the last URL is the original one.
    let isRedirected: Bool
    /// The time after which the server wants the next request.
    public let retryAfter: Duration?

    /// Whether the status is 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(status) }

    /// Whether the body is a web page.
    var isPage: Bool {
        let type = headers["Content-Type"]?.lowercased() ?? ""
        return type.hasPrefix("text/html") || type.hasPrefix("application/xhtml+xml")
    }

    /// Decodes the body.
    ///
    /// - Throws: `invalid_document` if the body is not JSON or has another structure; this may be temporary,
    ///   for example if a proxy sent the response.
    public func json<Value: Decodable>(_ type: Value.Type) throws(PublishError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch {
            let error = CalotypeError(
                .invalidDocument,
                "the server's response is not the expected JSON",
                stage: .response,
                url: url.withoutQuery,
                cause: error
            )
            throw PublishError(error, .retry)
        }
    }

    /// Returns the failure for a response that has no special meaning in the protocol.
    ///
    /// 408, 425 and 5xx are temporary. 429, and 503 with a time, mean wait. 423 means busy. Anything else is
    /// final. The URL in the error has no query, which may contain a signature.
    ///
    /// - Parameters:
    ///   - doing: The action that failed, for the message, such as `"send the file"`.
    ///   - reason: The server's explanation, if there is one; it is cut to 300 characters, on one line.
    /// - Returns: The failure, to be thrown.
    public func failure(_ doing: String, reason: String? = nil) -> PublishError {
        let told = Self.told(reason)
        let error = CalotypeError(
            status == 401 ? .unauthorized : .http(status: status),
            "cannot \(doing): the server returned \(status)\(told)",
            stage: .response,
            url: url.withoutQuery
        )
        return PublishError(error, remedy)
    }

    /// Returns the failure for a response to the request that publishes.
    ///
    /// If the response does not show whether the request was carried out, the remedy is to find out. Proxies
    /// respond with 503 after they forward a request, so a 503 counts as the server's own only if it has a
    /// time. A response that follows a redirect says nothing about what the first server did.
    ///
    /// - Parameters:
    ///   - doing: The action that failed, for the message.
    ///   - reason: The server's explanation, if there is one.
    /// - Returns: The failure, to be thrown.
    public func failureOfPost(_ doing: String = "publish the post", reason: String? = nil) -> PublishError {
        let failure = failure(doing, reason: reason)
        let isBusy = status == 503 && retryAfter != nil
        let isOpen = isRedirected || status >= 500 && !isBusy || status == 408
        return isOpen ? PublishError(failure.error, .settle) : failure
    }

    private var remedy: PublishError.Remedy {
        switch status {
        case 429: .wait(retryAfter)
        case 503 where retryAfter != nil: .wait(retryAfter)
        case 423: .busy
        case 408, 425, 500, 502, 503, 504, 507, 520...599: .retry
        default: .none
        }
    }

    /// Returns a server's explanation after a colon, on one line and cut to 300 characters.
    ///
    /// The result is empty if there is no explanation.
    static func told(_ reason: String?) -> String {
        reason.map { ": " + line($0) } ?? ""
    }

    private static func line(_ text: String) -> String {
        String(
            text.prefix(300).map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 32 } ? " " : $0 }
        )
    }
}
