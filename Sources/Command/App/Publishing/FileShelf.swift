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

    struct State {
        var files: [String: StoredFile]
        var uploads: [String: StoredUpload]
        /// The uploads that a request is adding to.
        var busyUploads: Set<String> = []
        /// The number of files that arrive in one request, and the bytes that requests have written but not recorded.
        var incoming = 0
        var incomingBytes = 0

        var count: Int { files.count + uploads.count + incoming }
        var bytes: Int {
            files.values.reduce(0) { $0 + $1.bytes } + uploads.values.reduce(incomingBytes) { $0 + $1.offset }
        }
    }

    /// How long a file that no post needs is stored, and an upload to which nothing is added.
    private static let lifetime = Duration.seconds(86_400)

    let folder: AppFolder
    private let pipeline: ImagePipeline
    let limits: Limits
    let disk: any TaskExecutor
    let wallClock: @Sendable () -> WallTime
    let state: Guarded<State>

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
        state = Guarded(
            State(
                files: Self.restored(StoredFile.self, in: folder.files),
                uploads: Self.restored(StoredUpload.self, in: folder.uploads)
            )
        )
    }

    /// Returns the values whose files exist, and removes all other files.
    private static func restored<Value: Decodable & Identifiable<String>>(
        _ type: Value.Type,
        in folder: String
    ) -> [String: Value] {
        let names = Set(FolderNames.all(in: folder))
        let values = AppFolder.read(type, in: folder).filter { $1.id == $0 && names.contains($0) }
        let known = Set(values.keys.flatMap { [$0, "\($0).json"] })
        for name in names.subtracting(known) { AppFolder.remove("\(folder)/\(name)") }
        return values
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
        let path = "\(folder.uploads)/\(id)"
        do {
            let file = try await onDisk { () throws(SystemError) in
                try OpenFile(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
            }
            for try await piece in body {
                try place.take(piece.count)
                try await onDisk { () throws(SystemError) in try file.write(piece) }
            }
            guard place.bytes > 0 else { throw APIError(400, "empty_file", "the file is empty") }
            return try await finish(id, name, bytes: place.bytes, file)
        } catch {
            // Nobody could continue it.
            try await disk.run { AppFolder.remove(path) }
            throw error
        }
    }

    /// Adds a complete file, which lies among the uploads, to the files.
    ///
    /// If the method throws, the file is where it was.
    ///
    /// - Parameters:
    ///   - id: The identifier of the file.
    ///   - name: The user's name for the file.
    ///   - bytes: The size of the file.
    ///   - opened: The file, opened for reading.
    /// - Returns: The file.
    /// - Throws: 507 if it cannot be stored; `CancellationError`.
    func finish(_ id: String, _ name: String, bytes: Int, _ opened: OpenFile) async throws -> StoredFile {
        let start = try await onDisk { () throws(SystemError) in
            guard Platform.syncData(opened.descriptor) == 0 else { throw SystemError("write to the disk") }
            return try opened.read(MediaSniffer.length, at: 0)
        }
        let type = MediaSniffer.type(of: start)
        var file = StoredFile(
            id: id,
            name: MediaName.cleaned(name, type: type),
            bytes: bytes,
            type: type.name,
            created: wallClock().secondsSince1970
        )
        let path = "\(folder.uploads)/\(id)"
        switch type.kind {
        case .image: try await measure(&file, at: path)
        case .other: file.fault = ErrorCode.unsupportedFormat.rawValue
        case .video, .audio: break
        }
        // The description first: a restarted server removes one without a file, but would also remove a file without one.
        let description = "\(folder.files)/\(id).json"
        let final = self.path(of: file)
        try await disk.run { [file] in
            try AppFolder.write(file, to: description)
            guard unsafe rename(path, final) == 0 else {
                let error = SystemError("name the file")
                AppFolder.remove(description)
                throw APIError.notStored(error)
            }
        }
        state.withLock { state in
            state.files[id] = file
            state.uploads[id] = nil
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

    /// Removes files older than a day, except those in `needed`, and uploads to which nothing was added for a day.
    func sweep(needed: Set<String>) async throws {
        let moment = wallClock()
        let isOld = { (seconds: Int) in moment - WallTime(secondsSince1970: seconds) > Self.lifetime }
        for file in files where !needed.contains(file.id) && isOld(file.created) { try await remove(file) }
        let uploads = state.withLock { state in
            state.uploads.values.filter { !state.busyUploads.contains($0.id) && isOld($0.changed) }
        }
        for upload in uploads { try await remove(upload) }
    }

    /// Records the size of a picture, or why it cannot be read; such a file can still be published.
    private func measure(_ file: inout StoredFile, at path: String) async throws {
        do {
            let size = try await pipeline.info(of: .file(path: path)).facts.size
            (file.width, file.height) = (size.width, size.height)
        } catch let error as CalotypeError {
            file.fault = error.code.rawValue
        }
    }

    func onDisk<Output: Sendable>(
        _ work: @Sendable () throws(SystemError) -> Output
    ) async throws -> Output {
        do {
            return try await disk.run(work)
        } catch let error as SystemError {
            throw APIError.notStored(error)
        }
    }

    // MARK: Limits

    fileprivate func enter() throws(APIError) {
        let hasRoom = state.withLock { state in
            guard state.count < limits.count else { return false }
            state.incoming += 1
            return true
        }
        guard hasRoom else { throw .tooManyFiles(limits) }
    }

    fileprivate func take(_ bytes: Int, after before: Int) throws(APIError) {
        guard before + bytes <= limits.file.bytes else { throw .tooLarge(limits) }
        try take(bytes)
    }

    /// Counts bytes that are about to be written.
    func take(_ bytes: Int) throws(APIError) {
        let hasRoom = state.withLock { state in
            guard state.bytes + bytes <= limits.total.bytes else { return false }
            state.incomingBytes += bytes
            return true
        }
        guard hasRoom else { throw .storageFull(limits) }
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

extension APIError {
    static func tooManyFiles(_ limits: FileShelf.Limits) -> APIError {
        APIError(
            507,
            "too_many_files",
            "there are already \(limits.count) files; remove some that no post needs"
        )
    }

    static func tooLarge(_ limits: FileShelf.Limits) -> APIError {
        APIError(413, "too_many_bytes", "the file is larger than \(limits.file)")
    }

    static func storageFull(_ limits: FileShelf.Limits) -> APIError {
        APIError(
            507,
            "storage_full",
            "all files together can use at most \(limits.total); remove some that no post needs"
        )
    }

    /// The disk refused the file, or the system is short of descriptors or memory.
    static func notStored(_ error: SystemError) -> APIError {
        APIError(
            CalotypeError(.storageFailed, "the file cannot be stored: \(error)", stage: .store, cause: error)
        )
    }
}
