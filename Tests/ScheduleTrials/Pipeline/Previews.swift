import Calotype
import CalotypeCore
import CalotypeTestKit
import TaskFlow
import TaskFlowTesting

/// Random programs of image tasks for a progressive picture, read while it comes, cancelled and let go.
enum Previews {
    enum Operation: Sendable, CustomStringConvertible {
        case task(Int, side: Int, previews: Bool)
        case load(side: Int)
        case cancel(Int)
        /// Lets go of the last reference from here; readers may hold others.
        case drop(Int)
        case progress(Int)
        case previews(Int)
        case wait(milliseconds: Int)

        var description: String {
            switch self {
            case .task(let id, let side, let previews):
                "task \(id) at \(side)\(previews ? ", with previews" : "")"
            case .load(let side): "load at \(side)"
            case .cancel(let id): "cancel task \(id)"
            case .drop(let id): "let go of task \(id)"
            case .progress(let id): "read the progress of task \(id)"
            case .previews(let id): "read the previews of task \(id)"
            case .wait(let milliseconds): "wait \(milliseconds) ms"
            }
        }

        var side: Int? {
            switch self {
            case .task(_, let side, _), .load(let side): side
            default: nil
            }
        }
    }

    private static let url = "http://origin.test/progressive"

    static func program(_ random: inout ScheduleRandom) -> [Operation] {
        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
        var tasks = 0
        return (0..<number(1..<6)).map { _ in
            switch tasks == 0 ? 0 : number(0..<12) {
            case 0..<3:
                tasks += 1
                return .task(tasks, side: 100 * number(1..<3), previews: number(0..<4) > 0)
            case 3: return .load(side: 100 * number(1..<3))
            case 4, 5: return .cancel(number(1..<tasks + 1))
            case 6: return .drop(number(1..<tasks + 1))
            case 7: return .progress(number(1..<tasks + 1))
            case 8, 9: return .previews(number(1..<tasks + 1))
            default: return .wait(milliseconds: number(1..<60))
            }
        }
    }

    static func request(_ side: Int, at url: String = url) -> ImageRequest {
        ImageRequest(url, .fit(side, side))
    }

    static func run(_ operations: [Operation]) async throws {
        let answer = ScriptedResponse.bytes(TrialPictures.progressive)
            .inPieces(of: ByteCount(1500), every: .milliseconds(5))
        let transport = ScriptedTransport(otherwise: answer)
        try transport.answer(url + "-reference", with: .bytes(TrialPictures.progressive))
        let configuration = TrialPipeline.configuration(transport)
        try await TrialPipeline.run(configuration, transport, slowness: 1) { pipeline in
            let run = PreviewsRun(pipeline)
            for operation in operations {
                try await run.perform(operation)
                await Task.yield()
            }
            try await run.finish()
            // What is stored by now is the finished picture.
            let finished = try await pipeline.bitmap(for: request(100, at: url + "-reference"))
            for side in Set(operations.compactMap(\.side)).sorted() {
                guard try await pipeline.bitmap(for: request(side)) == finished else {
                    throw ScheduleError("a preview is stored as the picture at \(side)")
                }
            }
            try run.check(finished)
        }
    }
}

/// One run of such a program.
final class PreviewsRun: Sendable {
    private struct State {
        var tasks: [Int: ImageTask<Bitmap>] = [:]
        var readers: [Task<Void, Never>] = []
        var pictures: [Bitmap] = []
        var cancelled: Set<Int> = []
        var violation: String?
    }

    private let pipeline: ImagePipeline
    private let state = Guarded(State())

    init(_ pipeline: ImagePipeline) {
        self.pipeline = pipeline
    }

    func perform(_ operation: Previews.Operation) async throws {
        switch operation {
        case .task(let id, let side, let previews):
            let task = pipeline.bitmapTask(for: Previews.request(side), previews: previews)
            state.withLock { $0.tasks[id] = task }
        case .load(let side):
            read("load at \(side)") { [pipeline] in
                self.take(try await pipeline.bitmap(for: Previews.request(side)))
            }
        case .cancel(let id):
            guard let task = state.withLock({ $0.tasks[id] }) else { return }
            task.cancel()
            try await checkEnd(id, task)
        case .drop(let id):
            // Let go outside the lock: that cancels.
            let task = state.withLock { $0.tasks.removeValue(forKey: id) }
            withExtendedLifetime(task) {}
        case .progress(let id):
            guard let progress = state.withLock({ $0.tasks[id] })?.progress else { return }
            read("progress of task \(id)") {
                var last = -1
                for await state in progress {
                    if state.received.bytes <= last { self.note("the progress of task \(id) steps back") }
                    last = state.received.bytes
                }
            }
        case .previews(let id):
            guard let previews = state.withLock({ $0.tasks[id] })?.previews else { return }
            read("previews of task \(id)") {
                var last: Bitmap?
                for await preview in previews {
                    if preview == last { self.note("task \(id) shows one preview twice") }
                    sometimes("a preview is shown")
                    last = preview
                }
            }
        case .wait(let milliseconds): try await Task.sleep(for: .milliseconds(milliseconds))
        }
    }

    func finish() async throws {
        let tasks = state.withLock { $0.tasks.sorted { $0.key < $1.key } }
        for (id, task) in tasks { try await checkEnd(id, task) }
        for reader in state.withLock(\.readers) { await reader.value }
    }

    func check(_ finished: Bitmap) throws {
        try state.withLock { state in
            if let violation = state.violation { throw ScheduleError(violation) }
            guard state.pictures.allSatisfy({ $0 == finished }) else {
                throw ScheduleError("a load ended with a preview")
            }
        }
    }

    /// Waits for the end of a task, and sees that it stays what it was.
    private func checkEnd(_ id: Int, _ task: ImageTask<Bitmap>) async throws {
        let first = await outcome(task)
        let isCancelled = task.isCancelled
        if isCancelled != (first == nil) { note("task \(id) is not what its value says") }
        task.cancel()
        await Task.yield()
        if task.isCancelled != isCancelled { note("task \(id) was cancelled after its end") }
        if await outcome(task) != first { note("task \(id) ended twice") }
        if let first { take(first) }
    }

    /// Nil when it was cancelled.
    private func outcome(_ task: ImageTask<Bitmap>) async -> Bitmap? {
        do { return try await task.value } catch {
            if !(error is CancellationError) { note("a task failed: \(error)") }
            return nil
        }
    }

    private func read(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
        let reader = Task(name: name) {
            do { try await body() } catch { self.note("\(name) failed: \(error)") }
        }
        state.withLock { $0.readers.append(reader) }
    }

    private func take(_ picture: Bitmap) {
        state.withLock { $0.pictures.append(picture) }
    }

    private func note(_ text: String) {
        state.withLock { $0.violation = $0.violation ?? text }
    }
}
