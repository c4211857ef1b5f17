internal import CalotypeCore
internal import CalotypeHTTP

/// A response of an S3 server.
struct S3Response: Sendable {
    let response: PublishResponse
    /// The body, if it is XML.
    let document: XMLElement?
    /// The error, if the body has one.
    ///
    /// A response with status 200 can have one too, because servers may send the status before the work is
    /// done.
    let report: S3ErrorReport?

    init(_ response: PublishResponse) {
        self.response = response
        // Other bodies, such as a proxy's error page, add nothing to the status.
        document = response.body.isEmpty ? nil : try? XMLElement(document: response.body)
        report = document.flatMap(S3ErrorReport.init)
    }

    var status: Int { response.status }
    var isSuccess: Bool { response.isSuccess && report == nil }

    /// Returns the body, if its element has that name with any suffix.
    ///
    /// Some servers use `Response` where S3 uses `Result`.
    ///
    /// - Throws: `invalid_document` for any other body; this may be temporary, for example if a proxy sent
    ///   the response.
    func document(
        _ name: String,
        _ doing: String,
        otherwise remedy: PublishError.Remedy = .retry
    ) throws(PublishError) -> XMLElement {
        guard isSuccess else { throw failure(doing) }
        guard let document, document.name.hasPrefix(name) else {
            let error = CalotypeError(
                .invalidDocument,
                "cannot \(doing): the response is not an S3 \(name)Result; check the endpoint",
                stage: .response,
                url: place
            )
            throw PublishError(error, remedy)
        }
        return document
    }

    /// Returns the failure for a response without a special meaning in its call.
    func failure(_ doing: String) -> PublishError {
        let general = response.failure(doing, reason: report?.summary)
        // A failure with status 200 would have been a 500 if the server had known of it in time.
        var code = response.isSuccess ? ErrorCode.http(status: 500) : general.error.code
        if report?.isAboutCredentials == true { code = .unauthorized }
        let advice = report?.advice.map { "; \($0)" } ?? ""
        let error = CalotypeError(code, general.error.message + advice, stage: .response, url: place)
        let remedy =
            report?.remedy(after: response.retryAfter) ?? (response.isSuccess ? .retry : general.remedy)
        return PublishError(error, remedy)
    }

    /// The URL without its query, which may contain a signature.
    private var place: String { response.url.withoutQuery }
}

/// An S3 server's error.
///
/// Its code is more precise than the status: a 503 may ask for a pause or report a failure, and a 403 may be
/// caused by the clock.
struct S3ErrorReport: Hashable, Sendable {
    /// The stable code, such as `NoSuchBucket`.
    let code: String
    /// The message for people.
    let message: String
    /// The server's region, if the request named another one.
    let region: String?

    /// - Returns: `nil` if the document is not an error.
    init?(_ document: XMLElement) {
        guard document.name == "Error", let code = document["Code"] else { return nil }
        self.code = String(code.prefix(100))
        message = document["Message"] ?? ""
        region = document["Region"]
    }

    /// The code and the message.
    var summary: String { message.isEmpty ? code : "\(code), \(message)" }

    /// Whether the server considers the signature too old, or from the future.
    var isAboutTime: Bool {
        ["RequestTimeTooSkewed", "RequestExpired"].contains(code)
            || (code == "AccessDenied" && message.lowercased().contains("expired"))
    }

    /// Whether the credentials' session has expired.
    var isAboutSession: Bool {
        ["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"].contains(code)
    }

    /// Whether the server rejects the credentials for any purpose.
    var isAboutCredentials: Bool {
        isAboutSession || ["SignatureDoesNotMatch", "InvalidAccessKeyId", "InvalidToken"].contains(code)
    }

    /// Returns the remedy; `nil` for a code that is no more precise than the status.
    func remedy(after delay: Duration?) -> PublishError.Remedy? {
        switch code {
        case "SlowDown", "TooManyRequests", "Throttling", "ThrottlingException", "RequestLimitExceeded",
            "RequestThrottled", "RequestThrottledException", "BandwidthLimitExceeded":
            .wait(delay)
        case "InternalError", "InternalFailure", "RequestTimeout", "RequestTimeoutException",
            "ServiceUnavailable", "OperationAborted", "ConditionalRequestConflict", "IncompleteBody",
            "BadDigest", "XAmzContentSHA256Mismatch", "InvalidPart":
            .retry
        case "NoSuchUpload": .startOver
        case "AccessDenied", "NoSuchBucket", "SignatureDoesNotMatch", "InvalidAccessKeyId", "ExpiredToken",
            "InvalidToken", "RequestTimeTooSkewed", "EntityTooLarge", "EntityTooSmall", "QuotaExceeded",
            "AuthorizationHeaderMalformed", "NotImplemented", "PermanentRedirect", "InvalidDigest":
            PublishError.Remedy.none
        default: nil
        }
    }

    /// What the user can do about the error.
    var advice: String? {
        switch code {
        case "NoSuchBucket": "create the bucket, or use another"
        case "AccessDenied": "the key does not have permission for this bucket"
        case "SignatureDoesNotMatch", "InvalidAccessKeyId": "check the access key and the secret key"
        case "RequestTimeTooSkewed": "correct this machine's clock"
        case "ExpiredToken", "InvalidToken": "the session has expired; get new credentials"
        case "AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException":
            region.map { "set the region to \($0)" } ?? "check the region and the endpoint"
        default: nil
        }
    }
}
