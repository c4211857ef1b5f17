import TaskFlow
import TaskFlowTesting

extension ScheduleScenario {
    static let latestValues = ScheduleScenario(
        "a changing value shows each reader the newest, in order, up to the end",
        reaches: [
            "a reader waited", "a reader fell behind", "a reader joined after the end",
            "cancelled while it waits",
            "ended while it waits", "the last value was read after the end",
        ],
        program: LatestValueOperation.program
    ) { operations in
        try await LatestValueTrial(operations).run(operations)
    }
}

/// What a random program does with a changing value.
enum LatestValueOperation: Sendable, CustomStringConvertible {
    /// The first of each program: how many values are kept, and whether there is one at the beginning.
    case begin(keeping: Int, hasValue: Bool)
    /// Reads up to `count` values, with a pause of `rest` after each.
    case read(id: Int, count: Int, rest: Int, pause: Int)
    case send(count: Int, pause: Int)
    /// Changes the value, for the last time if it `ends`.
    case update(ends: Bool, pause: Int)
    case cancel(id: Int, pause: Int)
    case finish(pause: Int)

    var description: String {
        switch self {
        case .begin(let count, let hasValue): "keep \(count)\(hasValue ? ", beginning with a value" : "")"
        case .read(let id, let count, _, _): "reader \(id) reads up to \(count)"
        case .send(let count, _): "send \(count) values"
        case .update(let ends, _): "change the value\(ends ? " for the last time" : "")"
        case .cancel(let id, _): "cancel reader \(id)"
        case .finish: "finish"
        }
    }

    static func program(_ random: inout ScheduleRandom) -> [LatestValueOperation] {
        let count = random.number(1...3)
        var operations = [
            begin(keeping: random.oneIn(2) ? 1 : random.number(2...3), hasValue: random.oneIn(2))
        ]
        operations += (0..<count).map { id in
            .read(
                id: id,
                count: random.number(1...6),
                rest: random.number(0...3),
                pause: random.number(0...6)
            )
        }
        for _ in 0..<random.number(1...3) {
            operations.append(
                random.oneIn(3)
                    ? .update(ends: random.oneIn(4), pause: random.number(0...6))
                    : .send(count: random.number(1...5), pause: random.number(0...6))
            )
        }
        if random.oneIn(3) {
            operations.append(.cancel(id: random.number(0...count - 1), pause: random.number(0...8)))
        }
        if random.oneIn(2) { operations.append(.finish(pause: random.number(0...8))) }
        return operations
    }
}

private final class LatestValueTrial: Sendable {
    /// What has become of the value: its values are the numbers from 1 on.
    private struct State {
        var newest: Int
        var hasEnded = false
    }

    /// What a reader knows of the values that it has still to get.
    private struct Place {
        /// The number of the value before the next, unless it falls behind.
        var last: Int
        let id: Int
    }

    private let value: LatestValue<Int>
    private let capacity: Int
    private let state: Guarded<State>
    private let findings = Findings()

    init(_ operations: [LatestValueOperation]) {
        var (capacity, hasValue) = (1, false)
        for case .begin(let count, let isThere) in operations { (capacity, hasValue) = (count, isThere) }
        self.capacity = capacity
        value = LatestValue(hasValue ? 1 : nil, keeping: capacity)
        state = Guarded(State(newest: hasValue ? 1 : 0))
    }

    func run(_ operations: [LatestValueOperation]) async throws {
        var readers: [Int: Findings.Party] = [:]
        for case .read(let id, let count, let rest, let delay) in operations {
            readers[id] = findings.start("reader \(id)") { await self.read(id, count, rest, delay) }
        }
        let others = operations.filter { if case .read = $0 { false } else { true } }.map { operation in
            findings.start(operation.description) { [readers] in await self.act(operation, readers) }
        }
        try await findings.wait(for: others)
        // Without it, some would wait for ever by right.
        finish()
        try await findings.wait(for: readers.sorted { $0.key < $1.key }.map(\.value))
        findings.expect(value.readerCount == 0, "\(value.readerCount) readers have not left")
        try findings.check()
    }

    private func act(_ operation: LatestValueOperation, _ readers: [Int: Findings.Party]) async {
        switch operation {
        case .begin, .read: return
        case .send(let count, let delay):
            await pause(delay)
            for _ in 0..<count {
                send()
                await pause(1)
            }
        case .update(let ends, let delay):
            await pause(delay)
            update(ends: ends)
        case .cancel(let id, let delay):
            await pause(delay)
            scheduleNote("cancel reader \(id)")
            readers[id]?.cancel()
        case .finish(let delay):
            await pause(delay)
            finish()
        }
    }

    /// Nothing is awaited between the change of the state and that of the value.
    private func send() {
        let number = state.withLock { state -> Int? in
            guard !state.hasEnded else { return nil }
            state.newest += 1
            return state.newest
        }
        scheduleNote(number.map { "send \($0)" } ?? "send after the end")
        // One that does not follow the current value changes nothing, nor does any after the end.
        if let number, number > 1 { value.send(-1) { _ in false } }
        value.send(number ?? -1)
    }

    private func update(ends: Bool) {
        let number = state.withLock { state -> Int? in
            guard !state.hasEnded, state.newest > 0 else { return nil }
            state.newest += 1
            state.hasEnded = ends
            return state.newest
        }
        scheduleNote(number.map { "change to \($0)" } ?? "change nothing")
        let isLast = value.update { current in
            current += 1
            return ends
        }
        findings.expect(isLast == (number != nil && ends), "the last change was not said to be the last")
        findings.expect(value.current == state.withLock(\.newest) || number == nil, "the change was lost")
    }

    private func finish() {
        scheduleNote("finish")
        state.withLock { $0.hasEnded = true }
        value.finish()
    }

    private func read(_ id: Int, _ count: Int, _ rest: Int, _ delay: Int) async {
        await pause(delay)
        let (newest, hasEnded) = state.withLock { ($0.newest, $0.hasEnded) }
        if hasEnded { sometimes("a reader joined after the end") }
        let reader = value.makeReader()
        var place = Place(last: max(newest - 1, 0), id: id)
        scheduleNote("reader \(id) joins")
        for _ in 0..<count {
            guard await readOnce(reader, &place) else { return }
            await pause(rest)
        }
    }

    /// Reads a value, and returns whether there was one.
    private func readOnce(_ reader: LatestValue<Int>.Reader, _ place: inout Place) async -> Bool {
        let before = state.withLock { $0 }
        let waits = before.newest == place.last && !before.hasEnded
        let number = await reader.next()
        let now = state.withLock { $0 }
        scheduleNote("reader \(place.id) got \(number.map { "\($0)" } ?? "the end")")
        guard let number else {
            if waits { sometimes(Task.isCancelled ? "cancelled while it waits" : "ended while it waits") }
            let isRight = Task.isCancelled || now.hasEnded && place.last == now.newest
            findings.expect(isRight, "reader \(place.id) got the end after \(place.last) of \(now.newest)")
            return false
        }
        if waits { sometimes("a reader waited") }
        if before.hasEnded { sometimes("the last value was read after the end") }
        let isSkip = number > place.last + 1
        if isSkip { sometimes("a reader fell behind") }
        // What is not kept any more is skipped, and nothing else.
        let oldest = max(place.last + 1, before.newest - capacity + 1)
        let newest = isSkip ? now.newest - capacity + 1 : now.newest
        findings.expect(
            oldest <= number && number <= newest,
            "reader \(place.id) got \(number) after \(place.last), when \(now.newest) was the newest"
        )
        place.last = number
        return true
    }
}
