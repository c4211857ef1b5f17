import CalotypeCMicroHTTPD
import CalotypeCMicroHTTPDShim
import CalotypeCore
import TaskFlow

/// The library, and the loop that one thread of ours runs for it.
// SAFETY: the pointer is set once. The library is touched by the thread of `run()` alone, until that has returned; then
// its owner stops it, once. A connection that is suspended may be resumed from any thread.
@safe
final class MHDDaemon: @unchecked Sendable {
    private struct State {
        /// Accepted, and not known to the library yet.
        var arrivals: [ClientConnection] = []
        var isEnding = false
    }

    private let pointer: OpaquePointer
    /// Readable when the library has something to do.
    private let events: Int32
    private let state = Guarded(State())
    /// The callbacks have no other hold on it.
    private let core: ListenerCore

    /// Sets the library up; its owner calls ``run()`` on a thread that may be blocked, and ``stop()`` in the end.
    init(_ core: ListenerCore) throws(CalotypeError) {
        self.core = core
        let configuration = core.configuration
        var callbacks = unsafe calotype_http_callbacks(
            context: Unmanaged.passUnretained(core).toOpaque(),
            answer: answerCall,
            target: keepTarget,
            completed: requestCompleted,
            connection: connectionChanged
        )
        // The connections that are allowed are counted elsewhere, before they come here.
        let connections = UInt32(clamping: configuration.connections + 1024)
        guard let pointer = unsafe calotype_http_start(&callbacks, Self.memory(configuration), connections)
        else {
            let cause = SystemError("start the HTTP library")
            throw CalotypeError(.connectFailed, cause.description, stage: .connect, cause: cause)
        }
        unsafe self.pointer = pointer
        events = unsafe calotype_http_events(pointer)
    }

    /// Hands an accepted connection over to the loop; called from any thread.
    func adopt(_ client: ClientConnection) {
        state.withLock { $0.arrivals.append(client) }
        core.wakeUp.wake()
    }

    /// Serves the connections until ``end()``; blocks the calling thread.
    ///
    /// It waits itself, because the library's own loop hangs where 128 connections are ready at the same moment.
    func run() {
        var isEnding = false
        while !isEnding {
            unsafe calotype_http_wait(pointer, events, core.wakeUp.descriptor)
            core.wakeUp.take()
            isEnding = takeArrivals()
            unsafe MHD_run(pointer)
        }
    }

    /// Lets ``run()`` return.
    func end() {
        state.withLock { $0.isEnding = true }
        core.wakeUp.wake()
    }

    /// Closes all connections; called once, when ``run()`` has returned or was never called.
    ///
    /// No connection may be suspended: the library would
    /// end the process.
    func stop() {
        _ = takeArrivals()
        unsafe MHD_stop_daemon(pointer)
    }

    /// Gives the library the connections that wait for it; returns whether the loop is to end.
    private func takeArrivals() -> Bool {
        let (arrivals, isEnding) = state.withLock { state in
            defer { state.arrivals = [] }
            return (state.arrivals, state.isEnding)
        }
        for client in arrivals where unsafe calotype_http_adopt(pointer, client.descriptor) == 0 {
            core.connectionRefused(client)
        }
        return isEnding
    }

    /// The bytes that a connection needs for a head of the largest size with its records, and for the head of an answer.
    private static func memory(_ configuration: HTTPListenerConfiguration) -> Int {
        let head = max(configuration.headerBytes.bytes, configuration.requestLine.bytes)
        return head + (head / 8) + configuration.headerCount * 96 + 8192
    }
}
