import CWorkerShim
import CalotypeCore
import Glibc

/// One end of the way between the program and a worker: short messages through a socket, and memory that both share for
/// everything else.
struct WorkerChannel: Sendable {
    /// What came in.
    enum Arrival: Hashable {
        case message(WorkerMessage)
        /// The other side is gone.
        case end
        /// It is gone, and has not read what was sent to it last.
        case endUnread
        /// None is there.
        case nothing
    }

    let socket: OpenFile
    let memory: OpenFile

    /// Makes both ends; they share the memory.
    static func pair() throws(SystemError) -> (own: WorkerChannel, worker: WorkerChannel) {
        var sockets: [Int32] = [-1, -1]
        guard unsafe cworker_make_sockets(&sockets) == 0 else { throw SystemError("make a socket") }
        let ends = (OpenFile(descriptor: sockets[0]), OpenFile(descriptor: sockets[1]))
        let descriptor = unsafe cworker_make_memory("decode-worker")
        guard descriptor >= 0 else { throw SystemError("make shared memory") }
        let memory = OpenFile(descriptor: descriptor)
        return (
            WorkerChannel(socket: ends.0, memory: memory), WorkerChannel(socket: ends.1, memory: memory)
        )
    }

    /// The worker's end, as it finds it when it starts; `nil` where it was started by something else.
    static func inherited() -> WorkerChannel? {
        let numbers = (Int32(cworker_socket), Int32(cworker_memory))
        guard cworker_is_socket(numbers.0) != 0 else { return nil }
        return WorkerChannel(
            socket: OpenFile(descriptor: numbers.0),
            memory: OpenFile(descriptor: numbers.1)
        )
    }

    /// Sends `message`, with a file where one is given.
    func send(_ message: WorkerMessage, file: Int32 = -1) throws(SystemError) {
        let words = message.words
        guard unsafe cworker_send(socket.descriptor, words, file) == 0 else {
            throw SystemError("reach the other process")
        }
    }

    /// The next message, without waiting; files that come with it are refused.
    ///
    /// - Throws: `SystemError` where what came is no message.
    func receive() throws(SystemError) -> Arrival {
        var words = WorkerMessage.noWords
        let status = unsafe cworker_receive(socket.descriptor, &words, nil)
        return try Self.arrival(status, errno, words)
    }

    /// The next message, without waiting, and the file that came with it.
    func receiveWithFile() throws(SystemError) -> (Arrival, OpenFile?) {
        var words = WorkerMessage.noWords
        var descriptor: Int32 = -1
        let status = unsafe cworker_receive(socket.descriptor, &words, &descriptor)
        let code = errno
        let file = descriptor >= 0 ? OpenFile(descriptor: descriptor) : nil
        return (try Self.arrival(status, code, words), file)
    }

    /// Waits until something is there to be received, at most `limit`; `nil` waits without end.
    ///
    /// - Returns: whether something is there.
    func wait(_ limit: Duration? = nil) -> Bool {
        var poll = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        let count = unsafe Glibc.poll(&poll, 1, limit?.pollMilliseconds ?? -1)
        return count > 0
    }

    private static func arrival(
        _ status: Int32,
        _ code: Int32,
        _ words: [UInt64]
    ) throws(SystemError) -> Arrival {
        if status > 0 { return .message(try WorkerMessage(words)) }
        if status == 0 { return .end }
        if code == ECONNRESET { return .endUnread }
        if code == EAGAIN { return .nothing }
        throw SystemError("read a message", code: code)
    }
}

extension Duration {
    /// Milliseconds for poll(2), rounded up, so that the time is over when it returns.
    var pollMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(max(0, seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}
