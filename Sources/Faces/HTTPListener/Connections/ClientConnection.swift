import CalotypeCMicroHTTPD
import CalotypePlatform
import TaskFlow

/// One accepted connection, shared by the watch and the library's callbacks.
package final class ClientConnection: Sendable {
    /// A response that bypasses the library because the library cannot send one.
    enum Words {
        case timedOut, tooLarge
    }

    private struct State {
        var patience: ClientPatience
        /// The request in progress.
        var exchange: Exchange?
        /// Whether a prepared response is being sent, for which there is no exchange.
        var sendsPrepared = false
        /// Whether the library has the connection, and owns the descriptor until it reports its closing.
        var isOpen = false
        /// Whether the client closed its end.
        var hasHungUp = false
        /// Whether the connection timed out; a request that arrives now gets no response.
        var isExpired = false
        /// Whether the client may be sending bytes that nobody reads.
        var expectsBytes = false
    }

    let descriptor: Int32
    /// Distinguishes the connection from others that had the same descriptor.
    let number: UInt64
    let address: ClientAddress
    /// The inbox of the thread to which the connection belongs.
    let inbox: LoopInbox
    /// The request in progress if it may get a prepared response.
    let prepared = PreparedRequest()
    private let state: Guarded<State>

    package init(
        _ descriptor: Int32,
        _ number: UInt64,
        _ address: ClientAddress,
        _ inbox: LoopInbox,
        _ limits: ClientPatience.Limits
    ) {
        self.descriptor = descriptor
        self.number = number
        self.address = address
        self.inbox = inbox
        state = Guarded(State(patience: ClientPatience(limits, now: .now)))
    }

    var hasHungUp: Bool { state.withLock { $0.hasHungUp } }

    // MARK: The library's side

    package func opened() {
        state.withLock { $0.isOpen = true }
    }

    /// Records a head that the library read.
    ///
    /// Returns `false` if it arrived too late.
    func headCame(_ bytes: Int) -> Bool {
        state.withLock { state in
            state.patience.headCame(bytes)
            return !state.isExpired
        }
    }

    func requestBegan(_ exchange: Exchange) {
        state.withLock { $0.exchange = exchange }
    }

    /// Records a head that the library read, for which there is a prepared response; see ``headCame(_:)``.
    func preparedBegan(_ headBytes: Int) -> Bool {
        state.withLock { state in
            state.patience.headCame(headBytes)
            state.sendsPrepared = true
            return !state.isExpired
        }
    }

    func requestEnded() {
        state.withLock { state in
            state.exchange = nil
            state.sendsPrepared = false
            state.patience.requestEnded(.now)
        }
    }

    /// Records that the client may still send when the connection closes, and must not lose the response.
    func expectsBytes() {
        state.withLock { $0.expectsBytes = true }
    }

    /// Records that the library is about to close the descriptor.
    ///
    /// - Returns: A descriptor to read from until the client has closed its end, if the client may still be
    ///   sending. Closing with unread bytes would reset the connection, and the client might never see the
    ///   response.
    func closing() -> Int32? {
        state.withLock { state in
            state.isOpen = false
            state.exchange = nil
            var byte: UInt8 = 0
            let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK))
            let isSending = count > 0 || count < 0 && errno == EAGAIN && Self.mayBeSending(state, descriptor)
            guard isSending else { return nil }
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            return copy >= 0 ? copy : nil
        }
    }

    private static func mayBeSending(_ state: State, _ descriptor: Int32) -> Bool {
        if state.expectsBytes { return true }
        var counts = calotype_tcp_counts()
        return unsafe calotype_tcp_read_counts(descriptor, &counts) == 0
            && state.patience.hasPartOfHead(counts)
    }

    /// Sends a response that bypasses the library, and ends the connection.
    func say(_ words: Words, from name: String) {
        state.withLock { state in
            guard state.isOpen else { return }
            Self.say(words, name, descriptor)
        }
    }

    private static func say(_ words: Words, _ name: String, _ descriptor: Int32) {
        let line = words == .timedOut ? "408 Request Timeout" : "413 Content Too Large"
        let server = name.isEmpty ? "" : "Server: \(name)\r\n"
        let head = "HTTP/1.1 \(line)\r\n\(server)Connection: close\r\nContent-Length: 0\r\n\r\n"
        let bytes = Array(head.utf8)
        // Nothing was sent before, so the socket buffer has room for these few bytes.
        _ = unsafe bytes.withUnsafeBytes {
            unsafe send(descriptor, $0.baseAddress, $0.count, Platform.noSignal)
        }
    }

    // MARK: The watch's side

    /// Records that the client closed its end or reset the connection.
    package func hungUp() {
        let exchange = state.withLock { state in
            state.hasHungUp = true
            return state.exchange
        }
        guard exchange?.clientLeft() == true else { return }
        state.withLock { state in
            guard state.isOpen, state.exchange === exchange else { return }
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    /// Abandons the request because the listener stops.
    func abandon() {
        state.withLock { $0.exchange }?.abandon()
    }

    /// Closes the connection if the client has been too slow.
    func look(_ now: ContinuousClock.Instant, isDraining: Bool, name: String) {
        let exchange = state.withLock { $0.exchange }
        let isOurTurn = exchange?.isOurTurn ?? false
        state.withLock { state in
            // A request may have begun or ended between the two checks; the next check covers it.
            guard state.isOpen, !state.isExpired, state.exchange === exchange else { return }
            let isBetween = exchange == nil && !state.sendsPrepared
            let turn: ClientPatience.Turn = isOurTurn ? .listener : isBetween ? .betweenRequests : .client
            var counts = calotype_tcp_counts()
            guard unsafe calotype_tcp_read_counts(descriptor, &counts) == 0 else { return }
            let verdict = state.patience.look(counts, turn, now, isDraining: isDraining)
            guard verdict != .wait else { return }
            state.isExpired = true
            if verdict == .refuseHead {
                state.expectsBytes = true
                Self.say(.timedOut, name, descriptor)
            }
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }
}
