import CalotypeCore
import CalotypeFiles
import CalotypeHTTPListener
import CalotypePlatform
import FoundationEssentials
import TaskFlow

/// A file that arrives in several requests, and can be continued after an interruption or a restart.
struct StoredUpload: Codable, Hashable, Identifiable, Sendable {
    /// The identifier, also of the complete file.
    let id: String
    /// The user's name for the file; never a path.
    let name: String
    /// The size of the complete file, in bytes.
    let length: Int
    /// The number of bytes at the beginning that are certainly on the disk.
    var offset: Int
    /// When something was last added, in seconds since 1970.
    var changed: Int
}

extension FileShelf {
    /// Creates an upload of a file with `length` bytes.
    ///
    /// - Throws: 400 for an empty file; 413 and 507 if the file would exceed a limit.
    func create(_ name: String, length: Int) async throws -> StoredUpload {
        guard length > 0 else { throw APIError(400, "empty_file", "the file is empty") }
        guard length <= limits.file.bytes else { throw APIError.tooLarge(limits) }
        let upload = StoredUpload(
            id: UUID().uuidString.lowercased(),
            name: name,
            length: length,
            offset: 0,
            changed: wallClock().secondsSince1970
        )
        try state.withLock { state throws(APIError) in
            guard state.count < limits.count else { throw .tooManyFiles(limits) }
            guard state.bytes + length <= limits.total.bytes else { throw .storageFull(limits) }
            state.uploads[upload.id] = upload
        }
        do {
            let path = path(of: upload)
            _ = try await onDisk { () throws(SystemError) in
                try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            }
            try await describe(upload)
        } catch {
            try await remove(upload)
            throw error
        }
        return upload
    }

    /// Returns the length of an upload, and how much of it has arrived; all of it for a file that is complete.
    ///
    /// - Throws: 404 if there is none.
    func upload(_ id: String) throws(APIError) -> (offset: Int, length: Int) {
        let (upload, file) = state.withLock { ($0.uploads[id], $0.files[id]) }
        if let upload { return (upload.offset, upload.length) }
        guard let file else { throw .noUpload }
        return (file.bytes, file.bytes)
    }

    /// Appends a body to an upload as it arrives; with the last byte, the upload becomes a file.
    ///
    /// If the body is cut off, what has arrived is kept.
    ///
    /// - Parameters:
    ///   - id: The identifier of the upload.
    ///   - offset: The position of the body in the file.
    ///   - body: The bytes.
    /// - Returns: How much of the file has arrived.
    /// - Throws: 404 if there is no such upload; 409 if the body does not begin where the upload ends; 413 and 507 if a
    ///   limit is exceeded; 423 if another request is adding to the upload; errors of the body; `CancellationError`.
    func append(to id: String, at offset: Int, _ body: IncomingBody) async throws -> Int {
        guard self[id] == nil else {
            // The client did not receive the response to its last request.
            let length = try upload(id).length
            guard offset == length else { throw APIError.wrongOffset(length) }
            return length
        }
        let upload = try state.withLock { state throws(APIError) in
            guard let upload = state.uploads[id] else { throw .noUpload }
            guard state.busyUploads.insert(id).inserted else { throw .uploadIsBusy }
            return upload
        }
        defer { state.withLock { _ = $0.busyUploads.remove(id) } }
        guard upload.offset == offset else { throw APIError.wrongOffset(upload.offset) }
        let path = path(of: upload)
        let file = try await onDisk { () throws(SystemError) in
            let file = try OpenFile(path, O_RDWR)
            // What an earlier request has written without recording it may not be on the disk.
            guard ftruncate(file.descriptor, off_t(offset)) == 0 else {
                throw SystemError("shorten the file")
            }
            return file
        }
        let arrived = try await arrived(body, in: file, of: upload)
        guard arrived == upload.length else { return arrived }
        _ = try await finish(id, upload.name, bytes: upload.length, file)
        try await disk.run { [description = description(of: upload)] in AppFolder.remove(description) }
        return arrived
    }

    /// Writes and records a body; returns how much of the file has arrived with it.
    private func arrived(_ body: IncomingBody, in file: OpenFile, of upload: StoredUpload) async throws -> Int
    {
        var (end, taken) = (upload.offset, 0)
        defer { state.withLock { $0.incomingBytes -= taken } }
        let result: Result<Void, any Error>
        do {
            for try await piece in body {
                guard piece.count <= upload.length - end else {
                    throw APIError(413, "too_many_bytes", "the body is longer than the rest of the file")
                }
                try take(piece.count)
                taken += piece.count
                try await onDisk { [end] () throws(SystemError) in try file.write(piece, at: end) }
                end += piece.count
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        // Also when the client has gone, because it continues here.
        if end > upload.offset { try await record(upload, end, in: file) }
        try result.get()
        return end
    }

    private func record(_ upload: StoredUpload, _ offset: Int, in file: OpenFile) async throws {
        var upload = upload
        (upload.offset, upload.changed) = (offset, wallClock().secondsSince1970)
        try await onDisk { () throws(SystemError) in
            guard Platform.syncData(file.descriptor) == 0 else { throw SystemError("write to the disk") }
        }
        try await describe(upload)
        let isRemoved = state.withLock { state in
            guard state.uploads[upload.id] != nil else { return true }
            state.uploads[upload.id] = upload
            return false
        }
        guard !isRemoved else {
            try await remove(upload)
            throw APIError.noUpload
        }
    }

    private func describe(_ upload: StoredUpload) async throws {
        try await disk.run { [path = description(of: upload)] in try AppFolder.write(upload, to: path) }
    }

    private func path(of upload: StoredUpload) -> String { "\(folder.uploads)/\(upload.id)" }
    private func description(of upload: StoredUpload) -> String { "\(path(of: upload)).json" }

    /// Removes an upload, and what has arrived of it.
    ///
    /// - Throws: 404 if there is none.
    func removeUpload(_ id: String) async throws {
        guard let upload = state.withLock({ $0.uploads[id] }) else { throw APIError.noUpload }
        try await remove(upload)
    }

    func remove(_ upload: StoredUpload) async throws {
        state.withLock { _ = $0.uploads.removeValue(forKey: upload.id) }
        let (path, description) = (path(of: upload), description(of: upload))
        try await disk.run {
            AppFolder.remove(description)
            AppFolder.remove(path)
        }
    }
}

extension APIError {
    fileprivate static let noUpload = APIError(404, "not_found", "this upload no longer exists; begin again")
    fileprivate static let uploadIsBusy = APIError(
        423,
        "upload_busy",
        "another request is adding to this upload; try again when it has ended"
    )

    fileprivate static func wrongOffset(_ offset: Int) -> APIError {
        APIError(409, "wrong_offset", "\(offset) bytes of this upload have arrived; continue there")
    }
}
