/// The order in which a concurrent iteration gives its results.
public enum ResultOrder: Sendable {
    /// As they finish.
    case completion
    /// As their inputs came. A slow one holds back those after it, and soon stops new ones from starting.
    case input
}
