import ExampleKit

/// The guarantees of the kinds of tasks: prints each claim next to the observation.
@main
struct TaskKinds {
    static func main() async {
        await Example.run {
            for topic in Topic.all {
                print(topic.title)
                for claim in topic.claims {
                    let observed = try await claim.observe()
                    let isTrue = observed == claim.expected
                    print("  \(isTrue ? "true " : "FALSE") \(claim.text)\n        observed: \(observed)")
                    try Example.expect(isTrue, "expected: \(claim.expected)")
                }
            }
            print("\(Topic.all.map(\.claims.count).reduce(0, +)) claims observed")
        }
    }
}
