import Dispatch
public import Glibc

/// Runs `body` and cancels it at the first SIGINT or SIGTERM; a second signal ends the process at once.
///
/// Call it once, from the program's main function: while it runs, the signals have no other effect.
/// - Parameters:
///   - signals: the signals that interrupt, SIGINT and SIGTERM by default.
///   - exitCode: the exit code of the process when a second signal arrives.
///   - body: the work; it is awaited, also after the signal.
/// - Returns: what `body` returned, and the signal that interrupted it, if one did.
/// - Throws: what `body` throws.
public func withInterruption<Result: Sendable>(
    by signals: [Int32] = [SIGINT, SIGTERM],
    exitCode: Int32 = 130,
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

/// Signals as they arrive, by libdispatch: delivered even while every thread of Swift's pool is blocked.
final class SignalWatch: Sendable {
    // SAFETY: made in `init`, cancelled in `stop`, never changed in between; libdispatch's objects are thread-safe.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]
    private let arrivals: AsyncStream<Int32>
    private let numbers: [Int32]

    init(_ numbers: [Int32], exitCode: Int32) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Int32.self,
            bufferingPolicy: .bufferingOldest(1)
        )
        let queue = DispatchQueue(label: "calotype.signals")
        arrivals = stream
        self.numbers = numbers
        let count = SignalCount()
        unsafe sources = numbers.map { number in
            // The source sees a signal only when its default action, to end the process, is off.
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if count.next() > 1 { _exit(exitCode) }
                continuation.yield(number)
            }
            source.resume()
            return source
        }
    }

    /// The first signal, or `nil` when the task is cancelled before.
    func first() async -> Int32? {
        for await number in arrivals { return number }
        return nil
    }

    /// Gives the signals their default meaning back.
    func stop() {
        for source in unsafe sources { source.cancel() }
        for number in numbers { _ = signal(number, SIG_DFL) }
    }
}
