/// The one error that loading, decoding and writing pictures throws; cancellation stays `CancellationError`.
public struct CalotypeError: Error, Sendable, CustomStringConvertible {
    /// The part of a picture's way in which the error arose.
    public enum Stage: String, Sendable {
        case request, resolve, connect, response, body, probe, decode, encode, store
    }

    /// The stable word for what went wrong.
    public var code: ErrorCode
    /// What happened and what can be done, for people.
    public var message: String
    /// Where it happened.
    public var stage: Stage
    /// The URL concerned, without user name and password.
    public var url: String?
    /// The error below this one, if there is one.
    public var cause: (any Error)?

    /// Creates an error.
    ///
    /// Where `cause` is that this machine has too few descriptors or too little memory, the code is
    /// ``ErrorCode/resourceShortage`` whatever was being done: nothing else is known to be wrong.
    public init(
        _ code: ErrorCode,
        _ message: String,
        stage: Stage,
        url: String? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = (cause as? SystemError)?.isShortage == true ? .resourceShortage : code
        self.message = message
        self.stage = stage
        self.url = url
        self.cause = cause
    }

    /// The same error with the URL it concerns, unless it names one already.
    public func at(_ url: String?) -> CalotypeError {
        var copy = self
        copy.url = copy.url ?? url
        return copy
    }

    /// The code, the message and the URL on one line.
    public var description: String {
        "\(code): \(message)" + (url.map { " (\($0))" } ?? "")
    }
}
