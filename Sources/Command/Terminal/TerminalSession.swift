public import CalotypeCore
public import Glibc
import TaskFlow

/// Runs `body` with the whole screen of a terminal, which is as it was before when this returns.
///
/// Keys come one by one and unechoed, except those that are signals: Ctrl-C, Ctrl-\ and Ctrl-Z. The screen is also
/// restored when `body` throws or is cancelled, when a signal ends the process, and while Ctrl-Z has stopped it. Call it
/// inside `withInterruption`, which turns SIGINT, SIGTERM and SIGHUP into a cancellation.
///
/// A process has one such session at a time.
///
/// - Parameters:
///   - input: The terminal's descriptor for keys; standard input by default.
///   - output: Its descriptor for pictures and text; standard output by default.
///   - body: Uses the terminal.
/// - Returns: What `body` returns.
/// - Throws: `no_terminal` when one of both is no terminal; what `body` throws.
public func withTerminal<Output: Sendable>(
    input: Int32 = STDIN_FILENO,
    output: Int32 = STDOUT_FILENO,
    _ body: (TerminalSession) async throws -> Output
) async throws -> Output {
    let device = try TerminalDevice(input: input, output: output)
    let loop = try TerminalLoop(size: device.size)
    return try await withThreadExecutor(name: "terminal", threads: 1) { executor in
        loop.begin(device)
        async let serving: Void = executor.run { loop.run(device) }
        let result: Result<Output, any Error>
        do { result = .success(try await body(loop.session)) } catch { result = .failure(error) }
        loop.stop()
        try await serving
        return try result.get()
    }
}

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

extension ErrorCode {
    /// Input or output is no terminal, or one that cannot be used.
    public static let noTerminal = ErrorCode(rawValue: "no_terminal")
    /// The terminal has gone: its window was closed, or the line to it was cut.
    public static let terminalLost = ErrorCode(rawValue: "terminal_lost")
    /// Pictures cannot be drawn: libchafa is missing, or the style is ``PictureStyle/none``.
    public static let drawingUnavailable = ErrorCode(rawValue: "drawing_unavailable")
    /// A picture could not be drawn.
    public static let drawingFailed = ErrorCode(rawValue: "drawing_failed")
}
