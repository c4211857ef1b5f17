import CalotypeCWorkerShim
import CalotypeCore
import Glibc

/// One end of the way between the program and a worker: short messages through a socket, and memory that both share for
/// everything else.
struct WorkerChannel: Sendable {
    let socket: WorkerSocket
    let memory: OpenFile

    /// Makes both ends; they share the memory.
    static func pair() throws(SystemError) -> (own: WorkerChannel, worker: WorkerChannel) {
        let (own, other) = try WorkerSocket.pair()
        let descriptor = unsafe cworker_make_memory("decode-worker")
        guard descriptor >= 0 else { throw SystemError("make shared memory") }
        let memory = OpenFile(descriptor: descriptor)
        return (WorkerChannel(socket: own, memory: memory), WorkerChannel(socket: other, memory: memory))
    }

    /// The worker's end, as it finds it when it starts; `nil` where it was started by something else.
    static func inherited() -> WorkerChannel? {
        guard cworker_is_socket(Int32(cworker_socket)) != 0 else { return nil }
        // They stay for as long as the process, or become those of a process that is forked.
        return WorkerChannel(
            socket: WorkerSocket(file: OpenFile(descriptor: Int32(cworker_socket), isOwned: false)),
            memory: OpenFile(descriptor: Int32(cworker_memory), isOwned: false)
        )
    }
}
