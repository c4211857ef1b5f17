/// A claim about tasks, and a small program that tests it.
struct Claim: Sendable {
    let text: String
    /// The observation if the claim is true.
    let expected: String
    let observe: @Sendable () async throws -> String

    init(_ text: String, shows expected: String, observe: @escaping @Sendable () async throws -> String) {
        self.text = text
        self.expected = expected
        self.observe = observe
    }
}

/// Claims about one kind of task.
struct Topic: Sendable {
    let title: String
    let claims: [Claim]

    static let all = [
        Topic(title: "Task groups", claims: Claim.groups),
        Topic(title: "async let", claims: Claim.asyncLets),
        Topic(title: "Unstructured and detached tasks", claims: Claim.unstructuredTasks),
        Topic(title: "Iteration", claims: Claim.iteration),
        Topic(title: "Actors", claims: Claim.actors),
    ]
}
