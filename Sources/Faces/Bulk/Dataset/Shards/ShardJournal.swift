internal import CalotypeDigests
import CalotypeFiles
import CalotypePlatform
internal import TaskFlow

/// The samples of a shard that is not complete, in the order in which they ended.
///
/// Each is appended by one call of the system, so nothing is lost when the process is killed. What a loss of
/// power leaves half written is recognised by its checksum, and dropped with all that follows it. Its
/// functions block; call them on a file thread.
final class ShardJournal: Sendable {
    /// Where a sample lies in the file.
    struct Place: Sendable {
        let offset: Int
        let recordBytes: Int
        let pictureBytes: Int
    }

    /// A sample and its place.
    struct Entry {
        let sample: Sample
        let place: Place
    }

    private static let mark: UInt32 = 0x314A_4C43
    private static let headBytes = 16
    /// Maximum length of a record or a picture: more is damage.
    private static let limit = 1 << 31

    private let name: String
    private let files: JournalFiles

    /// Opens the journal called `name`, or creates it.
    init(_ name: String, in files: JournalFiles) throws(SystemError) {
        self.name = name
        self.files = files
        _ = try files.file(name)
    }

    private var file: OpenFile { get throws(SystemError) { try files.file(name) } }

    /// Lets go of the file.
    func close() { files.forget(name) }

    /// Appends a sample and its picture, if it has one; several threads may do so at the same time.
    func append(_ sample: Sample, _ picture: [UInt8]) throws(SystemError) {
        let record = sample.record
        var checksum = CRC32C()
        checksum.update(record)
        checksum.update(picture)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headBytes + record.count + picture.count)
        for word in [Self.mark, UInt32(record.count), UInt32(picture.count), checksum.value] {
            for shift in stride(from: UInt32(0), to: 32, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        bytes += record
        bytes += picture
        try files.file(name).write(bytes)
    }

    /// Cuts off what follows the last whole sample; call it before anything is appended.
    ///
    /// - Returns: All samples.
    func repair() throws(SystemError) -> [Entry] {
        let (entries, file) = (try entries(), try file)
        let end = entries.last.map { $0.place.offset + $0.place.recordBytes + $0.place.pictureBytes } ?? 0
        if try file.status().st_size > end, ftruncate(file.descriptor, end) != 0 {
            throw SystemError("cut the journal")
        }
        return entries
    }

    /// Returns all samples.
    func entries() throws(SystemError) -> [Entry] {
        let file = try file
        var entries: [Entry] = []
        var offset = 0
        while let entry = try entry(at: offset, of: file) {
            entries.append(entry)
            let place = entry.place
            offset = place.offset + place.recordBytes + place.pictureBytes
        }
        return entries
    }

    /// Returns the picture at `place`.
    func picture(at place: Place) throws(SystemError) -> [UInt8] {
        try file.read(place.pictureBytes, at: place.offset + place.recordBytes)
    }

    private func entry(at offset: Int, of file: OpenFile) throws(SystemError) -> Entry? {
        let head = try file.read(Self.headBytes, at: offset)
        guard head.count == Self.headBytes else { return nil }
        let words = stride(from: 0, to: Self.headBytes, by: 4).map { start in
            head[start..<start + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        let (recordBytes, pictureBytes) = (Int(words[1]), Int(words[2]))
        guard words[0] == Self.mark, recordBytes < Self.limit, pictureBytes < Self.limit else { return nil }
        let start = offset + Self.headBytes
        // A damaged length must not take memory for what is not there.
        guard try file.status().st_size >= start + recordBytes + pictureBytes else { return nil }
        let content = try file.read(recordBytes + pictureBytes, at: start)
        guard content.count == recordBytes + pictureBytes, CRC32C.of(content) == words[3],
            let sample = try? Sample(record: Array(content[..<recordBytes]))
        else { return nil }
        return Entry(
            sample: sample,
            place: Place(offset: start, recordBytes: recordBytes, pictureBytes: pictureBytes)
        )
    }
}

/// The journals of a folder, of which only those in use lately are open.
///
/// Small shards of a list with slow hosts are in progress by the thousand, and files are not that many.
final class JournalFiles: Sendable {
    private struct State {
        var files: [String: (file: OpenFile, use: Int)] = [:]
        var useCount = 0
    }

    let folder: OpenFile
    private let limit: Int
    private let state = Guarded(State())

    /// Creates a collection that keeps at most `limit` files open.
    init(_ folder: OpenFile, limit: Int = 64) {
        self.folder = folder
        self.limit = limit
    }

    /// The number of open files.
    var openCount: Int { state.withLock { $0.files.count } }

    /// Returns the file called `name`, opened or created if need be; it is closed after its last use.
    func file(_ name: String) throws(SystemError) -> OpenFile {
        try state.withLock { state throws(SystemError) in
            state.useCount += 1
            if let file = state.files[name]?.file {
                state.files[name]?.use = state.useCount
                return file
            }
            let file = try OpenFile(name, in: folder, O_RDWR | O_CREAT | O_APPEND)
            state.files[name] = (file, state.useCount)
            if state.files.count > limit, let oldest = state.files.min(by: { $0.value.use < $1.value.use }) {
                state.files[oldest.key] = nil
            }
            return file
        }
    }

    /// Closes the file called `name` after its last use.
    func forget(_ name: String) { state.withLock { $0.files[name] = nil } }
}
