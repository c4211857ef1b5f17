import CalotypeCMicroHTTPD
import CalotypeFiles

/// The library, and the loop that one thread of ours runs for it.
// SAFETY: the pointer is set once. The library is touched by the thread of `run()` alone, until that has returned; then
// its owner stops it, once.
@safe
final class MHDDaemon: @unchecked Sendable {
    private let pointer: OpaquePointer
    /// Readable when the library has something to do.
    private let events: Int32
    /// The callbacks have no other hold on it.
    private let core: ListenerCore

    /// Sets the library up; its owner calls ``run()`` on a thread that may be blocked, and ``stop()`` in the end.
    init(_ core: ListenerCore) throws(HTTPListenerError) {
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
            throw HTTPListenerError(.connectFailed, cause.description, cause: cause)
        }
        unsafe self.pointer = pointer
        events = unsafe calotype_http_events(pointer)
    }

    /// Serves the connections until the inbox says that this is the end; blocks the calling thread.
    ///
    /// It waits itself, because the library's own loop hangs if 128 connections are ready at the same moment.
    func run() {
        var isEnding = false
        while !isEnding {
            unsafe calotype_http_wait(pointer, events, core.inbox.wakeUp.descriptor)
            let contents = core.inbox.take()
            perform(contents)
            isEnding = contents.isEnding
            unsafe MHD_run(pointer)
        }
    }

    /// Closes all connections; called once, when ``run()`` has returned or was never called.
    func stop() {
        perform(core.inbox.takeAll())
        unsafe MHD_stop_daemon(pointer)
    }

    private func perform(_ contents: LoopInbox.Contents) {
        for client in contents.arrivals where unsafe calotype_http_adopt(pointer, client.descriptor) == 0 {
            core.connectionRefused(client)
        }
        for connection in contents.resumed { connection.resume() }
    }

    /// The bytes that a connection needs for a head of the largest size with its records, and for the head of an answer.
    private static func memory(_ configuration: HTTPListenerConfiguration) -> Int {
        let head = max(configuration.headerBytes.bytes, configuration.requestLine.bytes)
        return head + (head / 8) + configuration.headerCount * 96 + 8192
    }
}

// What the library calls, on its own thread. These are functions of a file without an actor on purpose: a closure that
// inherits one traps there.

/// The request line was read: keeps the target as it came.
func keepTarget(
    _ context: UnsafeMutableRawPointer?,
    _ target: UnsafePointer<CChar>?,
    _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context, let connection = unsafe connection,
        let client = unsafe calotype_http_client(connection)
    else { return nil }
    let core = unsafe Unmanaged<ListenerCore>.fromOpaque(context).takeUnretainedValue()
    let exchange = unsafe Exchange(
        RawTarget(target),
        Unmanaged<ClientConnection>.fromOpaque(client).takeUnretainedValue(),
        LoopConnection(connection: MHDConnection(pointer: connection), inbox: core.inbox),
        core
    )
    unsafe calotype_http_drop_query(target)
    return unsafe Unmanaged.passRetained(exchange).toOpaque()
}

/// An answer is wanted, or a piece of a body came.
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
    guard let connection = unsafe connection, let pieceBytes = unsafe pieceBytes,
        let kept = unsafe request?.pointee
    else { return .NO }
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(kept).takeUnretainedValue()
    let call = unsafe HandlerCall(
        connection: connection,
        method: method,
        version: version,
        piece: UnsafeRawBufferPointer(start: piece, count: piece == nil ? 0 : pieceBytes.pointee)
    )
    var isTaken = false
    let goesOn = exchange.handle(call, &isTaken)
    if isTaken { unsafe pieceBytes.pointee = 0 }
    return goesOn ? .YES : .NO
}

/// Nothing more of a request is under way.
func requestCompleted(
    _ context: UnsafeMutableRawPointer?,
    _ connection: OpaquePointer?,
    _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ reason: MHD_RequestTerminationCode
) {
    guard let kept = unsafe request?.pointee else { return }
    unsafe request?.pointee = nil
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(kept).takeRetainedValue()
    exchange.libraryEnded(isComplete: reason == .REQUEST_TERMINATED_COMPLETED_OK)
}

/// A connection was taken, or is about to be closed.
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
