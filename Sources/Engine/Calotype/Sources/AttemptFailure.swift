import CalotypeCore
import TaskFlow

/// Why one request for a source failed, and when the origin wants to be asked again.
struct AttemptFailure: Error {
    let error: CalotypeError
    let retryAfter: Duration?
    /// Whether no other attempt is of use: what came of this one was passed on, and cannot be taken back.
    let isFinal: Bool

    init(_ error: CalotypeError, retryAfter: Duration? = nil, isFinal: Bool = false) {
        self.error = error
        self.retryAfter = retryAfter
        self.isFinal = isFinal
    }

    private static let passing: Set<ErrorCode> = [
        .connectFailed, .connectionReset, .timeoutConnect, .timeoutHeaders, .timeoutIdle, .tooSlow,
        .truncatedBody, .resourceShortage,
        .http(status: 429),
    ]

    /// Whether another attempt may succeed within what is left of the time.
    func decision(_ allowance: TimeAllowance) -> RetryPolicy.Decision {
        guard !isFinal, Self.passing.contains(error.code) || error.code.rawValue.hasPrefix("http_5") else {
            return .stop
        }
        guard let retryAfter else { return allowance.remaining > .zero ? .retry : .stop }
        guard retryAfter < allowance.remaining else { return .stop }
        allowance.charge(retryAfter)
        return .retryAfter(retryAfter)
    }
}
