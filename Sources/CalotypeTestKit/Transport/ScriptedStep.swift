public import CalotypeCore

/// One thing that a scripted origin does, or lets the reader wait for.
public enum ScriptedStep: Sendable {
    /// Nothing comes for a time, told by the transport's clock.
    case pause(Duration)
    /// Nothing comes until the event has happened.
    case until(Event)
    /// Nothing comes any more; the request's timeouts end it.
    case forever
    /// Bytes of the body; before the head they have no place.
    case bytes([UInt8])
    /// The exchange fails.
    case failure(CalotypeError)
}
