import CalotypeCMicroHTTPD
import CalotypeCMicroHTTPDShim

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
        MHDConnection(pointer: connection, wakeUp: core.wakeUp),
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
