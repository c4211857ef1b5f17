/// The media that were put below `/inbox`.
struct Inbox: Sendable {
    /// What became of a medium that came whole.
    enum Outcome: Sendable {
        case created, same, replaced
    }

    struct Entry: Sendable {
        var record: Received.Medium
        var file: KeptFile?
    }

    private static let largestCount = 10_000

    private var entries: [String: Entry] = [:]
    private var names: [String] = []

    var records: [Received.Medium] { names.compactMap { entries[$0]?.record } }

    /// The medium called `name`, unless it was deleted or never came whole.
    func entry(_ name: String) -> Entry? {
        entries[name].flatMap { $0.record.sha256 == nil || $0.record.deleted ? nil : $0 }
    }

    /// Notes that a body for `name` begins.
    mutating func begin(_ name: String, path: String, at now: Double) throws(Refusal) {
        guard entries[name] == nil else { return }
        guard names.count < Self.largestCount else {
            throw .receiving(507, "There are \(Self.largestCount) media, and no more are taken.")
        }
        names.append(name)
        entries[name] = Entry(record: Received.Medium(path: path, firstAt: now, lastAt: now))
    }

    /// Notes that a body for `name` ended before its end, after `bytes`.
    mutating func cut(_ name: String, bytes: Int, at now: Double) {
        entries[name]?.record.hangUps += 1
        entries[name]?.record.bytesReceived += bytes
        entries[name]?.record.lastAt = now
    }

    /// Takes `file` as the medium called `name`; also returns the file that is not needed any more.
    mutating func take(
        _ file: KeptFile,
        as name: String,
        sha256: String,
        at now: Double
    ) -> (Outcome, surplus: KeptFile?) {
        guard var entry = entries[name] else { preconditionFailure("a body ended that never began") }
        let isThere = entry.record.sha256 != nil && !entry.record.deleted
        let isSame = isThere && entry.record.sha256 == sha256
        // The new file stands in for bytes that were given up.
        let surplus = isSame && entry.file?.isReadable == true ? file : entry.file
        if surplus !== file { entry.file = file }
        entry.record.puts += 1
        entry.record.created += isThere ? 0 : 1
        entry.record.replaced += isThere && !isSame ? 1 : 0
        entry.record.length = file.length
        entry.record.sha256 = sha256
        entry.record.deleted = false
        entry.record.bytesReceived += file.length
        entry.record.lastAt = now
        entries[name] = entry
        return (isSame ? .same : isThere ? .replaced : .created, surplus)
    }

    /// Deletes the medium called `name`; returns whether there was one, and its file.
    mutating func delete(_ name: String) -> (Bool, KeptFile?) {
        guard let entry = entry(name) else { return (false, nil) }
        entries[name]?.record.deleted = true
        entries[name]?.file = nil
        return (true, entry.file)
    }
}
