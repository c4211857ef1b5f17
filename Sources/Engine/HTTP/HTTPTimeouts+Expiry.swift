package import CalotypeCore

extension HTTPTimeouts {
    /// What took longer than it may.
    package enum Expiry: Hashable, Sendable {
        case connect, sending, headers, idle, rate, total
    }

    /// The error of an exchange whose time has run out.
    package func error(_ expiry: Expiry) -> CalotypeError {
        let (code, stage, message): (ErrorCode, CalotypeError.Stage, String) =
            switch expiry {
            case .connect: (.timeoutConnect, .connect, "no connection within \(connect.inSeconds)")
            case .sending:
                (.timeoutIdle, .request, "the origin took no byte of the body for \(idle.inSeconds)")
            case .headers:
                (.timeoutHeaders, .response, "no complete answer head within \(headers.inSeconds)")
            case .idle: (.timeoutIdle, .body, "no byte of the body for \(idle.inSeconds)")
            case .rate:
                (.tooSlow, .body, "less than \(minimumRate) a second for \(rateWindow.inSeconds)")
            case .total: (.timeoutTotal, .body, "not complete within \((total ?? .zero).inSeconds)")
            }
        return CalotypeError(code, message, stage: stage)
    }
}
