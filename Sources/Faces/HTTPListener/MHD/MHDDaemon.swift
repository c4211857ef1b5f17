import CalotypeCMicroHTTPD
import CalotypeFiles

/// One daemon of the library, and the loop that runs it on one thread of the listener.
// SAFETY: the pointer is set once. Only the thread of `run()` uses the daemon until that returns; then the
// owner stops the daemon once.
@safe
final class MHDDaemon: @unchecked Sendable {
    private let pointer: OpaquePointer
    /// The descriptor that is readable when the library has work.
    private let events: Int32
    /// The callbacks hold no other reference to it.
    private let core: ListenerCore
    /// The work from other threads.
    let inbox: LoopInbox

    /// Starts `count` daemons, at least one.
    ///
    /// Their owner calls ``run()`` of each on a thread that may block, and ``stop()`` at the end.
    static func start(_ count: Int, _ core: ListenerCore) throws(HTTPListenerError) -> [MHDDaemon] {
        var daemons: [MHDDaemon] = []
        do throws(HTTPListenerError) {
            for _ in 0..<max(count, 1) { daemons.append(try MHDDaemon(core)) }
            return daemons
        } catch {
            for daemon in daemons { daemon.stop() }
            throw error
        }
    }

    private init(_ core: ListenerCore) throws(HTTPListenerError) {
        self.core = core
        inbox = try LoopInbox()
        let configuration = core.configuration
        var callbacks = unsafe calotype_http_callbacks(
            context: Unmanaged.passUnretained(core).toOpaque(),
            answer: answerCall,
            target: keepTarget,
            completed: requestCompleted,
            connection: connectionChanged
        )
        // The connection limit is enforced elsewhere, before connections arrive here.
        let connections = UInt32(clamping: configuration.connections + 1024)
        guard let pointer = unsafe calotype_http_start(&callbacks, Self.memory(configuration), connections)
        else {
            let cause = SystemError("start the HTTP library")
            inbox.close()
            throw HTTPListenerError(cause)
        }
        unsafe self.pointer = pointer
        events = unsafe calotype_http_events(pointer)
    }

    /// Serves the connections until the inbox signals the end; blocks the calling thread.
    ///
    /// It does its own waiting, because the library's loop hangs if 128 connections are ready at the same
    /// moment.
    func run() {
        var isEnding = false
        while !isEnding {
            unsafe calotype_http_wait(pointer, events, inbox.wakeUp.descriptor)
            let contents = inbox.take()
            perform(contents)
            isEnding = contents.isEnding
            unsafe MHD_run(pointer)
        }
    }

    /// Closes all connections of the daemon.
    ///
    /// Called once, after ``run()`` has returned or if it was never called.
    func stop() {
        perform(inbox.takeAll())
        unsafe MHD_stop_daemon(pointer)
        inbox.close()
    }

    private func perform(_ contents: LoopInbox.Contents) {
        for client in contents.arrivals where unsafe calotype_http_adopt(pointer, client.descriptor) == 0 {
            core.connectionRefused(client)
        }
        for connection in contents.resumed { connection.resume() }
    }

    /// The memory per connection for a head of maximum size with its records, and for the head of a response.
    private static func memory(_ configuration: HTTPListenerConfiguration) -> Int {
        let head = max(configuration.headerBytes.bytes, configuration.requestLine.bytes)
        return head + (head / 8) + configuration.headerCount * 96 + 8192
    }
}

// The callbacks of the library, on the daemon's thread. They are file-level functions without an actor on
// purpose: a closure that inherits one traps there.

/// Stores the target as received, after the library has read the request line.
///
/// Returns the exchange for it; `nil` if the connection has a prepared response for it.
func keepTarget(
    _ context: UnsafeMutableRawPointer?,
    _ target: UnsafePointer<CChar>?,
    _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context, let connection = unsafe connection,
        let client = unsafe calotype_http_client(connection)
    else { return nil }
    let core = unsafe Unmanaged<ListenerCore>.fromOpaque(context).takeUnretainedValue()
    let known = unsafe Unmanaged<ClientConnection>.fromOpaque(client).takeUnretainedValue()
    defer { unsafe calotype_http_drop_query(target) }
    if let target = unsafe target, let response = unsafe core.prepared(for: target) {
        known.prepared.offer(response, at: UInt(bitPattern: target))
        return nil
    }
    return unsafe retainedExchange(RawTarget(target), known, connection, core)
}

private func retainedExchange(
    _ target: RawTarget,
    _ client: ClientConnection,
    _ connection: OpaquePointer,
    _ core: ListenerCore
) -> UnsafeMutableRawPointer {
    let known = unsafe MHDConnection(pointer: connection)
    let connection = LoopConnection(connection: known, inbox: client.inbox)
    return unsafe Unmanaged.passRetained(Exchange(target, client, connection, core)).toOpaque()
}

/// Handles a call for a response or with a piece of a body.
func answerCall(
    _ context: UnsafeMutableRawPointer?,
    _ connection: OpaquePointer?,
    _ path: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?,
    _ piece: UnsafePointer<CChar>?,
    _ pieceBytes: UnsafeMutablePointer<Int>?,
    _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let connection = unsafe connection, let pieceBytes = unsafe pieceBytes, let request = unsafe request
    else { return .NO }
    let call = unsafe HandlerCall(
        connection: connection,
        method: method,
        version: version,
        piece: UnsafeRawBufferPointer(start: piece, count: piece == nil ? 0 : pieceBytes.pointee)
    )
    if unsafe request.pointee == nil {
        guard let context = unsafe context, let client = unsafe calotype_http_client(connection) else {
            return .NO
        }
        let core = unsafe Unmanaged<ListenerCore>.fromOpaque(context).takeUnretainedValue()
        let known = unsafe Unmanaged<ClientConnection>.fromOpaque(client).takeUnretainedValue()
        switch known.prepared.handle(call, known, core) {
        case .proceed: return .YES
        case .close: return .NO
        case .special(let target): unsafe request.pointee = retainedExchange(target, known, connection, core)
        }
    }
    guard let kept = unsafe request.pointee else { return .NO }
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(kept).takeUnretainedValue()
    var isTaken = false
    let goesOn = exchange.handle(call, &isTaken)
    if isTaken { unsafe pieceBytes.pointee = 0 }
    return goesOn ? .YES : .NO
}

/// Handles the end of a request.
func requestCompleted(
    _ context: UnsafeMutableRawPointer?,
    _ connection: OpaquePointer?,
    _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ reason: MHD_RequestTerminationCode
) {
    let isComplete = reason == .REQUEST_TERMINATED_COMPLETED_OK
    if let kept = unsafe request?.pointee {
        unsafe request?.pointee = nil
        unsafe Unmanaged<Exchange>.fromOpaque(kept).takeRetainedValue().libraryEnded(isComplete: isComplete)
    } else if let connection = unsafe connection, let client = unsafe calotype_http_client(connection) {
        let known = unsafe Unmanaged<ClientConnection>.fromOpaque(client).takeUnretainedValue()
        known.prepared.ended(isComplete: isComplete, known)
    }
}

/// Handles a connection that was accepted or is about to be closed.
func connectionChanged(
    _ context: UnsafeMutableRawPointer?,
    _ connection: OpaquePointer?,
    _ kept: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ change: MHD_ConnectionNotificationCode
) {
    guard let context = unsafe context, let connection = unsafe connection else { return }
    let core = unsafe Unmanaged<ListenerCore>.fromOpaque(context).takeUnretainedValue()
    if change == .CONNECTION_NOTIFY_STARTED {
        guard let client = unsafe core.connections[calotype_http_descriptor(connection)] else { return }
        client.opened()
        unsafe kept?.pointee = Unmanaged.passRetained(client).toOpaque()
    } else if let client = unsafe kept?.pointee {
        unsafe kept?.pointee = nil
        core.connectionCloses(unsafe Unmanaged<ClientConnection>.fromOpaque(client).takeRetainedValue())
    }
}
