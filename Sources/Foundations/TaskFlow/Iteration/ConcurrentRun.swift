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

    /// The loop was left: nothing will read the results in progress.
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

    /// Starts the driver.
    ///
    /// In a scope that has ended, the run ends before its first input, as if it were cancelled.
    private func start() {
        do throws(TaskFlowError) {
            channel.attach(try scope.start { [drive, channel] in await drive(channel) })
        } catch {
            channel.stop()
        }
    }
}

/// Reads the input of a concurrent iteration and runs the operation on it, as far as the channel has room.
struct ConcurrentDriver<Input: Sendable, Output: Sendable, InputFailure: Error>: Sendable {
    typealias Element = ConcurrentResult<Input, Output>

    let channel: ResultChannel<Input, Output, InputFailure>
    let options: ConcurrencyOptions
    let operation: @Sendable (Input) async throws -> Output

    /// Returns when the last operation has ended.
    func run<Inputs: AsyncSequence & Sendable>(
        _ inputs: Inputs
    ) async where Inputs.Element == Input, Inputs.Failure == InputFailure {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                var iterator = inputs.makeAsyncIterator()
                while let index = await channel.reserve() {
                    guard let input = await read(&iterator) else { return }
                    startChild(index, input, in: &group)
                }
            }
        } onCancel: {
            channel.stop()
        }
    }

    /// Returns the next input; nil at the end, or if the task was cancelled while waiting for it.
    private func read<Inputs: AsyncIteratorProtocol>(
        _ iterator: inout Inputs
    ) async -> Input? where Inputs.Element == Input, Inputs.Failure == InputFailure {
        do throws(InputFailure) {
            if let input = try await iterator.next(isolation: #isolation), !Task.isCancelled { return input }
            channel.endInput()
        } catch {
            channel.endInput(error)
        }
        return nil
    }

    private func startChild(_ index: Int, _ input: Input, in group: inout DiscardingTaskGroup) {
        let name = options.name.map { "\($0) \(index)" }
        if let executor = options.executor {
            group.addTask(name: name, executorPreference: executor, priority: options.priority) {
                await perform(index, input)
            }
        } else {
            // With a name, a nil preference does not keep the scope's executor (Swift 6.3.1).
            group.addTask(name: name, priority: options.priority) { await perform(index, input) }
        }
    }

    private func perform(_ index: Int, _ input: Input) async {
        let result: Result<Output, any Error>
        do { result = .success(try await operation(input)) } catch { result = .failure(error) }
        channel.finish(Element(index: index, input: input, result: result))
    }
}

/// How a concurrent iteration runs.
struct ConcurrencyOptions: Sendable {
    var limit: Int
    var order: ResultOrder
    var name: String?
    var priority: TaskPriority?
    var executor: (any TaskExecutor)?
}
