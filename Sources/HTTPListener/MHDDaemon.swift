import CMicroHTTPD
import CMicroHTTPDShim
import CalotypeCore
import Glibc
import TaskFlow

/// The library with its one thread.
// SAFETY: the pointer is set once; the library takes connections from any thread, and is stopped once, by its owner.
@safe
final class MHDDaemon: @unchecked Sendable {
    private let pointer: OpaquePointer
    /// The callbacks have no other hold on it.
    private let core: ListenerCore

    /// Starts the library's thread; whoever calls ends it by ``stop()``.
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
            let reason = SystemError("start the HTTP library").description
            throw CalotypeError(.connectFailed, reason, stage: .connect)
        }
        unsafe self.pointer = pointer
    }

    /// Hands an accepted connection over; false where it was refused, and closed.
    func adopt(_ descriptor: Int32) -> Bool {
        unsafe calotype_http_adopt(pointer, descriptor) != 0
    }

    /// Closes all connections, and returns when the thread has ended.
    ///
    /// No connection may be suspended: the library would
    /// end the process.
    func stop() {
        unsafe MHD_stop_daemon(pointer)
    }

    /// The bytes that a connection needs for a head of the largest size with its records, and for the head of an answer.
    private static func memory(_ configuration: HTTPListenerConfiguration) -> Int {
        let head = max(configuration.headerBytes.bytes, configuration.requestLine.bytes)
        return head + (head / 8) + configuration.headerCount * 96 + 8192
    }
}
