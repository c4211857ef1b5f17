internal import CalotypeCore

extension RunSummary {
    /// The summary as a JSON object on one line, for programs: the last that a run tells.
    public var json: String {
        var object = JSONObject()
        object.add("event", string: "summary")
        object.add("ending", string: ending.word)
        object.add("reason", string: ending.reason)
        object.add("ok", succeeded)
        object.add("partial", partial)
        object.add("skipped", skipped)
        object.add("failed", failed)
        object.add("cancelled", cancelled)
        object.add("vanished", vanished)
        object.add("failures", Self.counts(failures.map { ($0.key.rawValue, $0.value) }))
        object.add("cache", Self.counts(cacheUses.map { ($0.key.rawValue, $0.value) }))
        object.add("stored", stored)
        object.add("bytes_in", bytesIn.bytes)
        object.add("files", files)
        object.add("bytes_out", bytesOut.bytes)
        object.add("elapsed_s", Decimal.text(wallTime.inSeconds, places: 3))
        object.add("cpu_s", Decimal.text(cpuTime.inSeconds, places: 3))
        object.add("peak_memory_bytes", peakMemory.bytes)
        object.add("problems", strings: problems)
        object.add("exit_code", Int(exitCode))
        return object.text
    }

    private static func counts(_ counts: [(name: String, count: Int)]) -> JSONObject {
        var object = JSONObject()
        for (name, count) in counts.sorted(by: { $0.name < $1.name }) { object.add(name, count) }
        return object
    }
}

extension RunSummary.Ending {
    fileprivate var word: String {
        switch self {
        case .finished: "finished"
        case .failedFast: "failed_fast"
        case .interrupted: "interrupted"
        case .unwritable: "unwritable"
        }
    }

    fileprivate var reason: String? {
        if case .unwritable(let reason) = self { reason } else { nil }
    }
}
