import TaskFlow

/// The two ways in which the program is written.
enum Way: String, CaseIterable {
    case callbacks, async

    /// Saves the workout in this way, and says what came of it.
    func save(_ workout: Workout, as draft: WorkoutDraft) async throws {
        switch self {
        case .callbacks:
            try await withCallback { callback in
                let token = SaveWorkout.save(workout, as: draft) { callback.finish(with: $0) }
                callback.onCancel { _ in token.cancel() }
            }
        case .async:
            try await SaveWorkout.save(workout, as: draft)
        }
    }
}
