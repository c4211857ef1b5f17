import CalotypeCommandLineKit
import CalotypeCore
import Glibc
import Synchronization

/// What the thread of a session does: reads keys, writes frames, heeds signals, until it is told to stop.
final class TerminalLoop: Sendable {
    /// How long after an escape character the rest of a sequence may come; over a slow line it comes in one packet.
    private static let escapeTime = Duration.milliseconds(50)
    /// How long a terminal that takes nothing holds up the end of a session.
    private static let patienceMilliseconds: Int32 = 1_000

    let session: TerminalSession
    private let wakePipe: WakePipe
    private let isStopped = Atomic(false)

    init(size: ScreenSize) throws(CalotypeError) {
        let pipe = try WakePipe()
        wakePipe = pipe
        session = TerminalSession(size) { pipe.wake() }
    }

    /// Ends ``run(_:)`` soon.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        wakePipe.wake()
    }

    /// Takes the terminal: from here on it is given back whatever happens.
    func begin(_ device: TerminalDevice) {
        TerminalRescue.arm(
            input: device.input,
            modes: device.modes,
            output: device.output,
            bytes: ScreenModes.leaving
        )
        TerminalSignals.install(reportingTo: wakePipe.writeEnd)
        device.setRawModes()
    }

    /// Serves the session until it is stopped, and gives the terminal back.
    ///
    /// The terminal's loss is told to the session.
    func run(_ device: TerminalDevice) {
        TerminalSignals.unblock()
        var turn = Turn()
        enter(device, &turn)
        do {
            while !isStopped.load(ordering: .acquiring) { try serve(device, &turn) }
        } catch {
            session.fail(error)
        }
        leave(device, turn)
        TerminalSignals.uninstall()
        TerminalRescue.disarm()
    }

    /// What one turn of the loop leaves to the next.
    private struct Turn {
        var keys = KeyDecoder()
        /// Bytes on their way to the terminal.
        var outgoing = ArraySlice<UInt8>()
        var isWritingFrame = false
        /// Whether another frame may wait already, so that there is no time to wait.
        var isHurried = false
        /// When a key that has begun is decided by the absence of more, however often the thread is woken before.
        var decision: ContinuousClock.Instant?
        /// Whether pictures may be left that only kitty's own protocol deletes.
        var hasShownKitty = false

        /// How long the thread may wait, in milliseconds; -1 for as long as it takes.
        func timeout(at now: ContinuousClock.Instant) -> Int32 {
            if isHurried { return 0 }
            guard let decision else { return -1 }
            let rest = now.duration(to: decision)
            return rest > .zero ? Int32(rest / .milliseconds(1)) + 1 : 0
        }
    }

    private func serve(_ device: TerminalDevice, _ turn: inout Turn) throws(CalotypeError) {
        heedSignals(device, &turn)
        try write(device, &turn)
        let isFull = session.queue.room <= 0
        var entries = [
            pollfd(fd: wakePipe.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: device.input, events: isFull ? 0 : Int16(POLLIN), revents: 0),
            pollfd(fd: device.output, events: turn.outgoing.isEmpty ? 0 : Int16(POLLOUT), revents: 0),
        ]
        _ = unsafe poll(&entries, 3, turn.timeout(at: .now))
        if entries[0].revents != 0 { wakePipe.clear() }
        let gone = Int16(POLLHUP | POLLERR | POLLNVAL)
        guard entries[1].revents & gone == 0, entries[2].revents & gone == 0 else { throw Self.lost }
        if entries[1].revents & Int16(POLLIN) != 0 {
            try read(device, &turn)
        } else if let decision = turn.decision, decision <= .now {
            session.queue.add(turn.keys.expire())
            turn.decision = nil
        }
    }

    private func read(_ device: TerminalDevice, _ turn: inout Turn) throws(CalotypeError) {
        // No more than there is room for, even if each byte is a key.
        var bytes = [UInt8](repeating: 0, count: max(session.queue.room, 1))
        let count = unsafe Glibc.read(device.input, &bytes, bytes.count)
        if count > 0 {
            session.queue.add(turn.keys.decode(bytes.prefix(count)))
            turn.decision = turn.keys.isWaiting ? .now + Self.escapeTime : nil
        } else if count == 0 || errno != EAGAIN && errno != EINTR {
            throw Self.lost
        }
    }

    /// Writes as much as the terminal takes, and begins at most one frame: keys are not to wait for many.
    private func write(_ device: TerminalDevice, _ turn: inout Turn) throws(CalotypeError) {
        turn.isHurried = false
        guard try send(device, &turn), let step = session.nextStep() else { return }
        turn.isWritingFrame = true
        turn.hasShownKitty = turn.hasShownKitty || step.new.placements.contains { $0.kitty != nil }
        turn.outgoing = FrameDifference.bytes(from: step.old, to: step.new, isAnew: step.isAnew)[...]
        turn.isHurried = try send(device, &turn)
    }

    /// Sends what is on its way; whether nothing of it is left.
    private func send(_ device: TerminalDevice, _ turn: inout Turn) throws(CalotypeError) -> Bool {
        while !turn.outgoing.isEmpty {
            let count = unsafe turn.outgoing.withUnsafeBytes {
                unsafe Glibc.write(device.output, $0.baseAddress, $0.count)
            }
            if count > 0 {
                turn.outgoing = turn.outgoing.dropFirst(count)
            } else if errno == EAGAIN {
                return false
            } else if errno != EINTR {
                throw Self.lost
            }
        }
        if turn.isWritingFrame { session.finishStep() }
        turn.isWritingFrame = false
        return true
    }

    private func heedSignals(_ device: TerminalDevice, _ turn: inout Turn) {
        let signals = TerminalSignals.take()
        if signals.contains(SIGTSTP) {
            leave(device, turn)
            TerminalSignals.stop()
        }
        if signals.contains(SIGTSTP) || signals.contains(SIGCONT) { enter(device, &turn) }
        if signals.contains(SIGWINCH) { session.resize(device.size) }
    }

    private func enter(_ device: TerminalDevice, _ turn: inout Turn) {
        device.setRawModes()
        // What was cut off does not go on.
        turn.outgoing = ScreenModes.entering[...]
        turn.isWritingFrame = false
        session.abandonStep()
        session.resize(device.size)
    }

    /// Gives the screen back, as far as the terminal takes it.
    private func leave(_ device: TerminalDevice, _ turn: Turn) {
        let deletion = turn.hasShownKitty ? ScreenModes.endOfString + KittyImage.deletionOfAll : ""
        var bytes = (Array(deletion.utf8) + ScreenModes.leaving)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(device.output, $0.baseAddress, $0.count)
            }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                var entry = pollfd(fd: device.output, events: Int16(POLLOUT), revents: 0)
                guard unsafe poll(&entry, 1, Self.patienceMilliseconds) == 1 else { break }
            } else if errno != EINTR {
                break
            }
        }
        device.restoreModes()
    }

    private static var lost: CalotypeError {
        CalotypeError(.terminalLost, "the terminal has gone", stage: .request)
    }
}

/// Wakes a thread that waits in `poll`.
final class WakePipe: Sendable {
    let readEnd: Int32
    /// Also for signal handlers: a byte is enough, and what finds no room is not needed.
    let writeEnd: Int32
    private let isAwake = Atomic(false)

    /// - Throws: `no_terminal` when no descriptor is left.
    init() throws(CalotypeError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw CalotypeError(.noTerminal, "no descriptor is left for the terminal", stage: .request)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func wake() {
        guard !isAwake.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var byte: UInt8 = 0
        _ = unsafe write(writeEnd, &byte, 1)
    }

    /// Takes the bytes out, before the reasons for them are looked at.
    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(readEnd, &bytes, bytes.count) == bytes.count {}
        // Not before the read, which could take the byte of somebody who comes in between: nobody would send another.
        isAwake.store(false, ordering: .sequentiallyConsistent)
    }
}
