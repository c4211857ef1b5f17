import Dispatch
public import Glibc
import Synchronization

/// Runs `body` and cancels it at the first SIGINT or SIGTERM; a second signal ends the process immediately.
///
/// Call it once, from the program's main function. While it runs, the signals have no other effect.
///
/// - Parameters:
///   - signals: The signals that interrupt, SIGINT and SIGTERM by default.
///   - exitCode: The exit code of the process when a second signal arrives.
///   - onSignal: Called with the first signal, before the work is cancelled.
///   - body: The work, which is awaited even after the signal.
/// - Returns: The result of `body`, and the signal that interrupted it, if any.
/// - Throws: What `body` throws.
public func withInterruption<Result: Sendable>(
    by signals: [Int32] = [SIGINT, SIGTERM],
    exitCode: Int32 = 130,
    onSignal: @escaping @Sendable (Int32) async -> Void = { _ in },
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> (result: Result, signal: Int32?) {
    let watch = SignalWatch(signals, exitCode: exitCode)
    defer { watch.stop() }
    return try await withThrowingTaskGroup(of: Interruption<Result>.self) { group in
        group.addTask { .ended(try await body()) }
        group.addTask { .signal(await watch.first()) }
        var received: Int32?
        while let event = try await group.next() {
            switch event {
            case .signal(let signal):
                received = signal ?? received
                if let signal { await onSignal(signal) }
                group.cancelAll()
            case .ended(let result):
                group.cancelAll()
                return (result, received)
            }
        }
        throw CancellationError()
    }
}

private enum Interruption<Result: Sendable>: Sendable {
    case ended(Result)
    case signal(Int32?)
}

/// Delivers signals as they arrive, through a pipe.
///
/// A `DispatchSourceSignal` requires ignored signals, and Linux drops an ignored signal unless the main
/// thread blocks it: one that arrived before the main thread went to sleep was lost. A handler loses none.
final class SignalWatch: Sendable {
    private let arrivals: AsyncStream<Int32>
    private let numbers: [Int32]
    // SAFETY: created in `init`, cancelled in `stop`, not changed in between; libdispatch's objects are
    // thread-safe.
    private nonisolated(unsafe) let source: (any DispatchSourceRead)?

    init(_ numbers: [Int32], exitCode: Int32) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Int32.self,
            bufferingPolicy: .bufferingOldest(1)
        )
        arrivals = stream
        self.numbers = numbers
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            // There is no descriptor for a pipe, so the signals keep their default action and end the
            // process.
            unsafe source = nil
            return
        }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        SignalDoor.open(writeEnd, exitCode: exitCode)
        let source = DispatchSource.makeReadSource(fileDescriptor: readEnd, queue: .global())
        source.setEventHandler {
            var number: UInt8 = 0
            if unsafe read(readEnd, &number, 1) == 1 { continuation.yield(Int32(number)) }
        }
        source.setCancelHandler {
            close(readEnd)
            close(writeEnd)
        }
        source.resume()
        unsafe self.source = source
        for number in numbers { _ = signal(number, SignalDoor.handler) }
    }

    /// Returns the first signal, or `nil` if the task is cancelled first.
    func first() async -> Int32? {
        for await number in arrivals { return number }
        return nil
    }

    /// Restores the default action of the signals.
    func stop() {
        for number in numbers { _ = signal(number, SIG_DFL) }
        SignalDoor.close()
        unsafe source?.cancel()
    }
}

/// The state that a signal handler may access; a process has one set of handlers, so it is global.
enum SignalDoor {
    private static let descriptor = Atomic<Int32>(-1)
    private static let exitCode = Atomic<Int32>(130)
    private static let count = Atomic<Int>(0)

    /// Sends signals to `descriptor`, one byte each; call it before installing the handler.
    static func open(_ descriptor: Int32, exitCode: Int32) {
        // Also creates the values now, because a handler must not be the first to access them.
        TerminalRescue.prepare()
        count.store(0, ordering: .relaxed)
        self.exitCode.store(exitCode, ordering: .relaxed)
        self.descriptor.store(descriptor, ordering: .relaxed)
    }

    static func close() {
        descriptor.store(-1, ordering: .relaxed)
    }

    /// Does only what POSIX allows in a handler: atomics, `write`, `_exit`, and restoring a terminal.
    static let handler: @convention(c) (Int32) -> Void = { number in
        let saved = errno
        if count.add(1, ordering: .relaxed).newValue > 1 {
            TerminalRescue.perform()
            _exit(exitCode.load(ordering: .relaxed))
        }
        var byte = UInt8(truncatingIfNeeded: number)
        _ = unsafe write(descriptor.load(ordering: .relaxed), &byte, 1)
        errno = saved
    }
}
