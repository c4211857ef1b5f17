/// The reason why a workout was not saved.
enum WorkoutError: Error, CustomStringConvertible {
    case tooLarge(bytes: Int, limit: Int)
    case exists
    case notNamed(errno: Int32)

    var description: String {
        switch self {
        case .tooLarge(let bytes, let limit): "it would take \(bytes) bytes or more, and \(limit) are allowed"
        case .exists: "a workout with this name already exists"
        case .notNamed(let errno): "it could not be given its name (error \(errno))"
        }
    }
}
