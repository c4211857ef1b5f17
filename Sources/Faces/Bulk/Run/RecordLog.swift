import CalotypeFiles
internal import CalotypePlatform

/// Records as lines of an append-only file, of which the last line for an index counts.
///
/// A second, unnamed file contains the position of each index's line, so that memory use does not depend on
/// the number of records. Its functions block; call them on a file thread.
struct RecordLog {
    /// A line's position and whether its record is of this run, in the 64 bits that are stored for an index.
    private struct Place {
        static let size = 8

        /// 0 if there is no record.
        var bits: UInt64

        init(bits: UInt64) {
            self.bits = bits
        }

        init(offset: Int, isOfThisRun: Bool) {
            bits = UInt64(offset + 1) << 1 | (isOfThisRun ? 1 : 0)
        }

        var offset: Int? { bits == 0 ? nil : Int(bits >> 1) - 1 }
        var isOfThisRun: Bool { bits & 1 == 1 }
        var bytes: [UInt8] { (0..<Self.size).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) } }

        init(_ bytes: some Sequence<UInt8>) {
            bits = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// Maximum number of indices: a file system has no larger file for their positions.
    private static let limit = 1 << 40
    private static let newline = UInt8(ascii: "\n")

    private let lines: OpenFile
    private let places: OpenFile
    /// The end of the last line.
    private var end = 0
    /// Number of lines, including those of replaced and removed records.
    private(set) var lineCount = 0
    /// Number of records.
    private(set) var count = 0
    /// The output folder that the file names, if it names one.
    private(set) var folder: String?

    /// Reads the records in `lines`, with their positions in a file in `folder`.
    init(lines: OpenFile, placesIn folder: OpenFile) throws(SystemError) {
        self.lines = lines
        places = try OpenFile.unnamed(in: folder, temporary: "fetch-\(getpid()).places")
        try readLines()
    }

    /// Creates a log without a name in `folder`, for this run alone.
    static func unnamed(in folder: OpenFile) throws(SystemError) -> RecordLog {
        let lines = try OpenFile.unnamed(in: folder, temporary: "fetch-\(getpid()).lines")
        return try RecordLog(lines: lines, placesIn: folder)
    }

    /// Returns the record of the entry with this index; `nil` also if it cannot be read.
    func record(of index: Int) -> StateRecord? {
        guard let offset = place(of: index).offset, let line = try? line(at: offset) else { return nil }
        return StateRecord.parse(line)?.record
    }

    /// Adds records, or replaces those with the same index.
    mutating func add(_ records: [StateRecord]) throws(SystemError) {
        try append(records.map { ($0.index, $0.line, $0) })
    }

    /// Adds a line with the output folder, for people who look for what is left of deleted folders.
    mutating func name(_ folder: String) throws(SystemError) {
        let line = Array(FolderLine.text(folder).utf8)
        try lines.write(line)
        end += line.count
        self.folder = folder
    }

    /// Removes the records with these indices.
    mutating func remove(_ indices: [Int]) throws(SystemError) {
        try append(indices.map { ($0, StateRecord.removal(of: $0), nil) })
    }

    /// Counts an earlier run's record among those of this run.
    func confirm(_ index: Int) throws(SystemError) {
        guard let offset = place(of: index).offset else { return }
        try store(Place(offset: offset, isOfThisRun: true), of: index)
    }

    /// Calls `body` with each record, in the order of their indices.
    func forEach(
        ofThisRunOnly: Bool = false,
        _ body: (StateRecord) throws(SystemError) -> Void
    )
        throws(SystemError)
    {
        var start = 0
        while true {
            let chunk = try places.read(64 << 10, at: start)
            for offset in stride(from: 0, to: chunk.count, by: Place.size) {
                let place = Place(chunk[offset..<min(offset + Place.size, chunk.count)])
                guard let position = place.offset, place.isOfThisRun || !ofThisRunOnly,
                    let record = StateRecord.parse(try line(at: position))?.record
                else { continue }
                try body(record)
            }
            if chunk.isEmpty { return }
            start += chunk.count
        }
    }

    private mutating func append(
        _ changes: [(index: Int, line: String, record: StateRecord?)]
    ) throws(SystemError) {
        guard !changes.isEmpty else { return }
        var bytes: [UInt8] = []
        var starts: [Int] = []
        for change in changes {
            starts.append(end + bytes.count)
            bytes += change.line.utf8
        }
        try lines.write(bytes)
        end += bytes.count
        for (change, start) in zip(changes, starts) {
            try note(change.index, change.record, at: start)
        }
    }

    /// Records that the line at `offset` counts for `index` from now on.
    private mutating func note(_ index: Int, _ record: StateRecord?, at offset: Int) throws(SystemError) {
        guard (0..<Self.limit).contains(index) else { return }
        lineCount += 1
        let wasThere = place(of: index).offset != nil
        guard wasThere || record != nil else { return }
        let place = record.map { Place(offset: offset, isOfThisRun: $0.isOfThisRun) } ?? Place(bits: 0)
        try store(place, of: index)
        count += (record == nil ? 0 : 1) - (wasThere ? 1 : 0)
    }

    private func place(of index: Int) -> Place {
        // Without its position, a picture is created again.
        let bytes = (try? places.read(Place.size, at: index * Place.size)) ?? []
        return Place(bytes)
    }

    private func store(_ place: Place, of index: Int) throws(SystemError) {
        try places.write(place.bytes, at: index * Place.size)
    }

    /// Returns the line at `offset`, without its end.
    private func line(at offset: Int) throws(SystemError) -> String {
        var length = 256
        while true {
            let bytes = try lines.read(length, at: offset)
            if let end = bytes.firstIndex(of: Self.newline) {
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            guard bytes.count == length else { return "" }
            length *= 4
        }
    }

    /// Notes each line of the file, and ends a line that a crash left incomplete.
    private mutating func readLines() throws(SystemError) {
        var rest: [UInt8] = []
        while true {
            let chunk = try lines.read(64 << 10, at: end + rest.count)
            if chunk.isEmpty { break }
            rest += chunk
            var next = 0
            while let lineEnd = rest[next...].firstIndex(of: Self.newline) {
                try read(rest[next..<lineEnd], at: end + next)
                next = lineEnd + 1
            }
            // No record is that long, and what follows its beginning has no right checksum.
            if rest.count - next > LineSplitter.limit { next = rest.count }
            end += next
            rest.removeFirst(next)
        }
        end += rest.count
        guard end > 0, try lines.read(1, at: end - 1) != [Self.newline] else { return }
        try lines.write([Self.newline])
        end += 1
    }

    private mutating func read(_ line: ArraySlice<UInt8>, at offset: Int) throws(SystemError) {
        let text = String(decoding: line, as: UTF8.self)
        guard let entry = StateRecord.parse(text) else {
            if let folder = FolderLine.folder(text) { self.folder = folder } else { lineCount += 1 }
            return
        }
        try note(entry.index, entry.record, at: offset)
    }
}
