internal import CalotypeCore

extension PublishFailure {
    /// What an error means that is not a destination's own.
    ///
    /// - Parameters:
    ///   - error: What was thrown.
    ///   - isPost: Whether it was thrown by the request that publishes, which must not be sent twice.
    init(_ error: any Error, isPost: Bool = false) {
        switch error {
        case let failure as PublishFailure: self = failure
        case let error as CalotypeError:
            let remedy: Remedy =
                if Self.beforeSending.contains(error.code) {
                    .retry
                } else if Self.passing.contains(error.code) { isPost ? .settle : .retry } else { .none }
            self.init(error, remedy)
        default:
            self.init(
                CalotypeError(.protocolError, "\(error)", stage: .response, cause: error),
                isPost ? .settle : .none
            )
        }
    }

    /// No byte of the request can have left.
    private static let beforeSending: Set<ErrorCode> = [
        .connectFailed, .timeoutConnect, .dnsFailed, .proxyFailed,
    ]
    /// The request may have arrived.
    private static let passing: Set<ErrorCode> = [
        .connectionReset, .timeoutHeaders, .timeoutIdle, .timeoutTotal, .tooSlow, .truncatedBody,
        .protocolError, .tooManyBytes, .tooManyHeaderBytes, .invalidDocument,
    ]
}
