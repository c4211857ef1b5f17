/// A controller or callback was let go before it had been finished, so the outcome of its work will never come.
///
/// The mistake is in the code that was given the controller: on some path it neither finishes it nor keeps it.
public struct JobAbandoned: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where the job or the call was written.
    public let location: CodeLocation

    /// Creates the error.
    public init(location: CodeLocation) {
        self.location = location
    }

    /// What happened, for people.
    public var description: String {
        "the controller of the work at \(location) was let go before it was finished or failed"
    }
}
