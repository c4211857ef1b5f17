import TaskFlow

/// Tells whether all that a piece of work held was given back: descriptors, temporary files, threads, processes, and what is
/// watched, such as a pipeline.
///
/// It compares the process with what it was at the start, so nothing else may open and close things meanwhile: run such
/// tests one after another, or in a process of their own. It needs no test framework: what is left is an error.
///
/// ```swift
/// try await withQuietCheck { quiet in
///     try await withImagePipeline(configuration) { pipeline in
///         quiet.watch(pipeline)
///         try await serveOnePage(pipeline)
///     }
/// }
/// ```
public final class QuietCheck: Sendable {
    /// What is looked at, and how long stragglers are waited for.
    public struct Options: Sendable {
        /// Whether open descriptors count, unnamed temporary files among them; they do by default.
        public var descriptors = true
        /// Whether child processes count, those that have ended and were not waited for among them; they do by default.
        public var processes = true
        /// What the names of threads begin with that must have ended, such as `codec`; none by default, because Swift's
        /// own threads come and go.
        public var threads: [String] = []
        /// A folder in which no new file may be left; none by default.
        public var folder: String?
        /// How long to wait for what is about to end, 2 s by default.
        public var patience = Duration.seconds(2)
        /// What measures ``patience``.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// Creates the default options.
        public init() {}
    }

    private static let hasPaused = Guarded(false)

    private typealias Watch = @Sendable () -> [String]

    private let options: Options
    private let before: ProcessHoldings
    private let watches = Guarded<[Watch]>([])

    private init(_ options: Options) {
        self.options = options
        before = ProcessHoldings(options)
    }

    /// Takes note of what the process holds now; all of it may still be there at the end.
    public static func begin(_ options: Options = Options()) async -> QuietCheck {
        if options.descriptors {
            // The first pause on either clock opens descriptors that stay; an end by cancellation is as good. A pause
            // that is over before it begins opens none, as a short one may be on a busy machine.
            let pause = hasPaused.withLock { hasPaused in
                defer { hasPaused = true }
                return Duration.milliseconds(hasPaused ? 1 : 100)
            }
            try? await ContinuousClock().sleep(for: pause)
            try? await SuspendingClock().sleep(for: pause)
        }
        return QuietCheck(options)
    }

    /// Counts something else that is to come down to zero, such as the permits of a gate.
    public func watch(_ name: String, count: @escaping @Sendable () -> Int) {
        watch {
            let count = count()
            return count == 0 ? [] : ["\(name): \(count)"]
        }
    }

    /// Adds something that tells what of it is left.
    func watch(_ leftovers: @escaping @Sendable () -> [String]) {
        watches.withLock { $0.append(leftovers) }
    }

    /// What is left over now, without waiting.
    public var leftovers: [String] {
        let watches = watches.withLock { $0 }
        return ProcessHoldings(options).leftovers(since: before) + watches.flatMap { $0() }
    }

    /// Returns as soon as nothing is left.
    ///
    /// What is about to end gets its time: the caller yields up to 100 times, and then looks once a millisecond until
    /// the patience of the options is over. A cancelled task does not wait.
    ///
    /// - Throws: ``NotQuiet``.
    public func expectQuiet() async throws {
        for _ in 0..<100 {
            if leftovers.isEmpty { return }
            await Task.yield()
        }
        try await wait(options.clock)
    }

    private func wait<C: Clock<Duration>>(_ clock: C) async throws {
        let deadline = clock.now.advanced(by: options.patience)
        while true {
            let left = leftovers
            if left.isEmpty { return }
            guard clock.now < deadline, !Task.isCancelled else { throw NotQuiet(leftovers: left) }
            // Cancellation ends the wait, and the next round tells what is left.
            try? await clock.sleep(for: .milliseconds(1))
        }
    }
}

/// Runs `body`, and throws when it leaves something behind.
///
/// - Parameters:
///   - options: What is looked at.
///   - body: The work; it may watch more, and look in between.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws; then nothing is checked. ``NotQuiet`` with all that is left over.
public func withQuietCheck<Output>(
    _ options: QuietCheck.Options = QuietCheck.Options(),
    _ body: (QuietCheck) async throws -> Output
) async throws -> Output {
    let check = await QuietCheck.begin(options)
    let output = try await body(check)
    try await check.expectQuiet()
    return output
}
