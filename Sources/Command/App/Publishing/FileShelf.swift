import Calotype
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypePlatform
import CalotypePublish
import FoundationEssentials
import TaskFlow

/// The uploaded files that are to be published.
final class FileShelf: Sendable {
    /// The maximum size of a file and of all files, and maximum number of files.
    struct Limits: Hashable, Sendable {
        var file = ByteCount.mebibytes(4096)
        var total = ByteCount.mebibytes(8192)
        var count = 1000
    }

    private struct State {
        var files: [String: StoredFile]
        /// The bytes received of incomplete files.
        var incomingBytes = 0
        var incoming = 0

        var bytes: Int { files.values.reduce(incomingBytes) { $0 + $1.bytes } }
    }

    /// How long a file that no post needs is stored.
    private static let lifetime = Duration.seconds(86_400)

    private let folder: AppFolder
    private let pipeline: ImagePipeline
    private let limits: Limits
    private let disk: any TaskExecutor
    private let wallClock: @Sendable () -> WallTime
    private let state: Guarded<State>

    /// Reads the folder, and removes orphaned files; blocks.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - pipeline: Inspects pictures.
    ///   - limits: The limits of the shelf.
    ///   - disk: The executor for writing files.
    ///   - wallClock: Returns the time.
    init(
        _ folder: AppFolder,
        _ pipeline: ImagePipeline,
        _ limits: Limits,
        disk: any TaskExecutor,
        wallClock: @escaping @Sendable () -> WallTime
    ) {
        self.folder = folder
        self.pipeline = pipeline
        self.limits = limits
        self.disk = disk
        self.wallClock = wallClock
        let names = Set(FolderNames.all(in: folder.files))
        let files = AppFolder.read(StoredFile.self, in: folder.files).filter { id, file in
            file.id == id && names.contains(id)
        }
        state = Guarded(State(files: files))
        let known = Set(files.keys.flatMap { [$0, "\($0).json"] })
        for name in names.subtracting(known) { AppFolder.remove("\(folder.files)/\(name)") }
    }

    /// All files, oldest first.
    var files: [StoredFile] {
        state.withLock { $0.files.values.sorted { ($0.created, $0.id) < ($1.created, $1.id) } }
    }

    subscript(id: String) -> StoredFile? { state.withLock { $0.files[id] } }

    /// Returns the path of a file's bytes.
    func path(of file: StoredFile) -> String { "\(folder.files)/\(file.id)" }

    /// Writes a body to a new file as it arrives.
    ///
    /// - Parameters:
    ///   - name: The user's name for the file.
    ///   - body: The bytes.
    /// - Returns: The file.
    /// - Throws: 413 and 507 if a limit is exceeded; errors of the body; `CancellationError`.
    func receive(_ name: String, _ body: IncomingBody) async throws -> StoredFile {
        let id = UUID().uuidString.lowercased()
        let place = try IncomingPlace(self)
        let path = "\(folder.files)/\(id)"
        let incoming = try await onDisk { () throws(SystemError) in try IncomingFile(path) }
        var start: [UInt8] = []
        for try await piece in body {
            try place.take(piece.count)
            start += piece.prefix(MediaSniffer.length - start.count)
            try await onDisk { () throws(SystemError) in try incoming.write(piece) }
        }
        guard place.bytes > 0 else { throw APIError(400, "empty_file", "the file is empty") }
        try await onDisk { () throws(SystemError) in try incoming.finish() }
        let type = MediaSniffer.type(of: start)
        var file = StoredFile(
            id: id,
            name: MediaName.cleaned(name, type: type),
            bytes: place.bytes,
            type: type.name,
            created: wallClock().secondsSince1970
        )
        do {
            switch type.kind {
            case .image: try await measure(&file)
            case .other: file.fault = ErrorCode.unsupportedFormat.rawValue
            case .video, .audio: break
            }
            try await keep(file)
        } catch {
            AppFolder.remove(path)
            throw error
        }
        return file
    }

    /// Removes a file.
    func remove(_ file: StoredFile) async throws {
        let folder = folder.files
        try await disk.run {
            AppFolder.remove("\(folder)/\(file.id).json")
            AppFolder.remove("\(folder)/\(file.id)")
        }
        state.withLock { _ = $0.files.removeValue(forKey: file.id) }
    }

    /// Removes files older than a day, except those in `needed`.
    func sweep(needed: Set<String>) async throws {
        let moment = wallClock()
        for file in files where !needed.contains(file.id) {
            let age = moment - WallTime(secondsSince1970: file.created)
            if age > Self.lifetime { try await remove(file) }
        }
    }

    /// Records the size of a picture, or why it cannot be read; such a file can still be published.
    private func measure(_ file: inout StoredFile) async throws {
        do {
            let size = try await pipeline.info(of: .file(path: path(of: file))).facts.size
            (file.width, file.height) = (size.width, size.height)
        } catch let error as CalotypeError {
            file.fault = error.code.rawValue
        }
    }

    private func keep(_ file: StoredFile) async throws {
        let path = "\(folder.files)/\(file.id).json"
        try await disk.run { try AppFolder.write(file, to: path) }
        state.withLock { $0.files[file.id] = file }
    }

    private func onDisk<Output: Sendable>(
        _ work: @Sendable () throws(SystemError) -> Output
    ) async throws -> Output {
        do {
            return try await disk.run(work)
        } catch let error as SystemError {
            throw APIError(507, "storage_failed", "the file cannot be stored: \(error)")
        }
    }

    // MARK: Limits

    fileprivate func enter() throws(APIError) {
        let hasRoom = state.withLock { state in
            guard state.files.count + state.incoming < limits.count else { return false }
            state.incoming += 1
            return true
        }
        guard hasRoom else {
            throw APIError(
                507,
                "too_many_files",
                "there are already \(limits.count) files; remove some that no post needs"
            )
        }
    }

    fileprivate func take(_ bytes: Int, after before: Int) throws(APIError) {
        guard before + bytes <= limits.file.bytes else {
            throw APIError(413, "too_many_bytes", "the file is larger than \(limits.file)")
        }
        let hasRoom = state.withLock { state in
            guard state.bytes + bytes <= limits.total.bytes else { return false }
            state.incomingBytes += bytes
            return true
        }
        guard hasRoom else {
            throw APIError(
                507,
                "storage_full",
                "all files together can use at most \(limits.total); remove some that no post needs"
            )
        }
    }

    fileprivate func leave(_ bytes: Int) {
        state.withLock { state in
            state.incoming -= 1
            state.incomingBytes -= bytes
        }
    }
}

/// The space reserved for an incomplete file.
///
/// It is released at the end, when the file itself counts or does not exist.
private final class IncomingPlace: Sendable {
    private let shelf: FileShelf
    private let count = Guarded(0)

    init(_ shelf: FileShelf) throws(APIError) {
        self.shelf = shelf
        try shelf.enter()
    }

    deinit {
        shelf.leave(bytes)
    }

    var bytes: Int { count.withLock(\.self) }

    func take(_ bytes: Int) throws(APIError) {
        try shelf.take(bytes, after: self.bytes)
        count.withLock { $0 += bytes }
    }
}

/// A file that is being received, which is deleted with its owner unless it was finished.
final class IncomingFile: Sendable {
    private let file: OpenFile
    private let temporary: String
    private let path: String

    /// Creates a file that will be at `path`; blocks.
    init(_ path: String) throws(SystemError) {
        self.path = path
        temporary = path + Self.ending
        file = try OpenFile(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    }

    deinit {
        unsafe unlink(temporary)
    }

    /// The name extension of incomplete files.
    static let ending = ".part"

    /// Appends bytes; blocks.
    func write(_ bytes: [UInt8]) throws(SystemError) {
        try file.write(bytes)
    }

    /// Syncs the file to disk, and gives it its final name; blocks.
    func finish() throws(SystemError) {
        guard Platform.syncData(file.descriptor) == 0 else { throw SystemError("write to the disk") }
        guard unsafe rename(temporary, path) == 0 else { throw SystemError("name the file") }
    }
}
