internal import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform
internal import CalotypeStore
internal import TaskFlow

/// Case C01: a process that works on a cache is killed at any moment, again and again; the cache never lies.
package struct SoakRun {
    private let settings: SoakSettings
    private let rounds: Int
    private var random: SplitMix64
    private var ledger = TrialLedger(lanes: SoakSettings.lanes)
    private var starts = 0
    package private(set) var summary = SoakSummary()

    package init(_ settings: SoakSettings, rounds: Int) {
        self.settings = settings
        self.rounds = rounds
        random = SplitMix64(seed: settings.seed)
    }

    /// Runs all rounds.
    ///
    /// - Throws: ``SoakFailure`` for what must not happen, with the number of the round.
    package mutating func run(_ progress: (Int) throws -> Void) async throws {
        for round in 1...rounds {
            do {
                // Now and then the process that opens after a kill is killed as well.
                for _ in 0..<(random.next() % 5 == 0 ? 3 : 1) { try kill() }
                try await check(isThorough: round % 10 == 0 || round == rounds)
            } catch {
                throw SoakFailure("round \(round): \(error)")
            }
            try progress(round)
        }
    }

    // MARK: Killing

    private mutating func kill() throws {
        starts += 1
        ledger.beginWriter()
        let process = try KilledProcess(["soak-writer", settings.folder, "\(settings.seed)", "\(starts)"])
        // One in ten is killed while it opens the cache.
        let isEarly = random.next() % 10 == 0
        if !isEarly, try !process.waitForOutput() {
            _ = process.kill()
            try readLedger()
            throw SoakFailure("a writer ended before its cache was open")
        }
        usleep(UInt32(random.next() % (isEarly ? 40_000 : 120_000)))
        let wasRunning = process.kill()
        summary.kills += 1
        try readLedger()
        guard wasRunning else { throw SoakFailure("a writer ended by itself") }
    }

    /// Reads what writers have noted, and empties the file.
    private mutating func readLedger() throws {
        let file = try OpenFile(settings.ledgerPath, O_RDWR | O_CREAT)
        while true {
            let bytes = try file.read(TrialRecord.length * 4096)
            guard !bytes.isEmpty else { break }
            for start in stride(from: 0, to: bytes.count, by: TrialRecord.length) {
                let record = TrialRecord([UInt8](bytes[start..<min(start + TrialRecord.length, bytes.count)]))
                guard let record else { throw SoakFailure("the ledger is damaged") }
                guard record.action != .wrong else {
                    throw SoakFailure("a writer got a wrong value for key \(record.key)")
                }
                ledger.add(record)
            }
        }
        ftruncate(file.descriptor, 0)
    }

    // MARK: Checking

    private mutating func check(isThorough: Bool) async throws {
        let (ledger, settings) = (ledger, settings)
        let start = SoakStart()
        let reading = try await withDiskCache(settings.configuration) { cache in
            try await SoakReading(of: cache, since: start, allowing: ledger, isThorough: isThorough)
        }
        summary.add(reading, changes: ledger.count)
        let folder = try StoredFolder(settings.cachePath)
        try folder.check(limit: SoakSettings.limit, isThorough: isThorough)
    }
}
