internal import CalotypeCore
import CalotypeFiles
internal import Glibc
internal import TaskFlow

/// What former runs have completed in an output folder, kept outside of it.
///
/// An append-only text file for each output folder in `$XDG_STATE_HOME/calotype`. A line that a crash has torn is not
/// believed, and its picture is made anew. In memory an entry takes about 150 bytes. The folder's lock
/// (``OutputFolder``) keeps a second run away from this file too.
final class StateFile: Sendable {
    private struct State {
        var file: OpenFile?
        var records: [Int: StateRecord] = [:]
        var problem: String?
    }

    private let state: Guarded<State>

    /// Opens the state of the folder at the canonical path `folder`; without a usable file it remembers nothing.
    init(folder: String, home: String? = StateFile.defaultHome) {
        do throws(SystemError) {
            guard let home else { throw SystemError("find a folder, $HOME is not set", code: ENOENT) }
            state = Guarded(try Self.open(folder: folder, home: home))
        } catch {
            state = Guarded(State(problem: "this run will not be remembered: \(error)"))
        }
    }

    /// Why nothing (more) is remembered, once; for a warning.
    func takeProblem() -> String? {
        state.withLock { state in
            defer { state.problem = nil }
            return state.problem
        }
    }

    /// What is known of the picture with this index.
    func record(of index: Int) -> StateRecord? {
        state.withLock { $0.records[index] }
    }

    /// Remembers a picture whose file is in place.
    func add(_ record: StateRecord) {
        append(record.line) { $0[record.index] = record }
    }

    /// Notes that the files of a former run are there.
    func confirm(_ index: Int) {
        state.withLock { $0.records[index]?.isOfThisRun = true }
    }

    /// What this run has made, or found complete.
    var recordsOfThisRun: some Sequence<StateRecord> {
        state.withLock { $0.records }.values.lazy.filter(\.isOfThisRun)
    }

    /// Forgets a picture, before its file is replaced by one of other options.
    func remove(_ index: Int) {
        append(StateRecord.removal(of: index)) { $0[index] = nil }
    }

    /// `$XDG_STATE_HOME`, or `~/.local/state`.
    static var defaultHome: String? {
        if let home = unsafe getenv("XDG_STATE_HOME").map({ unsafe String(cString: $0) }), home.hasPrefix("/")
        {
            return home
        }
        return unsafe getenv("HOME").map { unsafe String(cString: $0) + "/.local/state" }
    }

    private func append(_ line: String, _ change: (inout [Int: StateRecord]) -> Void) {
        // One small append under the lock: the order in the file is the order in memory.
        state.withLock { state in
            // In memory also where no file remembers it.
            change(&state.records)
            guard let file = state.file else { return }
            do throws(SystemError) {
                try file.write(Array(line.utf8))
            } catch {
                state.file = nil
                state.problem = "the rest of this run will not be remembered: \(error)"
            }
        }
    }

    private static func open(folder: String, home: String) throws(SystemError) -> State {
        let directory = try openDirectory(home)
        let name = "fetch-\(StableHash.hexadecimal(folder)).state"
        var state = State()
        let lines = try read(name, in: directory, into: &state.records)
        if lines > 1024, lines > 2 * state.records.count {
            try compact(state.records.values, to: name, in: directory)
        }
        let file = try OpenFile(name, in: directory, O_RDWR | O_CREAT | O_APPEND, mode: 0o600)
        try endTornLine(file)
        state.file = file
        return state
    }

    private static func openDirectory(_ home: String) throws(SystemError) -> OpenFile {
        let path = home + "/calotype"
        var partial = ""
        for component in path.split(separator: "/") {
            partial += "/" + component
            if unsafe mkdir(partial, 0o700) != 0, errno != EEXIST { throw SystemError("create \(partial)") }
        }
        return try OpenFile(path, O_RDONLY | O_DIRECTORY)
    }

    /// Reads what is there and returns the number of lines; the last word on an index counts.
    private static func read(
        _ name: String,
        in directory: OpenFile,
        into records: inout [Int: StateRecord]
    ) throws(SystemError) -> Int {
        let file = try OpenFile(name, in: directory, O_RDONLY | O_CREAT, mode: 0o600)
        var splitter = LineSplitter()
        var count = 0
        while true {
            let chunk = try file.read(64 << 10)
            guard !chunk.isEmpty else { return count }
            for line in splitter.split(chunk) {
                count += 1
                guard let entry = StateRecord.parse(String(decoding: line.bytes, as: UTF8.self)) else {
                    continue
                }
                records[entry.index] = entry.record
            }
        }
    }

    /// Writes the records that still count into a new file in place of the old one.
    private static func compact(
        _ records: some Sequence<StateRecord>,
        to name: String,
        in directory: OpenFile
    ) throws(SystemError) {
        let temporary = name + ".new"
        unsafe unlinkat(directory.descriptor, temporary, 0)
        let fresh = try AtomicFile(in: directory, temporary: temporary, unnamed: false)
        var buffer: [UInt8] = []
        for record in records {
            buffer += record.line.utf8
            if buffer.count > 64 << 10 {
                try fresh.file.write(buffer)
                buffer = []
            }
        }
        try fresh.file.write(buffer)
        try fresh.commit(as: name, synced: true)
    }

    /// Ends what a crash left in the middle of a line, so that the next record has a line of its own.
    private static func endTornLine(_ file: OpenFile) throws(SystemError) {
        guard try file.status().st_size > 0 else { return }
        lseek(file.descriptor, -1, SEEK_END)
        if try file.read(1) != [UInt8(ascii: "\n")] { try file.write([UInt8(ascii: "\n")]) }
    }
}
