import FoundationEssentials
import TaskFlow

/// One attempt to save a workout, and the contents of the folder afterwards.
struct Trial {
    /// The outcome, for comparing and for printing.
    struct Report: Hashable {
        var outcome: String
        var steps: [WorkoutDraft.Step]
        /// The sizes of the workout's files, by name.
        var files: [String: Int]
        /// Other files in the folder.
        var leftovers: [String]
    }

    var workout: Workout
    /// The step at which to cancel the run, if any.
    var cancelAt: WorkoutDraft.Step?

    func run(_ way: Way, in parent: URL) async throws -> Report {
        let steps = Guarded<[WorkoutDraft.Step]>([])
        let saving = Guarded<Task<Void, any Error>?>(nil)
        let draft = WorkoutDraft(of: workout.name, in: parent) { [cancelAt] step in
            steps.withLock { $0.append(step) }
            if step == cancelAt { saving.withLock { $0 }?.cancel() }
        }
        // Owner: this function, which awaits it below. Created under the lock, so that the first step finds it.
        let task = saving.withLock { saving in
            let task = Task { try await way.save(workout, as: draft) }
            saving = task
            return task
        }
        let outcome =
            switch await task.result {
            case .success: "saved"
            case .failure(is CancellationError): "cancelled"
            case .failure(let error): "not saved: \(error)"
            }
        return Report(
            outcome: outcome,
            steps: steps.withLock { $0 },
            files: try files(in: parent),
            leftovers: try names(in: parent).filter { $0 != workout.name }
        )
    }

    private func files(in parent: URL) throws -> [String: Int] {
        let folder = parent.appending(path: workout.name)
        guard FileManager.default.fileExists(atPath: folder.plainPath) else { return [:] }
        return try names(in: folder).reduce(into: [:]) { files, name in
            files[name] = try Data(contentsOf: folder.appending(path: name)).count
        }
    }

    private func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.plainPath).sorted()
    }
}
