import Dispatch
import FoundationEssentials
import Glibc
import TaskFlow

/// A workout that is being written into a folder, under a hidden name until `commit`.
///
/// The API has callbacks, like older libraries: each step returns immediately, works on the draft's own
/// queue, and calls back with an error or `nil`.
final class WorkoutDraft: Sendable {
    typealias Completion = @Sendable ((any Error)?) -> Void

    enum Step: String, Sendable {
        case save, addSamples = "add samples", insertRoute = "insert route", finishRoute = "finish route",
            commit
    }

    private let target: URL
    private let folder: URL
    private let byteLimit: Int
    private let observe: @Sendable (Step) -> Void
    private let queue = DispatchQueue(label: "draft")
    private let byteCount = Guarded(0)

    /// - Parameters:
    ///   - name: The name of the workout.
    ///   - parent: The folder of the workout.
    ///   - byteLimit: Maximum size.
    ///   - observe: Called at the beginning of each step.
    init(
        of name: String,
        in parent: URL,
        byteLimit: Int = 64 << 10,
        observe: @escaping @Sendable (Step) -> Void
    ) {
        target = parent.appending(path: name)
        folder = parent.appending(path: ".\(name).\(UUID())")
        self.byteLimit = byteLimit
        self.observe = observe
    }

    /// Starts the draft with the workout's summary.
    func save(_ workout: Workout, then completion: @escaping Completion) {
        perform(.save, completion) { [self] in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try append("minutes: \(workout.minutes)\nmetres: \(workout.metres)\n", to: "summary.txt")
        }
    }

    /// Adds the heart rate.
    func add(_ samples: [Workout.HeartRateSample], then completion: @escaping Completion) {
        perform(.addSamples, completion) { [self] in
            let lines = samples.map { "\($0.second),\($0.beatsPerMinute)\n" }
            try append("second,beats per minute\n" + lines.joined(), to: "heart-rate.csv")
        }
    }

    /// Starts the route.
    func insertRoute(_ points: [Workout.TrackPoint], then completion: @escaping Completion) {
        perform(.insertRoute, completion) { [self] in
            let lines = points.map { "[\($0.longitude),\($0.latitude)]" }
            try append(
                "{\"type\":\"LineString\",\"coordinates\":[\(lines.joined(separator: ","))",
                to: "route.geojson"
            )
        }
    }

    /// Completes the route.
    func finishRoute(then completion: @escaping Completion) {
        perform(.finishRoute, completion) { [self] in try append("]}\n", to: "route.geojson") }
    }

    /// Gives the workout its name, so that it appears with all its parts in one step.
    func commit(then completion: @escaping Completion) {
        perform(.commit, completion) { [self] in
            guard unsafe rename(folder.plainPath, target.plainPath) == 0 else {
                throw errno == ENOTEMPTY ? WorkoutError.exists : WorkoutError.notNamed(errno: errno)
            }
        }
    }

    /// Removes the draft; call it when no step is running.
    func discard() {
        // Saving may have failed before the draft existed, or the commit may have renamed it.
        try? FileManager.default.removeItem(at: folder)
    }

    private func perform(
        _ step: Step,
        _ completion: @escaping Completion,
        _ work: @escaping @Sendable () throws -> Void
    ) {
        queue.async { [observe] in
            observe(step)
            do {
                try work()
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }

    private func append(_ text: String, to name: String) throws {
        let total = byteCount.withLock { count in
            count += text.utf8.count
            return count
        }
        guard total <= byteLimit else { throw WorkoutError.tooLarge(bytes: total, limit: byteLimit) }
        let file = folder.appending(path: name)
        let old = FileManager.default.fileExists(atPath: file.plainPath) ? try Data(contentsOf: file) : Data()
        try (old + Data(text.utf8)).write(to: file)
    }
}
