import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct AdmissionGateTests {
    private func expectEmpty(_ gate: AdmissionGate, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(gate.snapshot.used == 0, sourceLocation: sourceLocation)
        #expect(gate.snapshot.waiting == 0, sourceLocation: sourceLocation)
    }

    @Test(arguments: [1, 2]) func `the limit is never exceeded`(limit: Int) async throws {
        let gate = AdmissionGate(capacity: limit)
        let inside = Guarded((now: 0, most: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await gate.withPermit {
                        inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        // The first ones stay until as many are inside as may be.
                        try await waitUntil { inside.withLock { $0.most } >= limit }
                        inside.withLock { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(inside.withLock { $0.most } == limit)
        expectEmpty(gate)
    }

    @Test func `waiters pass by priority and then by age`() async throws {
        let gate = AdmissionGate(capacity: 1)
        let passed = Recorder<Int>()
        let holder = try await gate.acquire()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, priority) in [WorkPriority.low, .normal, .high, .normal].enumerated() {
                group.addTask {
                    let permit = try await gate.acquire(priority: priority)
                    passed.record(index)
                    permit.release()
                }
                try await waitUntil { gate.snapshot.waiting == index + 1 }
            }
            holder.release()
            try await group.waitForAll()
        }
        #expect(passed.values == [2, 1, 3, 0])
        expectEmpty(gate)
    }

    @Test func `a cancelled waiter leaves immediately and never runs`() async throws {
        let gate = AdmissionGate(capacity: 1)
        let holder = try await gate.acquire()
        let waiter = Task { try await gate.withPermit { Issue.record("a cancelled waiter ran") } }
        try await waitUntil { gate.snapshot.waiting == 1 }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(gate.snapshot.used == 1)
        #expect(gate.snapshot.waiting == 0)
        holder.release()
        expectEmpty(gate)
    }

    @Test func `a task that is cancelled before it asks takes nothing from an open gate`() async throws {
        let gate = AdmissionGate(capacity: 1)
        let begun = Event()
        let task = Task {
            try? await begun.wait()
            return try await gate.acquire()
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        expectEmpty(gate)
    }

    @Test func `throwing work frees its slot`() async throws {
        let gate = AdmissionGate(capacity: 1)
        await #expect(throws: Failure.self) { try await gate.withPermit { throw Failure() } }
        expectEmpty(gate)
    }

    @Test func `a dropped permit returns, and a second release changes nothing`() async throws {
        let gate = AdmissionGate(capacity: 2)
        do {
            let dropped = try await gate.acquire(weight: 2)
            #expect(gate.snapshot.used == dropped.weight)
        }
        expectEmpty(gate)
        let first = try await gate.acquire()
        let second = try await gate.acquire()
        first.release()
        first.release()
        #expect(gate.snapshot.used == 1)
        second.release()
        expectEmpty(gate)
    }

    @Test func `a permit that shrinks lets the next in, and grows only into free room`() async throws {
        let gate = AdmissionGate(capacity: 10)
        let permit = try await gate.acquire(weight: 10)
        async let other = gate.acquire(weight: 6)
        try await waitUntil { gate.snapshot.waiting == 1 }
        permit.shrink(to: 4)
        let second = try await other
        #expect(!permit.tryGrow(to: 5))
        second.shrink(to: 5)
        #expect(permit.tryGrow(to: 5))
        #expect(gate.snapshot.used == 10)
        permit.release()
        #expect(!permit.tryGrow(to: 1))
        second.release()
        expectEmpty(gate)
    }

    @Test func `an item heavier than the gate waits for it to be empty and then has it alone`() async throws {
        let gate = AdmissionGate(capacity: 4)
        let small = try await gate.acquire()
        async let heavy = gate.acquire(weight: 100)
        try await waitUntil { gate.snapshot.waiting == 1 }
        small.release()
        let permit = try await heavy
        #expect(gate.snapshot.used == 100)
        #expect(gate.tryAcquire() == nil)
        permit.release()
        expectEmpty(gate)
    }

    @Test func `a waiter rises and falls with its live priority`() async throws {
        let gate = AdmissionGate(capacity: 1)
        let holder = try await gate.acquire()
        let passed = Recorder<String>()
        let live = LivePriority(.low)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let permit = try await gate.acquire(priority: .normal)
                passed.record("fixed")
                permit.release()
            }
            try await waitUntil { gate.snapshot.waiting == 1 }
            group.addTask {
                let permit = try await gate.acquire(priority: live)
                passed.record("live")
                permit.release()
            }
            try await waitUntil { gate.snapshot.waiting == 2 }
            for priority in [WorkPriority.high, .veryLow, .veryHigh, .low, .high] { live.set(priority) }
            holder.release()
            try await group.waitForAll()
        }
        #expect(passed.values == ["live", "fixed"])
        expectEmpty(gate)
    }

    @Test func `of equal priority the earliest deadline passes first, also one set while waiting`()
        async throws
    {
        let gate = AdmissionGate(capacity: 1)
        let holder = try await gate.acquire()
        let passed = Recorder<Int>()
        let now = ContinuousClock.now
        let lives = [nil, now + .seconds(20), now + .seconds(30)].map { LivePriority(deadline: $0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, live) in lives.enumerated() {
                group.addTask { try await gate.withPermit(priority: live) { passed.record(index) } }
                try await waitUntil { gate.snapshot.waiting == index + 1 }
            }
            lives[2].set(deadline: now + .seconds(10))
            holder.release()
            try await group.waitForAll()
        }
        #expect(passed.values == [2, 1, 0])
        expectEmpty(gate)
    }

    @Test func `a flood of prefetches leaves room for interactive work, and gives way to more of it`()
        async throws
    {
        let gate = AdmissionGate(capacity: 4, keptBack: 1)
        let passed = Recorder<WorkPriority>()
        let mayEnd = Event()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await gate.withPermit(priority: .low) {
                        passed.record(.low)
                        try await mayEnd.wait()
                    }
                }
            }
            try await waitUntil { gate.snapshot.used == 3 && gate.snapshot.waiting == 47 }
            #expect(gate.tryAcquire(priority: .low) == nil)
            let first = try #require(gate.tryAcquire(priority: .normal))
            group.addTask { try await gate.withPermit(priority: .normal) { passed.record(.normal) } }
            try await waitUntil { gate.snapshot.waiting == 48 }
            first.release()
            try await waitUntil { passed.count == 4 }
            #expect(passed.values == [.low, .low, .low, .normal])
            try await waitUntil { gate.snapshot.used == 3 }
            mayEnd.signal()
            try await group.waitForAll()
        }
        #expect(passed.count == 51)
        expectEmpty(gate)
    }

    @Test func `a raised waiter immediately takes what was held back from it`() async throws {
        let gate = AdmissionGate(capacity: 2, keptBack: 1)
        let holder = try await gate.acquire(priority: .low)
        let live = LivePriority(.low)
        async let raised = gate.acquire(priority: live)
        try await waitUntil { gate.snapshot.waiting == 1 }
        live.set(.normal)
        #expect(gate.snapshot.used == 2)
        #expect(gate.snapshot.waiting == 0)
        let permit = try await raised
        holder.release()
        permit.release()
        expectEmpty(gate)
    }

    @Test func `raising the capacity drains immediately`() async throws {
        let gate = AdmissionGate(capacity: 1)
        let holder = try await gate.acquire()
        async let second = gate.acquire()
        try await waitUntil { gate.snapshot.waiting == 1 }
        gate.resize(to: 2)
        let permit = try await second
        #expect(gate.snapshot.used == 2)
        holder.release()
        permit.release()
        expectEmpty(gate)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `no interleaving of grants, cancels and changes of priority loses a permit`(seed: UInt64) async {
        let gate = AdmissionGate(capacity: 5)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<400 as Range<UInt64> {
                group.addTask { await Self.visit(gate, seed: seed &* 1_000 &+ index) }
            }
        }
        expectEmpty(gate)
    }

    private static func visit(_ gate: AdmissionGate, seed: UInt64) async {
        var random = ScheduleRandom(seed: seed)
        let weight = Int.random(in: 0...7, using: &random)
        let pauses = Int.random(in: 0...4, using: &random)
        let live = LivePriority(WorkPriority.allCases.randomElement(using: &random) ?? .normal)
        let visitor = Task {
            let permit = try await gate.acquire(weight: weight, priority: live)
            for _ in 0..<pauses { await Task.yield() }
            permit.shrink(to: weight / 2)
            _ = permit.tryGrow(to: weight)
            if pauses.isMultiple(of: 2) { permit.release() }
        }
        for _ in 0..<Int.random(in: 0...6, using: &random) { await Task.yield() }
        live.set(WorkPriority.allCases.randomElement(using: &random) ?? .normal)
        if Bool.random(using: &random) { visitor.cancel() }
        _ = await visitor.result
    }
}
