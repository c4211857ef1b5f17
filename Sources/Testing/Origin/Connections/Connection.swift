import CalotypeCore
import Glibc
import TaskFlow

/// One accepted connection; used by one task, which closes it.
struct Connection: ~Copyable {
    /// How long a client may take over a request head, or not read what is sent to it.
    let idleLimit: Duration
    private let socket: Int32
    private let reactor: Reactor
    private let tally: Tally
    /// What comes on it.
    let inlet: Inlet

    init(_ socket: Int32, _ reactor: Reactor, _ tally: Tally, idleLimit: Duration) {
        self.socket = socket
        self.reactor = reactor
        self.tally = tally
        self.idleLimit = idleLimit
        inlet = Inlet(socket, reactor, idleLimit: idleLimit)
        var yes: Int32 = 1
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        // A small send buffer, so that what was sent is about what the client has taken, and hang-ups are seen.
        var bytes: Int32 = 256 << 10
        unsafe setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Closes the connection, with RST instead of FIN where asked.
    consuming func close(withReset isReset: Bool) {
        if isReset {
            var now = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        }
        Glibc.close(socket)
    }

    /// The lines of the next request head, as ``Inlet/nextHead()`` gives them.
    func nextHead() async throws -> [UInt8]? {
        try await inlet.nextHead()
    }

    /// Ends its own side, and passes over what the client still sends for a while.
    ///
    /// To close with unread bytes would reset the connection, and the client might never see the answer.
    func closeInOrder() async throws {
        shutdown(socket, Int32(SHUT_WR))
        try await inlet.drain(64 << 20, until: .now + .seconds(1))
    }

    /// Carries out a script up to its ending.
    ///
    /// - Throws: `OriginError.hangUp` when the client left before the end.
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
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, noSignal)
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

    private func send(_ file: KeptFile) async throws {
        var offset = 0
        do {
            while case let piece = try await file.read(256 << 10, at: offset), !piece.isEmpty {
                try await send(piece[...])
                offset += piece.count
            }
        } catch OriginError.refused {
            // The bytes were given up meanwhile: the client sees that the answer is cut.
            throw OriginError.hangUp
        }
    }

    /// Sends ten times a second, or byte by byte where that is too often.
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
            // A client that reads as fast as this sends must not keep a thread of the pool to itself.
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

/// A client that has gone is an error of the call, not a signal that ends the process.
private let noSignal = Int32(MSG_NOSIGNAL)

/// What is done on a connection in answer to a request: the decision, which a connection carries out.
struct ResponseScript: Sendable {
    /// One thing done on the connection.
    enum Step: Sendable {
        case send([UInt8])
        /// Sends what was received, piece by piece.
        case contents(KeptFile)
        /// Sends evenly at a rate.
        case trickle([UInt8], bytesPerSecond: Int)
        /// Sends the same again and again until the client hangs up.
        case repeated([UInt8], pause: Duration)
        case pause(Duration)
        /// Nothing, until the client hangs up.
        case silence
    }

    /// What becomes of the connection.
    enum Ending: Sendable {
        case keep, close
        /// Closed with RST instead of FIN.
        case reset
    }

    /// The status that is counted; `nil` where no head is complete.
    var status: Int?
    var steps: [Step]
    var ending = Ending.keep
}
