import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import TaskFlow

/// The beginning of a body whose transfer was cut: another attempt may go on from its end.
struct SourceBeginning: Sendable {
    enum Place: Sendable {
        /// In a temporary file of this load, which the permit allows to be open.
        case spool(SpoolFile, Permit)
        /// In a file of an earlier load, under this name.
        case kept(StoreKey)
    }

    let place: Place
    /// The version that it is the beginning of.
    let version: SourceVersion
    /// Where to go on.
    let point: ResumePoint

    /// The codes of transfers that were cut: what came before is right.
    static let cuts: Set<ErrorCode> = [
        .truncatedBody, .connectionReset, .timeoutIdle, .timeoutTotal, .tooSlow,
    ]

    /// What an answer to a request for the rest means for the bytes.
    struct Continuation {
        let beginning: SourceBeginning
        /// The length of the whole.
        let total: ByteCount
    }

    /// The answer to a request for the rest is of no use, and neither is the beginning.
    struct Useless: Error {}

    /// The way to go on with the body of `response`; `nil` where that is the whole, or an error.
    ///
    /// - Throws: `Useless` where it has to be asked for the whole.
    func continuation(by response: HTTPResponse) throws(Useless) -> Continuation? {
        switch point.step(status: response.status, headers: response.headers) {
        case .append(let total):
            // A validator means something only where it came from.
            guard version.url == response.url.text else { throw Useless() }
            return Continuation(beginning: self, total: total)
        case .startAnew, .other: return nil
        case .askAgain: throw Useless()
        }
    }
}
