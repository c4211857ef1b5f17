/// A task-local value, which a task passes to the tasks that it starts.
enum Album {
    @TaskLocal static var number = 0
}

/// The properties that a task inherits.
enum Surroundings {
    static func text(isCancelled: Bool) -> String {
        "\(name(of: Task.basePriority)) priority, album \(Album.number), is cancelled: \(isCancelled)"
    }

    /// Returns the actor that the caller runs on, as the compiler knows it.
    static func actor(_ isolation: isolated (any Actor)? = #isolation) -> String {
        isolation.map { "\(type(of: $0))" } ?? "no actor"
    }

    private static func name(of priority: TaskPriority?) -> String {
        switch priority {
        case .utility: "utility"
        case .medium: "medium"
        default: "\(priority.map { "\($0.rawValue)" } ?? "no")"
        }
    }
}
