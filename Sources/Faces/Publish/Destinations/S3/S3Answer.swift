internal import CalotypeCore
internal import CalotypeHTTP

/// What an S3 server answered.
struct S3Answer: Sendable {
    let answer: PublishAnswer
    /// The body, where it is XML.
    let document: XMLElement?
    /// What went wrong, where the body tells; also with status 200, which is sent before the work is done.
    let report: S3ErrorReport?

    init(_ answer: PublishAnswer) {
        self.answer = answer
        // Other bodies, as of a proxy's error page, tell nothing beyond the status.
        document = answer.body.isEmpty ? nil : try? XMLElement(document: answer.body)
        report = document.flatMap(S3ErrorReport.init)
    }

    var status: Int { answer.status }
    var isSuccess: Bool { answer.isSuccess && report == nil }

    /// The body, if it is an element of that name with any ending: some servers say `Response` where S3 says `Result`.
    ///
    /// - Throws: `invalid_document` where it is none; that may pass, as when a proxy answered.
    func document(
        _ name: String,
        _ doing: String,
        otherwise remedy: PublishError.Remedy = .retry
    ) throws(PublishError) -> XMLElement {
        guard isSuccess else { throw failure(doing) }
        guard let document, document.name.hasPrefix(name) else {
            let error = CalotypeError(
                .invalidDocument,
                "cannot \(doing): the answer is not the \(name)Result of an S3 server",
                stage: .response,
                url: place
            )
            throw PublishError(error, remedy)
        }
        return document
    }

    /// What the answer means where it is none of those that the call gives a meaning of its own.
    func failure(_ doing: String) -> PublishError {
        let general = answer.failure(doing, reason: report?.summary)
        // A failure with status 200 is what would have been 500, had the server known at the time.
        var code = answer.isSuccess ? ErrorCode.http(status: 500) : general.error.code
        if report?.isAboutCredentials == true { code = .unauthorized }
        let advice = report?.advice.map { "; \($0)" } ?? ""
        let error = CalotypeError(code, general.error.message + advice, stage: .response, url: place)
        let remedy = report?.remedy(after: answer.retryAfter) ?? (answer.isSuccess ? .retry : general.remedy)
        return PublishError(error, remedy)
    }

    /// The URL without its query, which may hold a signature.
    private var place: String { answer.url.withoutQuery }
}

/// What an S3 server says went wrong.
///
/// Its code says more than the status: the same 503 asks to wait or tells of a failure, the same 403 may be the clock's fault.
struct S3ErrorReport: Hashable, Sendable {
    /// The stable word, such as `NoSuchBucket`.
    let code: String
    /// What it says to people.
    let message: String
    /// The region that the server is in, where the request named another.
    let region: String?

    /// - Returns: `nil` for a document about something else.
    init?(_ document: XMLElement) {
        guard document.name == "Error", let code = document["Code"] else { return nil }
        self.code = String(code.prefix(100))
        message = document["Message"] ?? ""
        region = document["Region"]
    }

    /// Code and message.
    var summary: String { message.isEmpty ? code : "\(code), \(message)" }

    /// Whether the server finds that the request was signed too long ago, or in the future.
    var isAboutTime: Bool {
        ["RequestTimeTooSkewed", "RequestExpired"].contains(code)
            || (code == "AccessDenied" && message.lowercased().contains("expired"))
    }

    /// Whether the session of the credentials is over.
    var isAboutSession: Bool {
        ["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"].contains(code)
    }

    /// Whether the server does not take the credentials, whatever they are used for.
    var isAboutCredentials: Bool {
        isAboutSession || ["SignatureDoesNotMatch", "InvalidAccessKeyId", "InvalidToken"].contains(code)
    }

    /// What helps; `nil` for codes that say no more than the status.
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

    /// What the user can do about it.
    var advice: String? {
        switch code {
        case "NoSuchBucket": "create the bucket, or name another"
        case "AccessDenied": "the key lacks a permission for this bucket"
        case "SignatureDoesNotMatch", "InvalidAccessKeyId": "check access key and secret key"
        case "RequestTimeTooSkewed": "set this machine's clock"
        case "ExpiredToken", "InvalidToken": "the session is over; get new credentials"
        case "AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException":
            region.map { "name the region \($0)" } ?? "check the region and the endpoint"
        default: nil
        }
    }
}
