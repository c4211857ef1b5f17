import CalotypeCPOSIX
import CalotypeCore
import CalotypeFiles
import CalotypePlatform

/// One end of the connection between the program and a worker.
///
/// Short messages go through a socket, everything else through shared memory.
struct WorkerChannel: Sendable {
    let socket: WorkerSocket
    let memory: OpenFile

    /// Creates both ends, which share the memory.
    static func pair() throws(SystemError) -> (own: WorkerChannel, worker: WorkerChannel) {
        let (own, other) = try WorkerSocket.pair()
        let memory = try OpenFile(opened: unsafe cworker_make_memory("decode-worker"), "make shared memory")
        return (WorkerChannel(socket: own, memory: memory), WorkerChannel(socket: other, memory: memory))
    }

    /// The worker's end, as inherited when the process starts; `nil` if something else started it.
    static func inherited() -> WorkerChannel? {
        guard cworker_is_socket(Int32(cworker_socket)) != 0 else { return nil }
        // They stay open as long as the process, or are replaced in a forked process.
        return WorkerChannel(
            socket: WorkerSocket(file: OpenFile(descriptor: Int32(cworker_socket), isOwned: false)),
            memory: OpenFile(descriptor: Int32(cworker_memory), isOwned: false)
        )
    }
}

/// One end of a socket that carries short messages, and files with them.
struct WorkerSocket: Sendable {
    /// The result of receiving.
    enum Arrival: Hashable {
        case message(WorkerMessage)
        /// The other side is gone.
        case end
        /// The other side is gone, and has not read the last message.
        case endUnread
        /// No message has arrived.
        case nothing
    }

    let file: OpenFile

    var descriptor: Int32 { file.descriptor }

    /// Creates both ends.
    static func pair() throws(SystemError) -> (own: WorkerSocket, other: WorkerSocket) {
        var sockets: [Int32] = [-1, -1]
        guard unsafe cworker_make_sockets(&sockets) == 0 else { throw SystemError("make a socket") }
        let files = sockets.map { OpenFile(descriptor: $0) }
        guard !sockets.contains(where: DescriptorLimit.isReserved) else {
            throw SystemError("make a socket", code: EMFILE)
        }
        return (WorkerSocket(file: files[0]), WorkerSocket(file: files[1]))
    }

    /// Sends `message` with `files`.
    func send(_ message: WorkerMessage, _ files: [OpenFile] = []) throws(SystemError) {
        let words = message.words
        let descriptors = files.map(\.descriptor)
        guard unsafe cworker_send(descriptor, words, descriptors, Int32(descriptors.count)) == 0 else {
            throw SystemError("reach the other process")
        }
    }

    /// Sends `message` from a worker, whose sandbox allows less than ``send(_:_:)`` needs.
    func respond(_ message: WorkerMessage) throws(SystemError) {
        guard unsafe cworker_respond(descriptor, message.words) == 0 else {
            throw SystemError("reach the other process")
        }
    }

    /// Receives the next message without waiting; refuses files that arrive with it.
    ///
    /// - Throws: `SystemError` if the bytes are not a message.
    func receive() throws(SystemError) -> Arrival {
        var words = WorkerMessage.noWords
        let status = unsafe cworker_receive(descriptor, &words, nil, 0)
        return try Self.arrival(status, errno, words)
    }

    /// Receives the next message without waiting, and the files that arrive with it.
    func receiveWithFiles() throws(SystemError) -> (Arrival, [OpenFile]) {
        var words = WorkerMessage.noWords
        var descriptors = [Int32](repeating: -1, count: Int(cworker_descriptors))
        let status = unsafe cworker_receive(descriptor, &words, &descriptors, Int32(descriptors.count))
        let code = errno
        let files = descriptors.filter { $0 >= 0 }.map { OpenFile(descriptor: $0) }
        return (try Self.arrival(status, code, words), files)
    }

    /// Waits until something has arrived, for at most `limit`; `nil` waits indefinitely.
    ///
    /// - Returns: Whether something has arrived.
    func wait(_ limit: Duration? = nil) -> Bool { wait(for: POLLIN, limit) }

    /// Waits until the other side is gone, and ignores what arrives before.
    func waitForEnd() {
        while !wait(for: 0, nil) {}
    }

    /// Closes the sending side, so that the other side sees the end; messages from there still arrive.
    func close() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    private func wait(for events: Int32, _ limit: Duration?) -> Bool {
        var poll = pollfd(descriptor, for: events)
        return unsafe CalotypePlatform.poll(&poll, 1, limit?.pollMilliseconds ?? -1) > 0
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

extension SystemError {
    /// Whether the other end of the socket is closed.
    var isClosedPeer: Bool { code == EPIPE || code == ECONNRESET }
}

extension pollfd {
    /// Creates an entry for poll(2), which ignores a negative descriptor.
    init(_ descriptor: Int32, for events: Int32 = POLLIN) {
        self.init(fd: descriptor, events: Int16(events), revents: 0)
    }
}

extension Duration {
    /// The duration in milliseconds for poll(2), rounded up, so that the time is over when it returns.
    var pollMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(max(0, seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

extension OpenFile {
    /// Writes all of `bytes` from `offset` on.
    func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done, offset + done)
            }
            if count < 0, errno != EINTR { throw SystemError("write to shared memory") }
            done += max(count, 0)
        }
    }

    /// Frees the memory beyond `count` bytes; memory that cannot be freed stays until the worker ends.
    func trim(to count: Int) {
        _ = ftruncate(descriptor, count)
    }
}
