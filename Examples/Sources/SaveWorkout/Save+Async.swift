import TaskFlow

/// Saves a workout with the same steps in async code.
func save(_ workout: Workout, as draft: WorkoutDraft) async throws {
    do {
        try await draft.save(workout)
        try await draft.add(workout.samples)
        if !workout.route.isEmpty {
            try await draft.insertRoute(workout.route)
            try await draft.finishRoute()
        }
        try await draft.commit()
    } catch {
        draft.discard()
        throw error
    }
}

/// The async version of the callback API.
///
/// Steps are short, so a cancellation lets the current one end and starts no more.
extension WorkoutDraft {
    func save(_ workout: Workout) async throws {
        try await withCallback { step in save(workout) { step.end($0) } }
    }

    func add(_ samples: [Workout.HeartRateSample]) async throws {
        try await withCallback { step in add(samples) { step.end($0) } }
    }

    func insertRoute(_ points: [Workout.TrackPoint]) async throws {
        try await withCallback { step in insertRoute(points) { step.end($0) } }
    }

    func finishRoute() async throws {
        try await withCallback { step in finishRoute { step.end($0) } }
    }

    func commit() async throws {
        try await withCallback { step in commit { step.end($0) } }
    }
}
