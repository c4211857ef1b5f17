/// The uploads to the tus endpoint, each with one writer at a time.
struct TusUploads: Sendable {
    struct Entry: Sendable {
        var record: Received.Upload
        let file: ReceivedFile
        /// The client's Upload-Metadata.
        let metadata: String
        /// When it expires if it is incomplete, in seconds since the start of 1970.
        var expiry: Double
        var faults: TusFaults
        var isBusy = false
        /// The status for requests after it is gone.
        var goneStatus: Int?
    }

    private static let largestCount = 10_000

    /// The time after which an incomplete upload expires, in seconds.
    let lifetime: Double
    private var entries: [String: Entry] = [:]
    private var ids: [String] = []

    init(lifetime: Double) {
        self.lifetime = lifetime
    }

    var records: [Received.Upload] {
        ids.compactMap { entries[$0] }.map { entry in
            var record = entry.record
            // An upload that a request is writing to grows.
            record.offset = entry.goneStatus == nil ? entry.file.length : record.offset
            return record
        }
    }

    /// Adds an upload and claims it.
    ///
    /// No other request has it until it is given back.
    ///
    /// - Throws: 507 if there are too many.
    mutating func add(_ entry: Entry) throws(OriginError) {
        guard ids.count < Self.largestCount else {
            throw .receiving(507, "There are already \(Self.largestCount) uploads, which is the maximum.")
        }
        ids.append(entry.record.id)
        entries[entry.record.id] = entry
        entries[entry.record.id]?.isBusy = true
    }

    /// Claims an upload.
    ///
    /// No other request has it until it is given back.
    ///
    /// - Throws: 404 if it is unknown, 410 if it is gone, 423 if another request has it.
    mutating func claim(_ id: String) throws(OriginError) -> Entry {
        guard let entry = entries[id] else { throw .receiving(404, "There is no such upload.") }
        if let status = entry.goneStatus { throw .receiving(status, "This upload is gone.") }
        guard !entry.isBusy else {
            entries[id]?.record.locked += 1
            throw .receiving(423, "Another request is writing to this upload.")
        }
        entries[id]?.isBusy = true
        return entry
    }

    /// Gives back a claimed upload in its present state.
    mutating func giveBack(_ entry: Entry, at now: Double) {
        var entry = entry
        entry.isBusy = false
        entry.record.locked = entries[entry.record.id]?.record.locked ?? 0
        entry.record.offset = entry.goneStatus == nil ? entry.file.length : entry.record.offset
        entry.record.lastAt = now
        entries[entry.record.id] = entry
    }

    /// Removes expired uploads.
    ///
    /// Returns the files that are no longer needed.
    mutating func expire(at now: Double) -> [ReceivedFile] {
        ids.compactMap { expire($0, at: now) }
    }

    /// Removes the upload if it has expired.
    ///
    /// Returns its file if so.
    mutating func expire(_ id: String, at now: Double) -> ReceivedFile? {
        guard let entry = entries[id], !entry.isBusy, entry.goneStatus == nil else { return nil }
        guard !entry.record.complete, entry.expiry <= now else { return nil }
        entries[id]?.goneStatus = 410
        entries[id]?.record.expired = true
        return entry.file
    }
}

/// The faults of one upload, decided when it begins.
struct TusFaults: Sendable {
    /// The status of the upload after its first piece.
    var goneStatus: Int?
    /// Whether it reports a larger offset than the upload's length.
    var isBeyond = false
    /// How often bytes are lost.
    ///
    /// Two steps: first a body is cut, then the next writer finds fewer bytes.
    var rewindSteps = 0

    init(_ call: Call) {
        if call.suffers(.expired) { goneStatus = 410 }
        if call.suffers(.gone) { goneStatus = 404 }
        isBeyond = call.suffers(.beyond)
        let rewind = call.selected.faults.first { $0.kind == .rewind }
        rewindSteps = 2 * (rewind?.count ?? 0)
    }

    /// Returns the offset to report if `offset` is the actual one.
    func told(_ offset: Int, of length: Int) -> Int {
        isBeyond ? length + 1000 : offset
    }
}
