struct NoPaper: Error {}

/// An error that leaves the body cancels the other children; the group waits for them, then throws.
@main
struct GroupThrows {
    static func main() async {
        do {
            try await withThrowingTaskGroup { group in
                group.addTask { await sleepLong("first child") }
                group.addTask { await sleepLong("second child") }
                group.addTask { throw NoPaper() }
                for try await _ in group {}
            }
        } catch {
            print("group threw \(error)")
        }
    }

    static func sleepLong(_ name: String) async {
        do {
            try await Task.sleep(for: .seconds(60))
        } catch {
            print("a child was cancelled")
        }
    }
}
