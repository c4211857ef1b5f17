import Dispatch
import TaskFlow

/// A run, a swim, a ride.
struct Workout: Hashable, Sendable {
    var name: String
}

/// An API with callbacks, as older libraries have them.
final class WorkoutStore: Sendable {
    struct Request: Sendable {
        func cancel() {}
    }

    private let workouts = Guarded<[Workout]>([])

    @discardableResult
    func save(_ workout: Workout, then completion: @escaping @Sendable ((any Error)?) -> Void) -> Request {
        workouts.withLock { $0.append(workout) }
        DispatchQueue.global().async { completion(nil) }
        return Request()
    }

    func loadAll(then completion: @escaping @Sendable (Result<[Workout], any Error>) -> Void) -> Request {
        let all = workouts.withLock { $0 }
        DispatchQueue.global().async { completion(.success(all)) }
        return Request()
    }
}
