/// One run of a concurrent iteration, from its first `next()` until its iterator is dropped.
///
/// A task of the scope drives it: it reads the input and starts the operations as children of a task group.
final class ConcurrentRun<Input: Sendable, Output: Sendable, InputFailure: Error>: Sendable {
    typealias Channel = ResultChannel<Input, Output, InputFailure>

    private let channel: Channel
    private let scope: TaskScope
    private let drive: @Sendable (Channel) async -> Void
    private let hasStarted = Guarded(false)

    init<Inputs: AsyncSequence & Sendable>(
        _ inputs: Inputs,
        _ options: ConcurrencyOptions,
        failsFast: Bool,
        in scope: TaskScope,
        operation: @escaping @Sendable (Input) async throws -> Output
    ) where Inputs.Element == Input, Inputs.Failure == InputFailure {
        channel = Channel(.init(limit: options.limit, order: options.order, failsFast: failsFast))
        self.scope = scope
        drive = { channel in
            let driver = ConcurrentDriver(channel: channel, options: options, operation: operation)
            await driver.run(inputs)
        }
    }

    /// The loop was left: nobody will read what is under way.
    deinit {
        channel.stop()
    }

    func next() async -> Channel.Window.Next {
        if Task.isCancelled { channel.stop() }
        let isFirst = hasStarted.withLock { hasStarted in
            defer { hasStarted = true }
            return !hasStarted
        }
        if isFirst && !Task.isCancelled { start() }
        return await withTaskCancellationHandler {
            await channel.next()
        } onCancel: { [channel] in
            channel.stop()
        }
    }

    /// In a scope that has ended, the run ends before its first input, as if it were cancelled.
    private func start() {
        do throws(TaskScopeEnded) {
            channel.attach(try scope.start { [drive, channel] in await drive(channel) })
        } catch {
            channel.stop()
        }
    }
}
