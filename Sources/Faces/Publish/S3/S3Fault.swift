/// What an S3 server says went wrong.
///
/// Its code says more than the status: the same 503 asks to wait or tells of a failure, the same 403 may be the clock's fault.
struct S3Fault: Hashable, Sendable {
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
    func remedy(after delay: Duration?) -> PublishFailure.Remedy? {
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
            PublishFailure.Remedy.none
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
