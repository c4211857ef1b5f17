import CalotypeCore
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
