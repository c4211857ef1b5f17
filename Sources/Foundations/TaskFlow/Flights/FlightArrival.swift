/// What a caller does that has come to a coalescer.
///
/// Not nested in the coalescer's state, because looking up a generic type costs time under the lock.
enum FlightArrival: Sendable {
    /// It was cancelled before: nothing has changed.
    case cancelled
    /// It is the first: start the work.
    case started(FlightWork)
    /// It waits for work that another started, in the context given here.
    case joined(TaskTrace.Context?, UrgencyNotice?)
}
