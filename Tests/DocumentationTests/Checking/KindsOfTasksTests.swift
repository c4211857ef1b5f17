import Foundation
import Testing

/// The article about kinds of tasks and the example that proves its claims say the same.
@Suite struct KindsOfTasksTests {
    private let repository = Repository()

    @Test func `the article has each claim of the example next to what was observed`() throws {
        let page = try repository.text(of: "Sources/Foundations/TaskFlow/TaskFlow.docc/KindsOfTasks.md")
            .replacing("`", with: "")
        let claims = try claims()
        #expect(!claims.isEmpty)
        for (text, observed) in claims {
            #expect(page.contains("| \(text) | \(observed) |"))
        }
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| Claim |") }
        #expect(rows.count == claims.count)
    }

    private func claims() throws -> [(text: String, observed: String)] {
        let call = /Claim\(\s*((?:"[^"]*"[\s+]*)+),\s*shows: "([^"]*)"/
        return try repository.files(below: "Examples/Sources/TaskKinds") { $0.contains("/Claim+") }
            .flatMap { try repository.text(of: $0).matches(of: call) }
            .map { match in
                let parts = match.1.matches(of: /"([^"]*)"/).map(\.1)
                return (text: parts.joined(), observed: String(match.2))
            }
    }
}
