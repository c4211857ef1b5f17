/// What a listener needs of whoever accepts its connections.
package protocol ConnectionWatching: Sendable {
    /// Takes the connections that wait already, and no more.
    func stopAccepting()

    /// A connection has ended, and there is room for another.
    func connectionEnded()

    /// Reads from `descriptor` for a while, and closes it; false where there are too many of its kind.
    func linger(_ descriptor: Int32) -> Bool
}
