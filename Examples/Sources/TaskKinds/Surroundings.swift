/// A task-local value: set for a task, seen by what it starts.
enum Album {
    @TaskLocal static var number = 0
}

/// What a task has from the one that started it.
enum Surroundings {
    static func text(isCancelled: Bool) -> String {
        "\(name(of: Task.basePriority)) priority, album \(Album.number), is cancelled: \(isCancelled)"
    }

    /// The actor that the caller runs on, as the compiler knows it.
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
