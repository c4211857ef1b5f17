public import CalotypeCore
public import CalotypePlatform
import TaskFlow

/// Runs `body` with the whole screen of a terminal, and restores the screen before it returns.
///
/// Keys arrive one by one and are not echoed, except those that are signals: Ctrl-C, Ctrl-\ and Ctrl-Z. The
/// screen is also restored if `body` throws or is cancelled, if a signal ends the process, and while Ctrl-Z
/// stops it. Call this inside `withInterruption`, which turns SIGINT, SIGTERM and SIGHUP into a cancellation.
///
/// A process can have only one such session at a time.
///
/// - Parameters:
///   - input: The terminal's descriptor for keys; standard input by default.
///   - output: The terminal's descriptor for pictures and text; standard output by default.
///   - body: Uses the terminal.
/// - Returns: The result of `body`.
/// - Throws: `no_terminal` if either descriptor is not a terminal; what `body` throws.
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

/// A full-screen terminal, until the scope of ``withTerminal(input:output:_:)`` ends.
///
/// The session's own thread reads and writes, so showing a frame and waiting for a key block nothing.
public final class TerminalSession: Sendable {
    let queue: EventQueue
    private let screen: Guarded<ScreenState>
    private let wake: @Sendable () -> Void

    init(_ size: ScreenSize, wake: @escaping @Sendable () -> Void) {
        queue = EventQueue(onRoom: wake)
        screen = Guarded(ScreenState(size: size))
        self.wake = wake
    }

    /// The current size of the screen.
    public var size: ScreenSize { screen.withLock { $0.size } }

    /// The key presses and size changes, for one reader.
    public var events: TerminalEvents { TerminalEvents(queue: queue) }

    /// Number of frames written; frames that newer ones replaced are not counted.
    public var framesWritten: Int { screen.withLock { $0.framesWritten } }

    /// Shows `frame` as soon as the terminal accepts it; if several frames wait, only the newest is shown.
    ///
    /// Returns immediately. A frame for another screen size is truncated or filled with blanks.
    public func show(_ frame: Frame) {
        screen.withLock { $0.show(frame) }
        wake()
    }

    /// Draws the whole screen again, for example after something else has written to the terminal.
    public func redraw() {
        screen.withLock { $0.redraw() }
        wake()
    }

    /// Waits until the last frame has been written.
    ///
    /// - Throws: `CancellationError`; `terminal_lost` if the terminal is closed.
    public func flush() async throws {
        let latch = Latch<CalotypeError?>()
        let (isDone, failure) = screen.withLock { ($0.wait(latch), $0.failure) }
        if isDone { latch.set(failure) }
        wake()
        if let error = try await latch.wait() { throw error }
    }

    /// Returns the next frame to write.
    func nextStep() -> ScreenState.Step? { screen.withLock { $0.next() } }

    /// Records that the frame was written.
    func finishStep() {
        for latch in screen.withLock({ $0.wrote() }) { latch.set(nil) }
    }

    /// Records that the frame was cut off.
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

    /// Ends the session with an error.
    func fail(_ error: CalotypeError) {
        for latch in screen.withLock({ $0.fail(error) }) { latch.set(error) }
        queue.fail(error)
    }
}

extension ErrorCode {
    /// Input or output is not a usable terminal.
    public static let noTerminal = ErrorCode(rawValue: "no_terminal")
    /// The terminal was closed, or its connection was lost.
    public static let terminalLost = ErrorCode(rawValue: "terminal_lost")
    /// Pictures cannot be drawn, because libchafa is missing or the style is ``PictureStyle/none``.
    public static let drawingUnavailable = ErrorCode(rawValue: "drawing_unavailable")
    /// A picture could not be drawn.
    public static let drawingFailed = ErrorCode(rawValue: "drawing_failed")
}
