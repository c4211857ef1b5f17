internal import TaskFlow

/// Numbers worked on by a few tasks at a time.
package enum Lanes {
    package static let count = 4

    /// Runs `body` on each of `numbers`, ``count`` at a time, and returns when all are done.
    package static func run(
        _ numbers: ClosedRange<Int>,
        _ body: @escaping @Sendable (Int) async -> Void
    ) async {
        let next = Guarded(numbers.lowerBound)
        await withDiscardingTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    while let number = take(next, numbers.upperBound) { await body(number) }
                }
            }
        }
    }

    private static func take(_ next: Guarded<Int>, _ last: Int) -> Int? {
        next.withLock { next in
            guard next <= last else { return nil }
            next += 1
            return next - 1
        }
    }
}
