internal import CalotypeCore
import CalotypeFiles
internal import Glibc
internal import TaskFlow

/// The entries that earlier runs have completed in an output folder, stored outside of it.
///
/// There is one append-only text file for each output folder, in `$XDG_STATE_HOME/calotype`. A line that a
/// crash has truncated is ignored, and its picture is created again. In memory an entry takes about 150
/// bytes. The folder's lock (``OutputFolder``) also protects this file from a second run.
final class StateFile: Sendable {
    private struct State {
        var file: OpenFile?
        var records: [Int: StateRecord] = [:]
        var problem: String?
    }

    private let state: Guarded<State>

    /// Opens the state of the folder at the canonical path `folder`; if the file cannot be used, nothing is
    /// stored.
    init(folder: String, home: String? = StateFile.defaultHome) {
        do throws(SystemError) {
            guard let home else { throw SystemError("find a folder, $HOME is not set", code: ENOENT) }
            state = Guarded(try Self.open(folder: folder, home: home))
        } catch {
            state = Guarded(State(problem: "the state of this run cannot be stored: \(error)"))
        }
    }

    /// Returns, once, why the state is not stored (any more), for a warning.
    func takeProblem() -> String? {
        state.withLock { state in
            defer { state.problem = nil }
            return state.problem
        }
    }

    /// Returns the record of the picture with this index.
    func record(of index: Int) -> StateRecord? {
        state.withLock { $0.records[index] }
    }

    /// Adds the record of a picture whose file is in place.
    func add(_ record: StateRecord) {
        append(record.line) { $0[record.index] = record }
    }

    /// Records that the files of an earlier run are in place.
    func confirm(_ index: Int) {
        state.withLock { $0.records[index]?.isOfThisRun = true }
    }

    /// The records of pictures that this run has made or found complete.
    var recordsOfThisRun: some Sequence<StateRecord> {
        state.withLock { $0.records }.values.lazy.filter(\.isOfThisRun)
    }

    /// Removes a record, before its file is replaced by one with other options.
    func remove(_ index: Int) {
        append(StateRecord.removal(of: index)) { $0[index] = nil }
    }

    /// Returns `$XDG_STATE_HOME`, or `~/.local/state`.
    static var defaultHome: String? {
        EnvironmentVariables.absolutePath(in: "XDG_STATE_HOME")
            ?? EnvironmentVariables.value(of: "HOME").map { $0 + "/.local/state" }
    }

    private func append(_ line: String, _ change: (inout [Int: StateRecord]) -> Void) {
        // One small append under the lock, so the order in the file is the order in memory.
        state.withLock { state in
            // Also in memory if no file can store it.
            change(&state.records)
            guard let file = state.file else { return }
            do throws(SystemError) {
                try file.write(Array(line.utf8))
            } catch {
                state.file = nil
                state.problem = "the state of the rest of this run cannot be stored: \(error)"
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

    /// Reads the records and returns the number of lines; the last line for an index counts.
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

    /// Writes the current records into a new file that replaces the old one.
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

    /// Ends a line that a crash left incomplete, so that the next record gets its own line.
    private static func endTornLine(_ file: OpenFile) throws(SystemError) {
        guard try file.status().st_size > 0 else { return }
        lseek(file.descriptor, -1, SEEK_END)
        if try file.read(1) != [UInt8(ascii: "\n")] { try file.write([UInt8(ascii: "\n")]) }
    }
}
