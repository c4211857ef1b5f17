internal import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform
internal import TaskFlow

/// The entries that earlier runs have completed in an output folder, stored outside of it.
///
/// There is one append-only text file for each output folder, in `$XDG_STATE_HOME/calotype`. A line that a
/// crash has truncated is ignored, and its picture is created again. The folder's lock (``OutputFolder``)
/// also protects this file from a second run. Its functions block; call them on a file thread.
final class StateFile: Sendable {
    private struct State {
        /// `nil` if no file can store the records.
        var log: RecordLog?
        /// Whether the next run will find the records.
        var isStored = true
        var problem: String?
    }

    /// Whether earlier runs have left records.
    let hasFormerRecords: Bool
    private let state: Guarded<State>

    /// Opens the state of the folder at the canonical path `folder`; if the file cannot be used, nothing is
    /// stored for the next run.
    init(folder: String, home: String? = StateFile.defaultHome) {
        do throws(SystemError) {
            guard let home else { throw SystemError("find a folder, because $HOME is not set", code: ENOENT) }
            let log = try Self.open(folder: folder, home: home)
            hasFormerRecords = log.count > 0
            state = Guarded(State(log: log))
        } catch {
            hasFormerRecords = false
            state = Guarded(
                State(
                    log: Self.spare(),
                    isStored: false,
                    problem: "this run's state cannot be stored: \(error)"
                )
            )
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
        state.withLock { $0.log?.record(of: index) }
    }

    /// Adds the records of pictures whose files are in place.
    func add(_ records: [StateRecord]) {
        change { log throws(SystemError) in try log.add(records) }
    }

    /// Records that the files of an earlier run are in place.
    func confirm(_ index: Int) {
        change { log throws(SystemError) in try log.confirm(index) }
    }

    /// Calls `body` with each record of a picture that this run has made or found complete.
    func forEachOfThisRun(_ body: (StateRecord) -> Void) {
        // What cannot be read is not checked, and created again by the next run.
        state.withLock { try? $0.log?.forEach(ofThisRunOnly: true, body) }
    }

    /// Removes records, before their files are replaced by others with other options.
    func remove(_ indices: [Int]) {
        change { log throws(SystemError) in try log.remove(indices) }
    }

    /// Returns `$XDG_STATE_HOME`, or `~/.local/state`.
    static var defaultHome: String? {
        EnvironmentVariables.absolutePath(in: "XDG_STATE_HOME")
            ?? EnvironmentVariables.value(of: "HOME").map { $0 + "/.local/state" }
    }

    private func change(_ body: (inout RecordLog) throws(SystemError) -> Void) {
        // Small writes under the lock, so their order in the file is the order of the calls.
        state.withLock { state in
            guard var log = state.log.take() else { return }
            do throws(SystemError) {
                try body(&log)
                state.log = log
            } catch {
                if state.isStored {
                    state.problem = "the rest of this run's state cannot be stored: \(error)"
                }
                state.log = state.isStored ? Self.spare() : nil
                state.isStored = false
                // The run still checks at its end that the files of its later entries are there.
                guard var spare = state.log, (try? body(&spare)) != nil else { return }
                state.log = spare
            }
        }
    }

    /// Returns a log for this run alone, where temporary files go.
    private static func spare() -> RecordLog? {
        try? RecordLog.unnamed(in: OpenFile(EnvironmentVariables.temporaryFolder, O_RDONLY | O_DIRECTORY))
    }

    private static func open(folder: String, home: String) throws(SystemError) -> RecordLog {
        let directory = try openDirectory(home)
        let name = fileName(folder: folder)
        var log = try openLog(name, in: directory)
        if log.lineCount > 1024, log.lineCount > 2 * log.count {
            try compact(log, to: name, in: directory)
            log = try openLog(name, in: directory)
        }
        if log.folder != folder { try log.name(folder) }
        return log
    }

    /// Returns the name of the file for an output folder.
    static func fileName(folder: String) -> String { "fetch-\(StableHash.hexadecimal(folder)).state" }

    private static func openLog(_ name: String, in directory: OpenFile) throws(SystemError) -> RecordLog {
        let file = try OpenFile(name, in: directory, O_RDWR | O_CREAT | O_APPEND, mode: 0o600)
        return try RecordLog(lines: file, placesIn: directory)
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

    /// Writes the current records into a new file that replaces the old one.
    private static func compact(
        _ log: RecordLog,
        to name: String,
        in directory: OpenFile
    ) throws(SystemError) {
        let temporary = name + ".new"
        unsafe unlinkat(directory.descriptor, temporary, 0)
        let fresh = try AtomicFile(in: directory, temporary: temporary, unnamed: false)
        var buffer: [UInt8] = []
        try log.forEach { record throws(SystemError) in
            buffer += record.line.utf8
            if buffer.count > 64 << 10 {
                try fresh.file.write(buffer)
                buffer = []
            }
        }
        try fresh.file.write(buffer)
        try fresh.commit(as: name, synced: true)
    }
}
