internal import CalotypeCore
internal import CalotypeHTTP

/// What an S3 server answered.
struct S3Answer: Sendable {
    let answer: PublishAnswer
    /// The body, where it is XML.
    let document: XMLElement?
    /// What went wrong, where the body tells; also with status 200, which is sent before the work is done.
    let fault: S3Fault?

    init(_ answer: PublishAnswer) {
        self.answer = answer
        // Other bodies, as of a proxy's error page, tell nothing beyond the status.
        document = answer.body.isEmpty ? nil : try? XMLElement(document: answer.body)
        fault = document.flatMap(S3Fault.init)
    }

    var status: Int { answer.status }
    var isSuccess: Bool { answer.isSuccess && fault == nil }

    /// The body, if it is an element of that name with any ending: some servers say `Response` where S3 says `Result`.
    ///
    /// - Throws: `invalid_document` where it is none; that may pass, as when a proxy answered.
    func document(
        _ name: String,
        _ doing: String,
        otherwise remedy: PublishFailure.Remedy = .retry
    ) throws(PublishFailure) -> XMLElement {
        guard isSuccess else { throw failure(doing) }
        guard let document, document.name.hasPrefix(name) else {
            let error = CalotypeError(
                .invalidDocument,
                "cannot \(doing): the answer is not the \(name)Result of an S3 server",
                stage: .response,
                url: place
            )
            throw PublishFailure(error, remedy)
        }
        return document
    }

    /// What the answer means where it is none of those that the call gives a meaning of its own.
    func failure(_ doing: String) -> PublishFailure {
        let general = answer.failure(doing, reason: fault?.summary)
        // A failure with status 200 is what would have been 500, had the server known at the time.
        var code = answer.isSuccess ? ErrorCode.http(status: 500) : general.error.code
        if fault?.isAboutCredentials == true { code = .unauthorized }
        let advice = fault?.advice.map { "; \($0)" } ?? ""
        let error = CalotypeError(code, general.error.message + advice, stage: .response, url: place)
        let remedy = fault?.remedy(after: answer.retryAfter) ?? (answer.isSuccess ? .retry : general.remedy)
        return PublishFailure(error, remedy)
    }

    /// The URL without its query, which may hold a signature.
    private var place: String { answer.url.withoutQuery }
}
