import CalotypeCore
import CalotypeHTTP

/// Why a source could not be had, and what the origin's last answer was about.
struct SourceFailure: Error {
    let failure: LoadFailure
    let version: SourceVersion?

    /// Whether the failure is the answer itself, and not its body.
    var isAnswer: Bool {
        version.map { failure.error.code == .http(status: $0.response.status) } ?? false
    }

    /// The answer that there is nothing, if that is the failure.
    var absence: SourceVersion? { isAnswer && version?.isAbsence == true ? version : nil }
}

extension LoadFailure {
    /// Whether what is kept may stand in: the origin could not be asked, or is in trouble (RFC 5861, section 4).
    var isOriginTrouble: Bool {
        let passing: Set<ErrorCode> = [
            .dnsFailed, .connectFailed, .connectionReset, .tlsFailed, .proxyFailed, .protocolError,
            .truncatedBody, .resourceShortage,
            .timeoutConnect, .timeoutHeaders, .timeoutIdle, .timeoutTotal, .tooSlow,
        ]
        let code = error.code
        return passing.contains(code) || [500, 502, 503, 504].contains { code == .http(status: $0) }
    }
}
