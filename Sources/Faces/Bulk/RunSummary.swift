public import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform

/// The summary of a run.
public struct RunSummary: Sendable {
    /// Why a run ended.
    public enum Ending: Hashable, Sendable {
        /// The list ended.
        case finished
        /// The first failure ended the run, as requested.
        case failedFast
        /// Its task was cancelled.
        case interrupted
        /// The disk is full or the report's reader is gone; the value is the reason.
        case unwritable(String)
        /// The list or the options differ from those of an earlier run; the value is the reason.
        case refused(String)
    }

    /// Why it ended.
    public var ending = Ending.finished
    /// The signal that interrupted it, if the caller knows one; it determines the exit code.
    public var signal: Int32?
    /// Number of all entries, if they have been counted.
    public var total: Int?
    /// Number of entries that succeeded in this run.
    public var succeeded = 0
    /// Number of those images that are incomplete because their source ended early.
    public var partial = 0
    /// Number of entries that an earlier run had completed.
    public var skipped = 0
    /// Number of entries that failed.
    public var failed = 0
    /// Number of entries in progress when the run was interrupted.
    public var cancelled = 0
    /// The number of failures for each code.
    public var failures: [ErrorCode: Int] = [:]
    /// The number of entries for each use of the cache.
    public var cacheUses: [CacheUse: Int] = [:]
    /// Number of entries that a persistent store has accepted.
    public var stored = 0
    /// Bytes received from sources, including interrupted downloads but not data from a store.
    public var bytesIn = ByteCount(0)
    /// Number of files written.
    public var files = 0
    /// The total size of all files written.
    public var bytesOut = ByteCount(0)
    /// The address to which the shards of a dataset are uploaded, if they are.
    public var store: String?
    /// Number of shards uploaded.
    public var uploaded = 0
    /// The duration of the run.
    public var wallTime = Duration.zero
    /// The CPU time of the run, over all threads.
    public var cpuTime = Duration.zero
    /// Peak memory of the process.
    public var peakMemory = ByteCount(0)

    /// Number of files of this run, or found by it, that were gone at its end.
    public var vanished = 0
    /// Problems with output other than pictures, one sentence each.
    public var problems: [String] = []

    /// Creates an empty summary.
    public init() {}

    /// The exit code: 0 for success, 1 if something failed or is missing, 2 if the run was refused, 3 if nothing
    /// succeeded, and 128 plus the number of the signal (of SIGINT, if it is not known) if interrupted.
    public var exitCode: Int32 {
        switch ending {
        case .interrupted: 128 + (signal ?? SIGINT)
        case .failedFast: 1
        case .refused: 2
        case .unwritable: succeeded + skipped == 0 ? 3 : 1
        case .finished:
            if failed == 0 {
                problems.isEmpty && vanished == 0 ? 0 : 1
            } else {
                succeeded + skipped == 0 ? 3 : 1
            }
        }
    }

    /// The summary as a few aligned lines of text.
    public var text: String {
        var rows: [(String, String)] = [("images", counts)]
        let order = failures.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
        for (code, count) in order.prefix(12) { rows.append(("", "\(Self.padded("\(count)", 7)) \(code)")) }
        if order.count > 12 { rows.append(("", "        and \(order.count - 12) other codes")) }
        let seconds = max(wallTime.inSeconds, 0.001)
        rows += [
            ("rate", "\(Decimal.text(Double(succeeded) / seconds, places: 1)) images/s"),
            ("received", "\(bytesIn) (\(ByteCount(Int(clamping: Double(bytesIn.bytes) / seconds)))/s)"),
            ("written", written),
            ("uploaded", store.map { "\(uploaded) shard\(uploaded == 1 ? "" : "s") to \($0)" } ?? ""),
            ("cache", cache),
            ("time", "\(Clocktime.text(wallTime)), \(Clocktime.text(cpuTime)) of CPU"),
            ("memory", "\(peakMemory) peak"),
        ]
        if store == nil { rows.removeAll { $0.0 == "uploaded" } }
        if cacheUses.keys.allSatisfy({ $0 == .miss }) && stored == 0 { rows.removeAll { $0.0 == "cache" } }
        return heading + rows.map { Self.aligned($0.0) + $0.1 + "\n" }.joined()
    }

    private var counts: String {
        let all = [
            (succeeded, partial > 0 ? "created (\(partial) partial)" : "created"),
            (skipped, "already complete"),
            (failed, "failed"), (cancelled, "cancelled"),
        ]
        let parts = all.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }

    private var written: String {
        files > succeeded ? "\(bytesOut) in \(files) files" : "\(bytesOut)"
    }

    private var cache: String {
        let uses = CacheUse.allCases.map { (cacheUses[$0] ?? 0, $0.noun) } + [(stored, "stored")]
        return uses.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }

    private var heading: String {
        switch ending {
        case .finished: ""
        case .failedFast: "stopped at the first failure\n"
        case .interrupted: "Interrupted: \(rest)\n"
        case .refused(let reason): "stopped: \(reason)\n"
        case .unwritable(let reason):
            "stopped: \(reason)\nFinished images are kept. Fix the problem, then run the same command to continue.\n"
        }
    }

    /// What an interrupted run has done and left.
    private var rest: String {
        let done = succeeded + skipped
        let failures = failed > 0 ? ", \(failed) failed" : ""
        let left = total.map { ", \(max(0, $0 - done - failed)) not done" } ?? ""
        return "\(done) done\(failures)\(left)"
    }

    private static func aligned(_ label: String) -> String {
        label + String(repeating: " ", count: 10 - label.count)
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

extension CacheUse {
    /// The summary's name for this use of the cache.
    fileprivate var noun: String {
        switch self {
        case .miss: "missed"
        case .hit: "hit"
        case .revalidated: "revalidated"
        case .stale: "stale"
        }
    }
}

extension RunSummary {
    mutating func count(_ outcome: FetchOutcome) {
        switch outcome.status {
        case .ok:
            succeeded += 1
            if outcome.isPartial { partial += 1 }
        case .skipped: skipped += 1
        case .cancelled: cancelled += 1
        case .failed:
            failed += 1
            if let code = outcome.code { failures[code, default: 0] += 1 }
        }
        guard outcome.status != .skipped else { return }
        if let cache = outcome.cache { cacheUses[cache, default: 0] += 1 }
        files += outcome.renditions.count
        bytesOut.bytes += outcome.bytes?.bytes ?? 0
    }
}

extension RunSummary {
    /// The summary as a JSON object on one line, which is the last one of a run.
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
        if let store {
            object.add("uploaded", uploaded)
            object.add("store", string: store)
        }
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
        case .refused: "refused"
        }
    }

    /// Why nothing more could be done; `nil` for other endings.
    package var reason: String? {
        switch self {
        case .unwritable(let reason), .refused(let reason): reason
        case .finished, .failedFast, .interrupted: nil
        }
    }
}
