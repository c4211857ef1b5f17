import CalotypeTestKit

/// Makes operations end one after another; the second one fails.
struct Turns: Sendable {
    private let gates = [Event(), Event(), Event()]

    /// Waits for its turn, then returns its number.
    func work(_ number: Int) async throws -> Int {
        try await gates[number - 1].wait()
        if number == 2 { throw Mishap() }
        return number
    }

    /// Does the same work, and returns a failure as a value.
    func outcome(of number: Int) async -> Result<Int, any Error> {
        do {
            return .success(try await work(number))
        } catch {
            return .failure(error)
        }
    }

    /// Lets an operation end.
    func give(to number: Int) {
        if gates.indices.contains(number - 1) { gates[number - 1].signal() }
    }
}
