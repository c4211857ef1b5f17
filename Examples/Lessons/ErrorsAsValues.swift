struct Broken: Error {}

// A group that throws stops at the first failure. Failures as values keep the rest.
@main
struct ErrorsAsValues {
    static func main() async {
        let loaded = try? await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...5 { group.addTask { try await load(number) } }
            var count = 0
            for try await _ in group { count += 1 }
            return count
        }
        print("all or nothing:", loaded.map { "\($0) loaded" } ?? "nothing")

        let outcomes = await withTaskGroup(of: Result<Int, any Error>.self) { group in
            for number in 1...5 {
                group.addTask {
                    do { return .success(try await load(number)) } catch { return .failure(error) }
                }
            }
            var outcomes: [Result<Int, any Error>] = []
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        let good = outcomes.count { (try? $0.get()) != nil }
        print("failures as values: \(good) loaded, \(outcomes.count - good) failed")
    }

    static func load(_ number: Int) async throws -> Int {
        if number == 3 { throw Broken() }
        return number
    }
}
