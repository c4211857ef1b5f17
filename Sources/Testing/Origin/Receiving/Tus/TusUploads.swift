/// The uploads to the tus endpoint, each with one writer at a time.
struct TusUploads: Sendable {
    struct Entry: Sendable {
        var record: Received.Upload
        let file: KeptFile
        /// What the client said in Upload-Metadata.
        let metadata: String
        /// When it goes if it is not complete by then, in seconds since the start of 1970.
        var expiry: Double
        var faults: TusFaults
        var isBusy = false
        /// What it is answered with when it is gone.
        var goneStatus: Int?
    }

    private static let largestCount = 10_000

    /// How long an upload may lie that is not complete, in seconds.
    let lifetime: Double
    private var entries: [String: Entry] = [:]
    private var ids: [String] = []

    init(lifetime: Double) {
        self.lifetime = lifetime
    }

    var records: [Received.Upload] {
        ids.compactMap { entries[$0] }.map { entry in
            var record = entry.record
            // That of an upload that is being written grows.
            record.offset = entry.goneStatus == nil ? entry.file.length : record.offset
            return record
        }
    }

    /// Adds an upload, which nobody else has until it is given back.
    ///
    /// - Throws: 507 where there are too many.
    mutating func add(_ entry: Entry) throws(OriginError) {
        guard ids.count < Self.largestCount else {
            throw .receiving(507, "There are \(Self.largestCount) uploads, and no more are taken.")
        }
        ids.append(entry.record.id)
        entries[entry.record.id] = entry
        entries[entry.record.id]?.isBusy = true
    }

    /// The upload, which nobody else has until it is given back.
    ///
    /// - Throws: 404 and 410 where it is not there or not any more, 423 where somebody has it.
    mutating func claim(_ id: String) throws(OriginError) -> Entry {
        guard let entry = entries[id] else { throw .receiving(404, "There is no such upload.") }
        if let status = entry.goneStatus { throw .receiving(status, "This upload is gone.") }
        guard !entry.isBusy else {
            entries[id]?.record.locked += 1
            throw .receiving(423, "Another request writes to this upload.")
        }
        entries[id]?.isBusy = true
        return entry
    }

    /// Gives back what was claimed, as it is now.
    mutating func giveBack(_ entry: Entry, at now: Double) {
        var entry = entry
        entry.isBusy = false
        entry.record.locked = entries[entry.record.id]?.record.locked ?? 0
        entry.record.offset = entry.goneStatus == nil ? entry.file.length : entry.record.offset
        entry.record.lastAt = now
        entries[entry.record.id] = entry
    }

    /// Lets go of what has lain too long; returns the files that are not needed any more.
    mutating func expire(at now: Double) -> [KeptFile] {
        ids.compactMap { expire($0, at: now) }
    }

    /// Lets go of the upload if it has lain too long; returns its file if so.
    mutating func expire(_ id: String, at now: Double) -> KeptFile? {
        guard let entry = entries[id], !entry.isBusy, entry.goneStatus == nil else { return nil }
        guard !entry.record.complete, entry.expiry <= now else { return nil }
        entries[id]?.goneStatus = 410
        entries[id]?.record.expired = true
        return entry.file
    }
}

/// What goes wrong with one upload, decided when it begins.
struct TusFaults: Sendable {
    /// The status that it has after its first piece.
    var goneStatus: Int?
    /// Whether more is said to be there than fits.
    var isBeyond = false
    /// How many times bytes are lost, twice: first a body is cut, then the next writer finds less than there was.
    var rewindSteps = 0

    init(_ call: Call) {
        if call.suffers(.expired) { goneStatus = 410 }
        if call.suffers(.gone) { goneStatus = 404 }
        isBeyond = call.suffers(.beyond)
        let rewind = call.wish.faults.first { $0.kind == .rewind }
        rewindSteps = 2 * (rewind?.count ?? 0)
    }

    /// What is told as the offset where `offset` would be right.
    func told(_ offset: Int, of length: Int) -> Int {
        isBeyond ? length + 1000 : offset
    }
}
