import CalotypeCore
import CalotypePlatform
import TaskFlow

/// An accepted connection.
///
/// One task uses it, and closes it.
struct Connection: ~Copyable {
    /// The maximum time to send a request head, or to pause reading a response.
    let idleLimit: Duration
    private let socket: Int32
    private let reactor: Reactor
    private let tally: Tally
    /// The incoming data.
    let inlet: Inlet

    init(_ socket: Int32, _ reactor: Reactor, _ tally: Tally, idleLimit: Duration) {
        self.socket = socket
        self.reactor = reactor
        self.tally = tally
        self.idleLimit = idleLimit
        inlet = Inlet(socket, reactor, idleLimit: idleLimit)
        var yes: Int32 = 1
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        // A small send buffer, so that bytes sent are about the bytes the client has read, and hang-ups are
        // noticed.
        var bytes: Int32 = 256 << 10
        unsafe setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Closes the connection, with RST instead of FIN on request.
    consuming func close(withReset isReset: Bool) {
        if isReset {
            var now = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        }
        CalotypePlatform.close(socket)
    }

    /// Returns the lines of the next request head, as ``Inlet/nextHead()`` does.
    func nextHead() async throws -> [UInt8]? {
        try await inlet.nextHead()
    }

    /// Ends its own side, and discards what the client still sends for a while.
    ///
    /// Closing with unread bytes would reset the connection, and the client might never see the response.
    func closeInOrder() async throws {
        shutdown(socket, Int32(SHUT_WR))
        try await inlet.drain(64 << 20, until: .now + .seconds(1))
    }

    /// Performs a script up to its ending.
    ///
    /// - Throws: `OriginError.hangUp` if the client left before the end.
    func play(_ script: ResponseScript) async throws {
        for step in script.steps {
            switch step {
            case .send(let bytes): try await send(bytes[...])
            case .contents(let file): try await send(file)
            case .trickle(let bytes, let rate): try await trickle(bytes, rate)
            case .repeated(let bytes, let pause): try await sendRepeatedly(bytes, pause)
            case .pause(let duration): try await pause(duration)
            case .silence: try await silence()
            }
        }
    }

    private func send(_ bytes: ArraySlice<UInt8>) async throws {
        var rest = bytes
        while !rest.isEmpty {
            try Task.checkCancellation()
            let count = unsafe rest.withUnsafeBytes {
                unsafe CalotypePlatform.send(socket, $0.baseAddress, $0.count, Platform.noSignal)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
                tally.count { $0.bytesSent += count }
            } else if errno == EAGAIN {
                let outcome = try await reactor.wait(for: .writable, on: socket, until: .now + idleLimit)
                if outcome == .timedOut { throw OriginError.hangUp }
            } else if errno != EINTR {
                throw OriginError.hangUp
            }
        }
    }

    private func send(_ file: ReceivedFile) async throws {
        var offset = 0
        do {
            while case let piece = try await file.read(256 << 10, at: offset), !piece.isEmpty {
                try await send(piece[...])
                offset += piece.count
            }
        } catch OriginError.refused {
            // The bytes have been discarded since. The client notices that the response is cut.
            throw OriginError.hangUp
        }
    }

    /// Sends ten times a second, or byte by byte if the rate is too low for that.
    private func trickle(_ bytes: [UInt8], _ bytesPerSecond: Int) async throws {
        let rate = max(1, bytesPerSecond)
        let portion = max(1, rate / 10)
        for start in stride(from: 0, to: bytes.count, by: portion) {
            if start > 0 { try await pause(.seconds(1) * portion / rate) }
            try await send(bytes[start..<min(start + portion, bytes.count)])
        }
    }

    private func sendRepeatedly(_ bytes: [UInt8], _ interval: Duration) async throws {
        while true {
            try await send(bytes[...])
            // A client that reads as fast as the origin sends must not occupy a thread of the pool.
            if interval > .zero { try await pause(interval) } else { await Task.yield() }
        }
    }

    private func pause(_ duration: Duration) async throws {
        let outcome = try await reactor.wait(for: .hangUp, on: socket, until: .now + duration)
        if outcome == .ready { throw OriginError.hangUp }
    }

    private func silence() async throws {
        _ = try await reactor.wait(for: .hangUp, on: socket)
        throw OriginError.hangUp
    }
}

/// Makes a client that has gone an error of the call, not a signal that ends the process.

/// The actions on a connection that respond to a request: the decision, which a connection carries out.
struct ResponseScript: Sendable {
    /// One action on the connection.
    enum Step: Sendable {
        case send([UInt8])
        /// Sends received bytes piece by piece.
        case contents(ReceivedFile)
        /// Sends bytes evenly at a rate.
        case trickle([UInt8], bytesPerSecond: Int)
        /// Sends the bytes repeatedly until the client hangs up.
        case repeated([UInt8], pause: Duration)
        case pause(Duration)
        /// Sends nothing until the client hangs up.
        case silence
    }

    /// How the connection continues after the response.
    enum Ending: Sendable {
        case keep, close
        /// Closes it with RST instead of FIN.
        case reset
    }

    /// The status to count; `nil` if no head is complete.
    var status: Int?
    var steps: [Step]
    var ending = Ending.keep
}
