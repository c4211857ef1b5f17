import CalotypeCMicroHTTPD
import TaskFlow

/// What other threads leave for the library's thread: connections to add, connections to resume, and the end.
///
/// The library itself is called on that thread alone. So a connection is resumed after it was suspended, in whichever
/// order the two were asked for.
package final class LoopInbox: Sendable {
    /// What the thread has to do.
    struct Contents {
        /// Accepted connections that the library does not know yet.
        var arrivals: [ClientConnection] = []
        /// Suspended connections to resume.
        var resumed: [MHDConnection] = []
        var isEnding = false
    }

    private struct State {
        var contents = Contents()
        /// Out of the library's loop.
        var suspended: Set<MHDConnection> = []
    }

    /// Wakes the library's thread.
    let wakeUp: WakeUp
    private let state = Guarded(State())

    /// Creates an empty inbox; its owner calls ``close()``.
    ///
    /// - Throws: `connect_failed` if the system has no descriptor left.
    package init() throws(HTTPListenerError) {
        wakeUp = try WakeUp()
    }

    /// Closes its descriptor; nothing wakes the thread any more.
    package func close() {
        wakeUp.close()
    }

    // MARK: On any thread

    /// Hands over an accepted connection.
    func adopt(_ client: ClientConnection) {
        state.withLock { $0.contents.arrivals.append(client) }
        wakeUp.wake()
    }

    /// Asks for a connection to be resumed, which was suspended or is about to be.
    func resume(_ connection: MHDConnection) {
        state.withLock { $0.contents.resumed.append(connection) }
        wakeUp.wake()
    }

    /// Ends the thread's loop.
    func end() {
        state.withLock { $0.contents.isEnding = true }
        wakeUp.wake()
    }

    // MARK: On the library's thread

    /// The library is about to suspend a connection.
    func suspending(_ connection: MHDConnection) {
        state.withLock { _ = $0.suspended.insert(connection) }
    }

    /// Returns what there is to do; called between two calls of the library.
    func take() -> Contents {
        wakeUp.take()
        return state.withLock { state in
            var contents = state.contents
            contents.resumed.removeAll { state.suspended.remove($0) == nil }
            state.contents = Contents(isEnding: contents.isEnding)
            return contents
        }
    }

    /// Returns all that is left when the loop has ended, with all connections that are suspended still.
    ///
    /// The library ends the process if it is stopped while a connection is suspended.
    func takeAll() -> Contents {
        state.withLock { state in
            let contents = Contents(
                arrivals: state.contents.arrivals,
                resumed: Array(state.suspended),
                isEnding: true
            )
            state = State(contents: Contents(isEnding: true))
            return contents
        }
    }
}

// SAFETY: the pointer is used on the library's thread alone, and only while the library keeps the connection.
/// A connection of the library, as it hands it to its callbacks.
@safe
struct MHDConnection: Hashable, @unchecked Sendable {
    let pointer: OpaquePointer

    static func == (left: Self, right: Self) -> Bool { unsafe left.pointer == right.pointer }

    func hash(into hasher: inout Hasher) { hasher.combine(unsafe UInt(bitPattern: pointer)) }

    /// Takes the connection out of the library's loop; called in a call of the library.
    func suspend() {
        unsafe MHD_suspend_connection(pointer)
    }

    /// Lets the library go on with a suspended connection; called on the library's thread, between two of its calls.
    func resume() {
        unsafe MHD_resume_connection(pointer)
    }
}

/// A connection of the library, for an exchange.
struct LoopConnection: Suspending {
    let connection: MHDConnection
    let inbox: LoopInbox

    func suspend() {
        inbox.suspending(connection)
        connection.suspend()
    }

    func resume() {
        inbox.resume(connection)
    }
}
