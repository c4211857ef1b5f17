import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import Synchronization

/// The work of a session's thread: reads keys, writes frames and handles signals until it is stopped.
final class TerminalLoop: Sendable {
    /// Maximum time between an escape character and the rest of a sequence; a slow line sends both in one
    /// packet.
    private static let escapeTime = Duration.milliseconds(50)
    /// Maximum time that a blocked terminal can delay the end of a session.
    private static let patienceMilliseconds: Int32 = 1_000

    let session: TerminalSession
    private let wakeUp: WakeUp
    private let isStopped = Atomic(false)

    init(size: ScreenSize) throws(CalotypeError) {
        let wakeUp: WakeUp
        do throws(SystemError) { wakeUp = try WakeUp() } catch {
            throw CalotypeError(.noTerminal, error.description, stage: .request, cause: error)
        }
        self.wakeUp = wakeUp
        session = TerminalSession(size) { wakeUp.wake() }
    }

    /// Stops ``run(_:)`` soon.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        wakeUp.wake()
    }

    /// Takes over the terminal, which is restored in any case from now on.
    func begin(_ device: TerminalDevice) {
        TerminalRescue.arm(
            input: device.input,
            modes: device.modes,
            output: device.output,
            bytes: ScreenModes.leaving
        )
        TerminalSignals.install(reportingTo: wakeUp.input)
        device.setRawModes()
    }

    /// Runs the session until it is stopped, and then restores the terminal.
    ///
    /// If the terminal is closed, the session receives the error.
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

    /// The state from one turn of the loop to the next.
    private struct Turn {
        var keys = KeyDecoder()
        /// Bytes that are being sent to the terminal.
        var outgoing = ArraySlice<UInt8>()
        var isWritingFrame = false
        /// Whether another frame may already be waiting, so that the thread must not wait.
        var isHurried = false
        /// The deadline for an incomplete key, which does not change if the thread wakes earlier.
        var decision: ContinuousClock.Instant?
        /// Whether images may be left that only kitty's protocol can delete.
        var hasShownKitty = false

        /// Maximum time that the thread can wait, in milliseconds; -1 for no limit.
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
            pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: device.input, events: isFull ? 0 : Int16(POLLIN), revents: 0),
            pollfd(fd: device.output, events: turn.outgoing.isEmpty ? 0 : Int16(POLLOUT), revents: 0),
        ]
        _ = unsafe poll(&entries, 3, turn.timeout(at: .now))
        if entries[0].revents != 0 { wakeUp.take() }
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
        // Reads no more than the queue accepts, even if each byte is a key.
        var bytes = [UInt8](repeating: 0, count: max(session.queue.room, 1))
        let count = unsafe CalotypePlatform.read(device.input, &bytes, bytes.count)
        if count > 0 {
            session.queue.add(turn.keys.decode(bytes.prefix(count)))
            turn.decision = turn.keys.isWaiting ? .now + Self.escapeTime : nil
        } else if count == 0 || errno != EAGAIN && errno != EINTR {
            throw Self.lost
        }
    }

    /// Writes as much as the terminal accepts, and starts at most one frame, so that keys do not wait for
    /// several.
    private func write(_ device: TerminalDevice, _ turn: inout Turn) throws(CalotypeError) {
        turn.isHurried = false
        guard try send(device, &turn), let step = session.nextStep() else { return }
        turn.isWritingFrame = true
        turn.hasShownKitty = turn.hasShownKitty || step.new.placements.contains { $0.kitty != nil }
        turn.outgoing = FrameDifference.bytes(from: step.old, to: step.new, isAnew: step.isAnew)[...]
        turn.isHurried = try send(device, &turn)
    }

    /// Sends pending bytes, and returns whether all were sent.
    private func send(_ device: TerminalDevice, _ turn: inout Turn) throws(CalotypeError) -> Bool {
        while !turn.outgoing.isEmpty {
            let count = unsafe turn.outgoing.withUnsafeBytes {
                unsafe CalotypePlatform.write(device.output, $0.baseAddress, $0.count)
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
        // A write that was cut off is not continued.
        turn.outgoing = ScreenModes.entering[...]
        turn.isWritingFrame = false
        session.abandonStep()
        session.resize(device.size)
    }

    /// Restores the screen as far as the terminal accepts it.
    private func leave(_ device: TerminalDevice, _ turn: Turn) {
        let deletion = turn.hasShownKitty ? ScreenModes.endOfString + KittyImage.deletionOfAll : ""
        var bytes = (Array(deletion.utf8) + ScreenModes.leaving)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe CalotypePlatform.write(device.output, $0.baseAddress, $0.count)
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
        CalotypeError(.terminalLost, "the terminal was closed", stage: .request)
    }
}
