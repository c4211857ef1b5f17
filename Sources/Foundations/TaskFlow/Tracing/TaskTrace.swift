/// Measures pieces of work for a trace; costs one nil check while no recorder is set.
///
/// The recorder is a task-local value, so child tasks and coalesced flights report to it too.
public enum TaskTrace: Sendable {
    struct Context: Sendable {
        let recorder: TraceRecorder
        var lane: Int
        var item: UInt64?
    }

    @TaskLocal static var context: Context?

    /// Whether the task has a recorder.
    @usableFromInline
    static var isRecording: Bool { context != nil }

    /// The recorder that receives the spans of this task.
    public static var recorder: TraceRecorder? { context?.recorder }

    /// Runs `body` with a recorder for its spans and those of its child tasks, or with none.
    @inlinable
    public static func recording<Output>(
        to recorder: TraceRecorder?,
        _ body: () async throws -> Output
    ) async rethrows -> Output {
        guard recorder != nil || isRecording else { return try await body() }
        return try await changingRecorder(to: recorder, body)
    }

    @usableFromInline
    static func changingRecorder<Output>(
        to recorder: TraceRecorder?,
        _ body: () async throws -> Output
    ) async rethrows -> Output {
        let context = recorder.map { Context(recorder: $0, lane: 0) }
        return try await $context.withValue(context, operation: body)
    }

    /// Runs `body` as a numbered item of work.
    ///
    /// Its spans and those of its child tasks and flights carry the number.
    ///
    /// - Parameters:
    ///   - item: The number.
    ///   - recorder: Receives the spans if the task has no recorder.
    ///   - body: The work.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    public static func withItem<Output>(
        _ item: UInt64?,
        recordingTo recorder: TraceRecorder? = nil,
        _ body: () async throws -> Output
    ) async rethrows -> Output {
        guard var context = context ?? recorder.map({ Context(recorder: $0, lane: 0) }) else {
            return try await body()
        }
        context.item = item
        return try await $context.withValue(context, operation: body)
    }

    /// Runs `body` in its own row, the lowest free one: one item of work, whose spans follow each other.
    ///
    /// A task that already has a row stays in it.
    public static func withLane<Output>(_ body: () async throws -> Output) async rethrows -> Output {
        guard var context, context.lane == 0 else { return try await body() }
        let recorder = context.recorder
        context.lane = recorder.takeLane()
        defer { recorder.returnLane(context.lane) }
        return try await $context.withValue(context, operation: body)
    }

    /// Runs `body` and records how long it took, even if it throws.
    ///
    /// - Parameters:
    ///   - name: What the work is called.
    ///   - category: The kind of work.
    ///   - arguments: Further facts; evaluated only while a recorder is set.
    ///   - body: The work.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    @inlinable
    public static func span<Output>(
        _ name: String,
        category: String = "task",
        arguments: @autoclosure () -> [TraceEvent.Argument] = [],
        _ body: () async throws -> Output
    ) async rethrows -> Output {
        guard isRecording else { return try await body() }
        return try await recordedSpan(name, category, arguments: arguments, body)
    }

    @usableFromInline
    static func recordedSpan<Output>(
        _ name: String,
        _ category: String,
        arguments: () -> [TraceEvent.Argument],
        _ body: () async throws -> Output
    ) async rethrows -> Output {
        guard let context else { return try await body() }
        let start = context.recorder.now
        defer { record(name, category, since: start, arguments(), in: context) }
        return try await body()
    }

    /// Records work that has ended already, such as a phase that was timed elsewhere.
    ///
    /// - Parameters:
    ///   - name: What the work is called.
    ///   - category: The kind of work.
    ///   - duration: How long it took.
    ///   - end: How long ago it ended; now by default.
    ///   - arguments: Further facts; evaluated only while a recorder is set.
    public static func record(
        _ name: String,
        category: String = "task",
        duration: Duration,
        endedBefore end: Duration = .zero,
        arguments: @autoclosure () -> [TraceEvent.Argument] = []
    ) {
        guard let context else { return }
        let event = TraceEvent(
            name: name,
            category: category,
            start: max(context.recorder.now - end - duration, .zero),
            duration: duration,
            lane: context.lane,
            arguments: arguments(),
            item: context.item
        )
        context.recorder.record(event)
    }

    private static func record(
        _ name: String,
        _ category: String,
        since start: Duration,
        _ arguments: [TraceEvent.Argument],
        in context: Context
    ) {
        let event = TraceEvent(
            name: name,
            category: category,
            start: start,
            duration: context.recorder.now - start,
            lane: context.lane,
            arguments: arguments,
            item: context.item
        )
        context.recorder.record(event)
    }
}

/// A wait that starts now, for work that another caller started.
struct TraceLink: Sendable {
    private let recorder: TraceRecorder
    private var event: TraceEvent

    /// Begins a wait called `name`; `starter` is nil if the work was not recorded.
    init(_ name: String, from waiter: TaskTrace.Context, to starter: TaskTrace.Context?) {
        recorder = waiter.recorder
        let starter = starter?.recorder === recorder ? starter : nil
        event = TraceEvent(
            name: name,
            category: "join",
            start: recorder.now,
            duration: .zero,
            lane: waiter.lane,
            kind: .link(lane: starter?.lane),
            item: waiter.item,
            awaitedItem: starter?.item
        )
        recorder.begin(event)
    }

    /// Records that the wait has ended.
    mutating func end() {
        event.duration = recorder.now - event.start
        recorder.record(event)
    }
}
