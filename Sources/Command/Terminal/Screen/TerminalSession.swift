import CalotypeCore
import TaskFlow

/// A terminal whose whole screen is ours, until the scope of ``withTerminal(input:output:_:)`` ends.
///
/// A thread of its own reads and writes: whoever shows a frame or waits for a key blocks nothing.
public final class TerminalSession: Sendable {
    let queue: EventQueue
    private let screen: Guarded<ScreenState>
    private let wake: @Sendable () -> Void

    init(_ size: ScreenSize, wake: @escaping @Sendable () -> Void) {
        queue = EventQueue(onRoom: wake)
        screen = Guarded(ScreenState(size: size))
        self.wake = wake
    }

    /// The size of the screen now.
    public var size: ScreenSize { screen.withLock { $0.size } }

    /// The keys that are pressed and the sizes that the screen takes, for one reader.
    public var events: TerminalEvents { TerminalEvents(queue: queue) }

    /// How many frames have been written; those that newer ones overtook are not counted.
    public var framesWritten: Int { screen.withLock { $0.framesWritten } }

    /// Shows `frame`, as soon as the terminal takes it; of several that wait only the newest is shown.
    ///
    /// Returns at once. A frame of another size than the screen's is cut or filled with blanks.
    public func show(_ frame: Frame) {
        screen.withLock { $0.show(frame) }
        wake()
    }

    /// Draws the whole screen anew, as after something else has written to the terminal.
    public func redraw() {
        screen.withLock { $0.redraw() }
        wake()
    }

    /// Waits until the frame that was shown last has been written.
    ///
    /// - Throws: `CancellationError`; `terminal_lost` when the terminal has gone.
    public func flush() async throws {
        let latch = Latch<CalotypeError?>()
        let (isDone, failure) = screen.withLock { ($0.wait(latch), $0.failure) }
        if isDone { latch.set(failure) }
        wake()
        if let error = try await latch.wait() { throw error }
    }

    /// The frame that is to be written now.
    func nextStep() -> ScreenState.Step? { screen.withLock { $0.next() } }

    /// The frame has been written.
    func finishStep() {
        for latch in screen.withLock({ $0.wrote() }) { latch.set(nil) }
    }

    /// The frame on its way has been cut off.
    func abandonStep() {
        screen.withLock { $0.abandon() }
    }

    func resize(_ size: ScreenSize) {
        let isNew = screen.withLock { state in
            defer { state.resize(size) }
            return size != state.size
        }
        if isNew { queue.add(size) }
    }

    /// Nothing is shown or read any more.
    func fail(_ error: CalotypeError) {
        for latch in screen.withLock({ $0.fail(error) }) { latch.set(error) }
        queue.fail(error)
    }
}
