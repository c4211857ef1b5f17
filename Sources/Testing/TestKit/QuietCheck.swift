public import Calotype
import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import TaskFlow

/// Checks that some work has released its descriptors, temporary files, threads and processes.
///
/// It also checks watched objects, such as a pipeline. It compares the process with its state at the start,
/// so nothing else may open and close things meanwhile: run such tests one after another, or in a process of
/// their own. It needs no test framework: leftovers are an error.
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
    /// What to check, and how long to wait for stragglers.
    public struct Options: Sendable {
        /// Whether open descriptors count, unnamed temporary files among them; they do by default.
        public var descriptors = true
        /// Whether child processes count, including ended ones that were not reaped; they do by default.
        public var processes = true
        /// The prefixes of the names of threads that must have ended, such as `codec`.
        ///
        /// None by default, because Swift's own threads come and go.
        public var threads: [String] = []
        /// A folder in which no new file may be left; none by default.
        public var folder: String?
        /// How long to wait for things that are about to end, 2 s by default.
        public var patience = Duration.seconds(2)
        /// The clock that measures ``patience``.
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

    /// Records what the process holds now; all of it may still be there at the end.
    public static func begin(_ options: Options = Options()) async -> QuietCheck {
        if options.descriptors {
            // The first pause on either clock opens descriptors that stay; a pause that is cancelled serves
            // as well. A pause that is over before it begins opens none, as a short one may be on a busy
            // machine.
            let pause = hasPaused.withLock { hasPaused in
                defer { hasPaused = true }
                return Duration.milliseconds(hasPaused ? 1 : 100)
            }
            try? await ContinuousClock().sleep(for: pause)
            try? await SuspendingClock().sleep(for: pause)
        }
        return QuietCheck(options)
    }

    /// Watches another count that must drop to zero, such as the permits of a gate.
    public func watch(_ name: String, count: @escaping @Sendable () -> Int) {
        watch {
            let count = count()
            return count == 0 ? [] : ["\(name): \(count)"]
        }
    }

    /// Watches an object through a closure that lists its leftovers.
    func watch(_ leftovers: @escaping @Sendable () -> [String]) {
        watches.withLock { $0.append(leftovers) }
    }

    /// The current leftovers, without waiting.
    public var leftovers: [String] {
        let watches = watches.withLock { $0 }
        return ProcessHoldings(options).leftovers(since: before) + watches.flatMap { $0() }
    }

    /// Returns as soon as nothing is left.
    ///
    /// Things that are about to end get some time: the caller yields up to 100 times, and then checks once
    /// per millisecond until the options' patience is exhausted. A cancelled task does not wait.
    ///
    /// - Throws: ``TestKitError``.
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
            guard clock.now < deadline, !Task.isCancelled else { throw TestKitError(leftovers: left) }
            // Cancellation ends the wait, and the next round reports what is left.
            try? await clock.sleep(for: .milliseconds(1))
        }
    }
}

/// Runs `body`, and throws if it leaves something behind.
///
/// - Parameters:
///   - options: What to check.
///   - body: The work; it may watch more objects, and check in between.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws; then nothing is checked. ``TestKitError`` with all leftovers.
public func withQuietCheck<Output>(
    _ options: QuietCheck.Options = QuietCheck.Options(),
    _ body: (QuietCheck) async throws -> Output
) async throws -> Output {
    let check = await QuietCheck.begin(options)
    let output = try await body(check)
    try await check.expectQuiet()
    return output
}

extension QuietCheck {
    /// Watches a pipeline: its tasks, flights, registry entries and permits must drop to zero.
    ///
    /// A pipeline that no longer exists holds nothing.
    public func watch(_ pipeline: ImagePipeline, as name: String = "pipeline") {
        watch { [weak pipeline] in pipeline.map { Self.leftovers($0.snapshot, name) } ?? [] }
    }

    /// Watches a transport: its exchanges must end.
    public func watch(_ transport: ScriptedTransport, as name: String = "transport") {
        watch { transport.statistics.open == 0 ? [] : ["\(name): \(transport)"] }
    }

    /// Returns as soon as `pipeline` is quiet, while it is still usable; see ``expectQuiet()``.
    ///
    /// - Throws: ``TestKitError``.
    public static func expectQuiet(_ pipeline: ImagePipeline, patience: Duration = .seconds(2)) async throws {
        var options = Options()
        options.descriptors = false
        options.patience = patience
        let check = await begin(options)
        check.watch(pipeline)
        try await check.expectQuiet()
    }

    /// Lists the counts that differ from those of a quiet pipeline, whatever counts a snapshot has.
    private static func leftovers(_ snapshot: PipelineSnapshot, _ name: String) -> [String] {
        guard !snapshot.isQuiet else { return [] }
        let quiet = Mirror(reflecting: PipelineSnapshot()).children
        let counts = zip(Mirror(reflecting: snapshot).children, quiet).compactMap { child, zero in
            "\(child.value)" == "\(zero.value)" ? nil : "\(child.label ?? "?") \(child.value)"
        }
        return ["\(name): " + counts.joined(separator: ", ")]
    }
}

/// What the process holds at one moment, as far as a quiet check examines it.
struct ProcessHoldings {
    private var descriptors: Set<String> = []
    private var threads: [String] = []
    private var files: Set<String> = []
    private var processes: Set<String> = []

    init(_ options: QuietCheck.Options) {
        if options.descriptors { descriptors = Set(Self.openDescriptors()) }
        if !options.threads.isEmpty { threads = Self.threadNames(options.threads) }
        if options.processes { processes = Set(Self.childProcesses()) }
        if let folder = options.folder { files = Set(FolderNames.all(in: folder).map { "\(folder)/\($0)" }) }
    }

    /// Lists what has been added since `before`.
    func leftovers(since before: ProcessHoldings) -> [String] {
        descriptors.subtracting(before.descriptors).sorted().map { "descriptor \($0)" }
            + files.subtracting(before.files).sorted().map { "file \($0)" }
            + newThreads(before.threads).map { "thread \($0)" }
            + processes.subtracting(before.processes).sorted().map { "process \($0)" }
    }

    /// Several threads may share a name, and one of them may end while another starts.
    private func newThreads(_ before: [String]) -> [String] {
        var before = before
        return threads.filter { name in
            guard let index = before.firstIndex(of: name) else { return true }
            before.remove(at: index)
            return false
        }
    }

    /// The number and target of each descriptor, such as `7 (socket:[1234])`.
    private static func openDescriptors() -> [String] {
        FolderNames.all(in: Platform.descriptorFolder).compactMap { number in
            // A descriptor that can no longer be read has been closed since, like that of the listing itself.
            target(of: "\(Platform.descriptorFolder)/\(number)").map { "\(number) (\($0))" }
        }
    }

    private static func threadNames(_ beginnings: [String]) -> [String] {
        FolderNames.all(in: "/proc/self/task").compactMap { id in
            line(of: "/proc/self/task/\(id)/comm")
        }.filter { name in beginnings.contains { name.hasPrefix($0) } }.sorted()
    }

    /// The number of each child process, including those that have ended and were not reaped.
    private static func childProcesses() -> [String] {
        FolderNames.all(in: "/proc/self/task").flatMap { id in
            (line(of: "/proc/self/task/\(id)/children") ?? "").split(separator: " ").map(String.init)
        }
    }

    private static func target(of link: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &target, target.count)
        guard count >= 0 else { return nil }
        return String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The first line of a short file; `nil` if it no longer exists.
    private static func line(of path: String) -> String? {
        guard let file = try? OpenFile(path, O_RDONLY), let bytes = try? file.read(4096) else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
