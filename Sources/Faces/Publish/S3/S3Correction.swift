internal import CalotypeHTTP

/// What to correct in a request that is then signed and sent once more.
enum S3Correction: Hashable, Sendable {
    /// The time by which it was signed.
    case clock
    /// The moment from which a presigned URL counts.
    case expiry
    /// The credentials.
    case session

    /// What `answer` asks for; `nil` where nothing but what was sent was wrong.
    ///
    /// - Parameters:
    ///   - answer: The answer, which may be that to a `HEAD`: it says no more than its status and its date.
    ///   - call: What was asked for.
    ///   - server: What the answer's date says.
    ///   - signed: The moment by which the request was signed.
    init?(_ answer: S3Answer, to call: S3Call, server: WallTime?, signed: WallTime) {
        let isOff = server.map { S3Identity.differ($0, signed) } ?? false
        switch answer.fault {
        case .some(let fault) where fault.isAboutSession: self = .session
        case .some(let fault) where fault.isAboutTime: self = isOff ? .clock : .expiry
        case .none where call.method == .head && answer.status == 403 && isOff: self = .clock
        default: return nil
        }
    }
}
