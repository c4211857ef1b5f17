import CalotypeTestKit
import TaskFlow

extension Claim {
    static let iteration = [
        Claim(
            "Iteration ends at the first thrown error: later results are never seen.",
            shows: "1, Mishap"
        ) {
            let journal = Journal()
            let turns = Turns()
            turns.give(to: 1)
            do {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 1...3 { group.addTask { try await turns.work(number) } }
                    for try await number in group {
                        journal.record("\(number)")
                        turns.give(to: number + 1)
                    }
                }
            } catch {
                journal.record("\(type(of: error))")
            }
            return journal.text
        },
        Claim(
            "Use failures as values: if children return results instead of throwing, all results are seen.",
            shows: "1, Mishap, 3"
        ) {
            let journal = Journal()
            let turns = Turns()
            turns.give(to: 1)
            await withTaskGroup(of: Result<Int, any Error>.self) { group in
                for number in 1...3 { group.addTask { await turns.outcome(of: number) } }
                for await result in group {
                    journal.record(text(of: result))
                    turns.give(to: journal.count + 1)
                }
            }
            return journal.text
        },
        Claim(
            "concurrentResults of TaskFlow gives such results, as many at a time as you say.",
            shows: "1, Mishap, 3"
        ) {
            let journal = Journal()
            await withConcurrentResults(of: 1...3, limit: 2, order: .input, operation: numberOrMishap) {
                results in
                for await result in results { journal.record(text(of: result.result)) }
            }
            return journal.text
        },
        Claim(
            "Its failFast policy throws the first failure, for callers that want all or nothing.",
            shows: "1, Mishap"
        ) {
            let journal = Journal()
            do {
                try await withConcurrentResults(of: 1...3, limit: 1, operation: numberOrMishap) { results in
                    for try await result in results.failFast { journal.record(text(of: result.result)) }
                }
            } catch {
                journal.record("\(type(of: error))")
            }
            return journal.text
        },
    ]

    private static func numberOrMishap(_ number: Int) async throws -> Int {
        if number == 2 { throw Mishap() }
        return number
    }

    private static func text(of result: Result<Int, any Error>) -> String {
        switch result {
        case .success(let number): "\(number)"
        case .failure(let error): "\(type(of: error))"
        }
    }
}
