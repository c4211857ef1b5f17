import CalotypePlatform
import TaskFlow
import Testing

@testable import TaskFlowTesting

@Suite(.timeLimit(.minutes(1)))
struct ScheduleTests {
    /// The number of the calling thread.
    private static var thread: UInt { UInt(pthread_self()) }

    @Test func `every task runs on the thread of the caller, whatever executor it prefers`() throws {
        let threads = try withDeterministicSchedule(seed: 1) {
            try await withThreadExecutor(name: "disk", threads: 2) { executor in
                async let child = Self.thread
                async let blocking = executor.run { Self.thread }
                let unstructured = Task { Self.thread }
                let detached = Task.detached { Self.thread }
                let main = await MainActor.run { Self.thread }
                return [
                    await child, try await blocking, await unstructured.value, await detached.value, main,
                ]
            }
        }
        #expect(threads == Array(repeating: Self.thread, count: 5))
    }

    @Test func `unstructured tasks have ended when it returns`() throws {
        let ended = Guarded(false)
        try withDeterministicSchedule(seed: 1) {
            _ = Task {
                try await Task.sleep(for: .seconds(3600))
                ended.withLock { $0 = true }
            }
        }
        #expect(ended.withLock { $0 })
    }

    @Test func `time stands still while anything runs, and jumps when nothing can`() throws {
        let times = try withDeterministicSchedule(seed: 7) {
            let clock = ContinuousClock()
            let start = clock.now
            async let first: () = clock.sleep(for: .seconds(3600))
            async let second: () = SuspendingClock().sleep(for: .seconds(60))
            async let third: () = Task.sleep(nanoseconds: 1_000_000_000)
            try await third
            var times = [clock.now - start]
            try await second
            times.append(clock.now - start)
            for _ in 0..<1000 { await Task.yield() }
            times.append(clock.now - start)
            try await first
            return times + [clock.now - start]
        }
        #expect(times == [.seconds(1), .seconds(60), .seconds(60), .seconds(3600)])
    }

    @Test func `a timeout comes before what takes longer, and after what does not`() throws {
        for seed in 0..<50 as Range<UInt64> {
            try withDeterministicSchedule(seed: seed) {
                try await withTimeout(.seconds(10)) { try await Task.sleep(for: .seconds(9)) }
                await #expect(throws: TaskFlowError.deadlineExceeded) {
                    try await withTimeout(.seconds(10)) { try await Task.sleep(for: .seconds(11)) }
                }
            }
        }
    }

    private static func order(_ seed: UInt64, _ policy: SchedulePolicy = .random) throws -> [Int] {
        try withDeterministicSchedule(seed: seed, policy: policy) {
            await withTaskGroup(of: Int.self) { group in
                for index in 0..<4 { group.addTask { index } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
    }

    @Test func `a seed always gives the same order, and seeds together give all`() throws {
        var orders: Set<[Int]> = []
        for seed in 0..<1000 as Range<UInt64> {
            let order = try Self.order(seed)
            #expect(try Self.order(seed) == order)
            orders.insert(order)
        }
        #expect(orders.count == 24)
    }

    @Test func `the oldest first, and recorded decisions`() throws {
        #expect(try Self.order(1, .firstInFirstOut) == [0, 1, 2, 3])
        #expect(try Self.order(1, .recorded([])) == [0, 1, 2, 3])
        #expect(try Self.order(1, .recorded([3, 2, 1])) != [0, 1, 2, 3])
        // What no job has is the oldest's.
        #expect(try Self.order(1, .recorded([99, 99])) == [0, 1, 2, 3])
    }

    @Test func `one thread keeps the order of its jobs, two let the younger of two pass`() throws {
        func orders(threads: Int) throws -> Set<[Int]> {
            var orders: Set<[Int]> = []
            for seed in 0..<200 as Range<UInt64> {
                let order = try withDeterministicSchedule(seed: seed) {
                    try await withThreadExecutor(name: "disk", threads: threads) { executor in
                        let order = Guarded<[Int]>([])
                        let tasks = (0..<3).map { index in
                            Task(executorPreference: executor) { order.withLock { $0.append(index) } }
                        }
                        for task in tasks { await task.value }
                        return order.withLock(\.self)
                    }
                }
                orders.insert(order)
            }
            return orders
        }
        #expect(try orders(threads: 1) == [[0, 1, 2]])
        #expect(try orders(threads: 2) == [[0, 1, 2], [1, 0, 2], [0, 2, 1], [1, 2, 0]])
    }

    @Test func `a schedule on another thread waits for its turn`() async throws {
        let orders = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<8 { group.addTask { try Self.order(5) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(orders.count == 1)
    }

    @Test func `tasks outside run on while a schedule runs`() async throws {
        let outside = Task.detached {
            for _ in 0..<100 { await Task.yield() }
            return Self.thread
        }
        for seed in 0..<50 as Range<UInt64> { _ = try Self.order(seed) }
        _ = await outside.value
    }
}
