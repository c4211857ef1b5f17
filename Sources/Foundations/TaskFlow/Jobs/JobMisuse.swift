/// A controller was finished a second time; the first outcome stands.
///
/// This is a mistake of the code that was given the controller. It is reported and otherwise has no effect: a program in
/// use goes on. A second call after a cancellation is no mistake, because the two may cross, and is not reported.
public struct JobMisuse: Hashable, Sendable, CustomStringConvertible {
    /// Who is told of misuse: by default a debug build stops, as with `assertionFailure`, and a release build goes on.
    ///
    /// A controller reports to the handler that its job saw when it started, whichever thread the second call comes on.
    @TaskLocal public static var handler: @Sendable (JobMisuse) -> Void = { misuse in
        assertionFailure(misuse.description)
    }

    /// Where the job or the call was written.
    public let location: CodeLocation

    /// What happened, for people.
    public var description: String { "the controller of the work at \(location) was finished twice" }
}
