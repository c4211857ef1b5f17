import Dispatch
import TaskFlow

/// The two ways in which the program is written.
enum Way: String, CaseIterable {
    case callbacks, async

    /// Saves the workout in this way, and says what came of it.
    func save(_ workout: Workout, as draft: WorkoutDraft) async throws {
        switch self {
        case .callbacks:
            try await withCallback { callback in
                // Inactive, so that no step begins before it can be cancelled.
                let queue = DispatchQueue(label: "saving", attributes: .initiallyInactive)
                let token = SaveWorkout.save(workout, as: draft, on: queue) { callback.finish(with: $0) }
                callback.onCancel { _ in token.cancel() }
                queue.activate()
            }
        case .async:
            try await SaveWorkout.save(workout, as: draft)
        }
    }
}
