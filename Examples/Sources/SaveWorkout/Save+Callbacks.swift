import Dispatch
import TaskFlow

/// Saves a workout for code with callbacks: a sequence of steps that ends at the first error.
///
/// - Returns: A token that cancels the remaining steps.
@discardableResult
func save(
    _ workout: Workout,
    as draft: WorkoutDraft,
    on queue: DispatchQueue = .global(),
    then completion: @escaping @Sendable (Result<Void, any Error>) -> Void
) -> JobToken {
    var steps = [
        Job { controller in draft.save(workout) { controller.end($0) } },
        Job { controller in draft.add(workout.samples) { controller.end($0) } },
    ]
    if !workout.route.isEmpty {
        steps += [
            Job { controller in draft.insertRoute(workout.route) { controller.end($0) } },
            Job { controller in draft.finishRoute { controller.end($0) } },
        ]
    }
    steps.append(Job { controller in draft.commit { controller.end($0) } })
    return Job.sequence(steps).perform(on: queue) { outcome in
        if case .failure = outcome { draft.discard() }
        completion(outcome)
    }
}

extension JobController<Void> {
    /// Ends a step with its callback's result.
    func end(_ error: (any Error)?) {
        if let error { fail(with: error) } else { finish() }
    }
}
