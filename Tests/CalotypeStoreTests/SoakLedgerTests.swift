import CalotypeStore
import StoreTrials
import Testing

/// What `script/soak store` takes for right and wrong.
struct SoakLedgerTests {
    private func ledger(_ records: TrialRecord...) -> TrialLedger {
        var ledger = TrialLedger(lanes: 4)
        ledger.beginWriter()
        for record in records { ledger.add(record) }
        return ledger
    }

    @Test func `what was never stored is wrong`() {
        let ledger = ledger(TrialRecord(.store, lane: 0, key: 4, version: 1))
        #expect(ledger.allows(1, of: 4))
        #expect(!ledger.allows(2, of: 4))
        #expect(!ledger.allows(1, of: 8))
    }

    @Test func `what was replaced may come back until the replacement is on the disk`() {
        var ledger = ledger(
            TrialRecord(.store, lane: 0, key: 4, version: 1),
            TrialRecord(.replace, lane: 0, key: 4, version: 2),
            TrialRecord(.store, lane: 0, key: 4, version: 3)
        )
        for version in 1...3 { #expect(ledger.allows(version, of: 4)) }
        ledger.add(TrialRecord(.flushed, lane: 1))
        #expect(ledger.allows(1, of: 4))
        ledger.add(TrialRecord(.flushed, lane: 0))
        #expect(!ledger.allows(1, of: 4))
        #expect(ledger.allows(2, of: 4) && ledger.allows(3, of: 4))
    }

    @Test func `what was removed does not come back once that is on the disk`() {
        let ledger = ledger(
            TrialRecord(.store, lane: 0, key: 4, version: 1),
            TrialRecord(.remove, lane: 0, key: 4),
            TrialRecord(.flushed, lane: 0)
        )
        #expect(!ledger.allows(1, of: 4))
        #expect(!ledger.allows(0, of: 4))
    }

    @Test func `what a killed writer had not flushed may be on the disk or not, whatever the next one does`()
    {
        var ledger = ledger(
            TrialRecord(.store, lane: 0, key: 4, version: 1),
            TrialRecord(.replace, lane: 0, key: 4, version: 2)
        )
        ledger.beginWriter()
        ledger.add(TrialRecord(.flushed, lane: 0))
        #expect(ledger.allows(1, of: 4) && ledger.allows(2, of: 4))
    }

    @Test func `a note survives as bytes`() {
        let record = TrialRecord(.replace, lane: 3, key: 70_003, version: 9 << 32 | 77)
        #expect(record.bytes.count == TrialRecord.length)
        #expect(TrialRecord(record.bytes) == record)
        #expect(TrialRecord([9] + record.bytes.dropFirst()) == nil)
    }

    @Test func `a value knows itself, and one with a wrong byte is none`() {
        for version in 1...40 {
            let value = TrialValue(key: 5, version: version)
            #expect(TrialValue(value.entry) == value)
            var entry = value.entry
            guard !entry.bytes.isEmpty else { continue }
            entry.bytes[entry.bytes.count / 2] ^= 1
            #expect(TrialValue(entry) == nil)
        }
    }
}
