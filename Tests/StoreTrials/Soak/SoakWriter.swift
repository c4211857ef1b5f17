import CalotypeCore
package import CalotypeFiles
internal import CalotypePlatform
internal import CalotypeStore
internal import TaskFlow

/// The process that is killed: it stores, replaces, removes and looks up until then.
package struct SoakWriter: Sendable {
    private let settings: SoakSettings
    private let round: Int
    private let ledger: OpenFile
    /// Tells the one who kills that the cache is open.
    private let output: OpenFile

    package init(_ settings: SoakSettings, round: Int, output: OpenFile) throws {
        self.settings = settings
        self.round = round
        self.output = output
        ledger = try OpenFile(settings.ledgerPath, O_WRONLY | O_CREAT | O_APPEND)
    }

    /// Works until the process is killed, or until a look-up gives what it must not.
    package func run() async throws {
        try await withDiskCache(settings.configuration) { cache in
            try output.write([UInt8(ascii: "o")])
            try await withThrowingTaskGroup { group in
                for lane in 0..<SoakSettings.lanes {
                    group.addTask { try await work(lane, on: cache) }
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private func work(_ lane: Int, on cache: DiskCache) async throws {
        var random = settings.random(round, lane)
        var expected: [Int: Expectation] = [:]
        for step in 1... {
            let key =
                Int(random.next() % UInt64(SoakSettings.keys / SoakSettings.lanes)) * SoakSettings.lanes
                + lane
            let version = round << 32 | step
            let chance = random.next() % 100
            let isRight: Bool =
                switch chance {
                case 0..<30: try await store(key, version, lane, cache, &expected)
                case 30..<45: try await replace(key, version, lane, cache, &expected)
                case 45..<50: try await remove(key, lane, cache, &expected)
                case 50..<99: try await lookUp(key, cache, &expected)
                default: try await flush(lane, cache)
                }
            guard isRight else {
                try ledger.write(TrialRecord(.wrong, lane: lane, key: key, version: version).bytes)
                throw SoakFailure("task \(lane) got a wrong value for key \(key) in step \(step)")
            }
        }
    }

    private typealias Expectation = Set<Int>

    private func store(
        _ key: Int,
        _ version: Int,
        _ lane: Int,
        _ cache: DiskCache,
        _ expected: inout [Int: Expectation]
    ) async throws -> Bool {
        try ledger.write(TrialRecord(.store, lane: lane, key: key, version: version).bytes)
        let value = TrialValue(key: key, version: version)
        let stored = try await cache.store(value.entry, for: value.storeKey)
        guard let result = TrialValue(stored), result.key == key else { return false }
        guard result.version != version else {
            expected[key] = [version]
            return true
        }
        return expected[key]?.contains(result.version) ?? true
    }

    private func replace(
        _ key: Int,
        _ version: Int,
        _ lane: Int,
        _ cache: DiskCache,
        _ expected: inout [Int: Expectation]
    ) async throws -> Bool {
        try ledger.write(TrialRecord(.replace, lane: lane, key: key, version: version).bytes)
        let value = TrialValue(key: key, version: version)
        cache.replaceValue(value.entry, for: value.storeKey)
        expected[key] = [version]
        return true
    }

    private func remove(
        _ key: Int,
        _ lane: Int,
        _ cache: DiskCache,
        _ expected: inout [Int: Expectation]
    ) async throws -> Bool {
        try ledger.write(TrialRecord(.remove, lane: lane, key: key).bytes)
        cache.removeValue(for: TrialValue.storeKey(key))
        expected[key] = []
        return true
    }

    private func lookUp(
        _ key: Int,
        _ cache: DiskCache,
        _ expected: inout [Int: Expectation]
    ) async throws -> Bool {
        guard let entry = try await cache.value(for: TrialValue.storeKey(key)) else { return true }
        guard let value = TrialValue(entry), value.key == key else { return false }
        return expected[key]?.contains(value.version) ?? true
    }

    private func flush(_ lane: Int, _ cache: DiskCache) async throws -> Bool {
        try await cache.flush()
        try ledger.write(TrialRecord(.flushed, lane: lane).bytes)
        return true
    }
}
