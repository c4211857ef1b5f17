internal import CalotypeCore
public import CalotypeHTTP
internal import FoundationEssentials

/// The whole answer to a request of a destination.
public struct PublishAnswer: Sendable {
    /// The status code.
    public let status: Int
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body.
    public let body: [UInt8]
    /// What was asked for; after redirects, the last URL.
    public let url: WebURL
    /// Whether redirects led here, even if back to what was asked for.
    let isRedirected: Bool
    /// When to ask again, as the server wishes.
    public let retryAfter: Duration?

    /// Whether the status is 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(status) }

    /// Whether it is a page for people.
    var isPage: Bool {
        let type = headers["Content-Type"]?.lowercased() ?? ""
        return type.hasPrefix("text/html") || type.hasPrefix("application/xhtml+xml")
    }

    /// Decodes the body.
    ///
    /// - Throws: `invalid_document` for what is no JSON or has another shape; it may pass, as when a proxy answered.
    public func json<Value: Decodable>(_ type: Value.Type) throws(PublishError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch {
            let error = CalotypeError(
                .invalidDocument,
                "the server's answer is not the JSON that was expected",
                stage: .response,
                url: url.withoutQuery,
                cause: error
            )
            throw PublishError(error, .retry)
        }
    }

    /// What an answer means that is none of those that the protocol gives a meaning of its own.
    ///
    /// 408, 425, 5xx: may pass. 429, and 503 with a time: wait. 423: busy. All others: nothing helps. The URL is told without its
    /// query, in which a signature may be.
    ///
    /// - Parameters:
    ///   - doing: What was tried, for the message, such as `"send the file"`.
    ///   - reason: What the server said about it, if it can be told; it is cut to 300 characters, on one line.
    /// - Returns: The failure, to be thrown.
    public func failure(_ doing: String, reason: String? = nil) -> PublishError {
        let told = Self.told(reason)
        let error = CalotypeError(
            status == 401 ? .unauthorized : .http(status: status),
            "cannot \(doing): the server answered \(status)\(told)",
            stage: .response,
            url: url.withoutQuery
        )
        return PublishError(error, remedy)
    }

    /// The same for the request that publishes: after an answer that does not tell whether it was done, find out.
    ///
    /// Proxies answer 503 after they have sent the request on; only with a time is it taken for the server's own word. What is
    /// answered behind a redirect tells nothing about what the first server did.
    ///
    /// - Parameters:
    ///   - doing: What was tried, for the message.
    ///   - reason: What the server said about it, if it can be told.
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

    /// A server's words behind a colon, on one line and cut to 300 characters; nothing where it said none.
    static func told(_ reason: String?) -> String {
        reason.map { ": " + line($0) } ?? ""
    }

    private static func line(_ text: String) -> String {
        String(
            text.prefix(300).map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 32 } ? " " : $0 }
        )
    }
}
