import CalotypeTestKit

extension Claim {
    static let unstructuredTasks = [
        Claim(
            "An unstructured task has the priority and the task-local values of the task that started it, "
                + "but not its cancellation.",
            shows: "utility priority, album 7, is cancelled: false"
        ) {
            try await started { parentCancelled in
                Task {
                    try await parentCancelled.wait()
                    return Surroundings.text(isCancelled: Task.isCancelled)
                }
            }
        },
        Claim(
            "A detached task inherits none of this.",
            shows: "medium priority, album 0, is cancelled: false"
        ) {
            try await started { parentCancelled in
                Task.detached {
                    try await parentCancelled.wait()
                    return Surroundings.text(isCancelled: Task.isCancelled)
                }
            }
        },
        Claim(
            "An unstructured task runs on the global actor that it was started on, a detached one on none.",
            shows: "unstructured: MainActor, detached: no actor"
        ) { await startedOnMainActor() },
        Claim(
            "An unstructured task that an actor starts runs on that actor if it uses the actor, and otherwise on none.",
            shows: "uses it: PipelineFixture, does not: no actor"
        ) {
            let studio = PipelineFixture()
            return await "uses it: \(studio.startWithSelf().value), does not: \(studio.start().value)"
        },
        Claim(
            "Nobody awaits an unstructured task for you: the function that started it returns first.",
            shows: "function returned, task ended"
        ) {
            let journal = Journal()
            let returned = Event()
            func start() -> Task<Void, any Error> {
                Task {
                    try await returned.wait()
                    journal.record("task ended")
                }
            }
            let task = start()
            journal.record("function returned")
            returned.signal()
            try await task.value
            return journal.text
        },
        Claim(
            "Dropping its handle does not cancel it.",
            shows: "is cancelled: false"
        ) {
            let journal = Journal()
            let isDropped = Event()
            _ = Task {
                try await isDropped.wait()
                journal.record("is cancelled: \(Task.isCancelled)")
            }
            isDropped.signal()
            try await journal.wait(count: 1)
            return journal.text
        },
        Claim(
            "Cancelling it sets a flag that it must check itself; it can end later, and still return a value.",
            shows: "is cancelled: true, picture"
        ) {
            let task = Task {
                // A wait that ends at a cancellation; a computing loop would continue.
                try? await Event().wait()
                return "is cancelled: \(Task.isCancelled), picture"
            }
            task.cancel()
            return await task.value
        },
    ]

    /// Returns what a task sees that was started by a task of utility priority for album 7, and then
    /// cancelled.
    private static func started(
        by start: @escaping @Sendable (Event) -> Task<String, any Error>
    ) async throws -> String {
        let parentCancelled = Event()
        let parent = Task(priority: .utility) {
            Album.$number.withValue(7) { start(parentCancelled) }
        }
        let child = await parent.value
        parent.cancel()
        parentCancelled.signal()
        return try await child.value
    }

    @MainActor
    private static func startedOnMainActor() async -> String {
        let unstructured = Task { Surroundings.actor() }
        let detached = Task.detached { Surroundings.actor() }
        return await "unstructured: \(unstructured.value), detached: \(detached.value)"
    }
}

private actor PipelineFixture {
    private var pictures = 0

    func startWithSelf() -> Task<String, Never> {
        Task {
            pictures += 1
            return Surroundings.actor()
        }
    }

    func start() -> Task<String, Never> {
        Task { Surroundings.actor() }
    }
}
