import CalotypeCore
import TaskFlow

/// Why one request for a source failed, and when the origin wants to be asked again.
struct AttemptFailure: Error {
    let error: CalotypeError
    let retryAfter: Duration?

    init(_ error: CalotypeError, retryAfter: Duration? = nil) {
        self.error = error
        self.retryAfter = retryAfter
    }

    private static let passing: Set<ErrorCode> = [
        .connectFailed, .connectionReset, .timeoutConnect, .timeoutHeaders, .timeoutIdle, .tooSlow,
        .truncatedBody,
        .http(status: 429),
    ]

    /// Whether another attempt may succeed within what is left of the time.
    func decision(_ allowance: TimeAllowance) -> RetryPolicy.Decision {
        guard Self.passing.contains(error.code) || error.code.rawValue.hasPrefix("http_5") else {
            return .stop
        }
        guard let retryAfter else { return allowance.remaining > .zero ? .retry : .stop }
        guard retryAfter < allowance.remaining else { return .stop }
        allowance.charge(retryAfter)
        return .retryAfter(retryAfter)
    }
}
