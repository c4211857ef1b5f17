import CalotypeCMicroHTTPD
import CalotypeFiles
import Synchronization
import TaskFlow

/// The queue of work for a thread of the library: connections to add, connections to resume, and the end.
///
/// Only that thread calls the library for these connections. A connection is therefore resumed after it was
/// suspended, even if the two were requested in the opposite order.
package final class LoopInbox: Sendable {
    /// The work for the thread.
    struct Contents {
        /// Accepted connections that the library does not have yet.
        var arrivals: [ClientConnection] = []
        /// Suspended connections to resume.
        var resumed: [MHDConnection] = []
        var isEnding = false
    }

    private struct State {
        var contents = Contents()
        /// The connections outside the library's loop.
        var suspended: Set<MHDConnection> = []
    }

    /// Wakes the thread.
    let wakeUp: WakeUp
    private let connections = Atomic(0)
    private let state = Guarded(State())

    /// Creates an empty inbox.
    ///
    /// Its owner must call ``close()``.
    ///
    /// - Throws: `connect_failed` if the system has no descriptor left.
    package init() throws(HTTPListenerError) {
        do throws(SystemError) { wakeUp = try WakeUp() } catch { throw HTTPListenerError(error) }
    }

    /// Closes the descriptor.
    ///
    /// After this nothing wakes the thread.
    package func close() {
        wakeUp.close()
    }

    // MARK: On any thread

    /// The number of connections that belong to the thread.
    var load: Int { connections.load(ordering: .relaxed) }

    /// Adds an accepted connection.
    func adopt(_ client: ClientConnection) {
        connections.wrappingAdd(1, ordering: .relaxed)
        state.withLock { $0.contents.arrivals.append(client) }
        wakeUp.wake()
    }

    /// Records that a connection has ended.
    func connectionEnded() {
        connections.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Requests that a connection be resumed, which was suspended or is about to be.
    func resume(_ connection: MHDConnection) {
        state.withLock { $0.contents.resumed.append(connection) }
        wakeUp.wake()
    }

    /// Ends the thread's loop.
    func end() {
        state.withLock { $0.contents.isEnding = true }
        wakeUp.wake()
    }

    // MARK: On the thread

    /// Records that the library is about to suspend a connection.
    func suspending(_ connection: MHDConnection) {
        state.withLock { _ = $0.suspended.insert(connection) }
    }

    /// Returns the pending work.
    ///
    /// Called between two calls of the library.
    func take() -> Contents {
        if wakeUp.isPending { wakeUp.take() }
        return state.withLock { state in
            var contents = state.contents
            contents.resumed.removeAll { state.suspended.remove($0) == nil }
            state.contents = Contents(isEnding: contents.isEnding)
            return contents
        }
    }

    /// Returns the remaining work after the loop has ended, and all connections that are still suspended.
    ///
    /// The library terminates the process if it is stopped while a connection is suspended.
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

// SAFETY: only the daemon's thread uses the pointer, and only while the library has the connection.
/// A connection of the library, as passed to its callbacks.
@safe
struct MHDConnection: Hashable, @unchecked Sendable {
    let pointer: OpaquePointer

    static func == (left: Self, right: Self) -> Bool { unsafe left.pointer == right.pointer }

    func hash(into hasher: inout Hasher) { hasher.combine(unsafe UInt(bitPattern: pointer)) }

    /// Takes the connection out of the library's loop.
    ///
    /// Called in a call of the library.
    func suspend() {
        unsafe MHD_suspend_connection(pointer)
    }

    /// Returns a suspended connection to the library.
    ///
    /// Called on its thread, between two of its calls.
    func resume() {
        unsafe MHD_resume_connection(pointer)
    }
}

/// A connection of the library, for use by an exchange.
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
