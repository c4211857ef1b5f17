internal import CalotypeCore
internal import CalotypeStore
internal import TaskFlow
internal import TaskFlowTesting

/// What a memory cache should hold: a list, the value used last at its end.
final class MemoryList: Sendable {
    private struct Item {
        let key: Int
        let value: MemoryRun.Value
        let expiry: ContinuousClock.Instant?
    }

    private struct State {
        var items: [Item] = []
        var bytes = 100
        var count = 4

        mutating func trim(bytes: Int, count: Int) {
            while items.count > count || items.reduce(0, { $0 + $1.value.cost }) > bytes {
                items.removeFirst()
                sometimes("pushed out")
            }
        }

        mutating func use(_ key: Int) -> MemoryRun.Value? {
            guard let index = items.firstIndex(where: { $0.key == key }) else { return nil }
            let item = items.remove(at: index)
            if let expiry = item.expiry, expiry <= .now {
                sometimes("expired")
                return nil
            }
            items.append(item)
            return item.value
        }

        mutating func insert(_ key: Int, _ value: MemoryRun.Value, _ lasting: Int?) {
            guard value.cost <= bytes / 4 else { return sometimes("refused for its cost") }
            guard lasting != 0 else { return }
            let expiry = lasting.map { ContinuousClock.now + .milliseconds($0) }
            items.append(Item(key: key, value: value, expiry: expiry))
            trim(bytes: bytes, count: count)
        }
    }

    private let state = Guarded(State())

    var bytes: Int { state.withLock(\.bytes) }
    var count: Int { state.withLock(\.count) }

    /// Does the step in both, and compares.
    func take(_ step: MemoryStep, _ cache: MemoryCache<Int, MemoryRun.Value>) throws {
        scheduleNote("\(step)")
        let (found, expected) = (Self.take(step, cache), state.withLock { Self.take(step, &$0) })
        guard found == expected else {
            throw ScheduleError("\(step) found \(found), and should find \(expected)")
        }
        let snapshot = cache.snapshot
        let (count, cost) = state.withLock { state in
            (state.items.count, state.items.reduce(0) { $0 + $1.value.cost })
        }
        guard snapshot.count == count, snapshot.bytes.bytes == cost else {
            throw ScheduleError("after \(step): \(snapshot), and should be \(count) of \(cost) bytes")
        }
    }

    private static func take(
        _ step: MemoryStep,
        _ cache: MemoryCache<Int, MemoryRun.Value>
    ) -> [MemoryRun.Value] {
        let key = step.key
        switch step.action {
        case .read: return cache.value(for: key).map { [$0] } ?? []
        case .members: return cache.members(of: key / 2).map(\.value).sorted { $0.number < $1.number }
        case .remove: cache.removeValue(for: key)
        case .removeFamily: cache.removeMembers(of: key / 2)
        case .removeAll: cache.removeAll()
        case .removeExpired: cache.removeExpired()
        case .store(let cost, let lasting):
            let value = MemoryRun.Value(number: step.number, cost: cost)
            guard let lasting else { return [cache.store(value, for: key)] }
            return [cache.store(value, for: key, timeToLive: .milliseconds(lasting))]
        case .replace(let cost, let lasting):
            let value = MemoryRun.Value(number: step.number, cost: cost)
            guard let lasting else {
                cache.replaceValue(value, for: key)
                return []
            }
            cache.replaceValue(value, for: key, timeToLive: .milliseconds(lasting))
        case .trim(let bytes): cache.trim(toBytes: ByteCount(bytes))
        case .trimCount(let count): cache.trim(toCount: count)
        case .limit(let bytes, let count):
            cache.limits = MemoryCacheLimits(bytes: ByteCount(bytes), count: count)
        }
        return []
    }

    private static func take(_ step: MemoryStep, _ state: inout State) -> [MemoryRun.Value] {
        let key = step.key
        switch step.action {
        case .read: return state.use(key).map { [$0] } ?? []
        case .members:
            return state.items.filter { $0.key / 2 == key / 2 }.map(\.value)
                .sorted { $0.number < $1.number }
        case .remove: state.items.removeAll { $0.key == key }
        case .removeFamily: state.items.removeAll { $0.key / 2 == key / 2 }
        case .removeAll: state.items = []
        case .removeExpired: expire(&state)
        case .store(let cost, let lasting):
            let value = MemoryRun.Value(number: step.number, cost: cost)
            if let first = state.use(key) {
                sometimes("stored over another")
                return [first]
            }
            state.insert(key, value, lasting)
            return [value]
        case .replace(let cost, let lasting):
            state.items.removeAll { $0.key == key }
            state.insert(key, MemoryRun.Value(number: step.number, cost: cost), lasting)
        case .trim(let bytes):
            expire(&state)
            state.trim(bytes: bytes, count: .max)
        case .trimCount(let count):
            expire(&state)
            state.trim(bytes: .max, count: count)
        case .limit(let bytes, let count):
            (state.bytes, state.count) = (bytes, count)
            state.items.removeAll { $0.value.cost > bytes / 4 }
            state.trim(bytes: bytes, count: count)
        }
        return []
    }

    private static func expire(_ state: inout State) {
        state.items.removeAll { item in item.expiry.map { $0 <= .now } ?? false }
    }
}
