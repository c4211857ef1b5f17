public import CalotypeCore
public import TaskFlowTesting

/// One thing that a scripted origin does, or lets the reader wait for.
public enum ScriptedStep: Sendable {
    /// Nothing comes for a time, told by the transport's clock.
    case pause(Duration)
    /// Nothing comes until the event has happened.
    case until(Event)
    /// Nothing comes any more; the request's timeouts end it.
    case forever
    /// The origin takes so many bytes of the request's body, or all that are left where it has fewer.
    ///
    /// An answer without this step takes the whole body before anything else; one that has it leaves the rest unsent.
    case receive(ByteCount)
    /// Bytes of the body; before the head they have no place.
    case bytes([UInt8])
    /// The exchange fails.
    case failure(CalotypeError)
}
