package import CalotypeDigests
package import CalotypeFiles
internal import CalotypePlatform

/// A file that holds one value: a ``BlobHeader``, the metadata, the value, and a CRC32C of all three.
///
/// It contains the key's digest, so an index can be rebuilt from the files alone. Nothing is synced: after a
/// power cut a file may contain anything, and its checksum reveals it. All functions block while the disk is
/// busy.
package enum BlobFile {
    /// Writes `entry` to the new file `name`; leaves no file if that fails.
    ///
    /// - Throws: `EEXIST` if there is a file of that name, which stays as it is; `EFBIG` for an entry over
    ///   the limits of ``BlobHeader``; otherwise the system's error.
    package static func write(
        _ entry: StoredEntry,
        key: Digest,
        createdMilliseconds: Int64,
        as name: String,
        in folder: OpenFile
    ) throws(SystemError) {
        guard entry.metadata.count <= BlobHeader.metadataLimit.bytes,
            entry.bytes.count <= BlobHeader.valueLimit.bytes
        else { throw SystemError("write \(name)", code: EFBIG) }
        let header = BlobHeader(entry, key: key, createdMilliseconds: createdMilliseconds)
        let file = try OpenFile(name, in: folder, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        do throws(SystemError) {
            try write(entry, after: header.bytes, to: file)
        } catch {
            unsafe unlinkat(folder.descriptor, name, 0)
            throw error
        }
    }

    private static func write(
        _ entry: StoredEntry,
        after header: [UInt8],
        to file: OpenFile
    ) throws(SystemError) {
        var trailer: [UInt8] = []
        trailer.append(littleEndian: checksum(header, entry.metadata, entry.bytes))
        try file.write(header + entry.metadata)
        try file.write(entry.bytes)
        try file.write(trailer)
    }

    /// Reads the value for `key` from the file `name`.
    ///
    /// A value longer than `limit` is not read and counts as damaged.
    ///
    /// - Returns: The entry; `nil` if there is no such file.
    /// - Throws: What is wrong with the file, or the system's error.
    package static func read(
        _ name: String,
        in folder: OpenFile,
        key: Digest,
        limit: ByteCount = BlobHeader.valueLimit
    ) throws(BlobError) -> StoredEntry? {
        guard let file = try open(name, in: folder) else { return nil }
        let (header, headerBytes) = try header(of: file, limit: limit)
        guard header.key == key else { throw .damaged(.wrongKey) }
        let metadata = try file.bytes(header.metadataLength, at: BlobHeader.length)
        let valueStart = BlobHeader.length + header.metadataLength
        let value = try file.bytes(header.valueLength, at: valueStart)
        let trailer = try file.bytes(BlobHeader.trailerLength, at: valueStart + header.valueLength)
        guard trailer.littleEndian(UInt32.self, at: 0) == checksum(headerBytes, metadata, value) else {
            throw .damaged(.wrongChecksum)
        }
        return StoredEntry(metadata: metadata, bytes: value)
    }

    /// Reads the header and the metadata of the file `name`, to rebuild an index; the value is not checked.
    ///
    /// A file that announces a value longer than `limit` counts as damaged.
    ///
    /// - Returns: The header and the metadata; `nil` if there is no such file.
    /// - Throws: What is wrong with the file, or the system's error.
    package static func readHead(
        _ name: String,
        in folder: OpenFile,
        limit: ByteCount = BlobHeader.valueLimit
    ) throws(BlobError) -> (header: BlobHeader, metadata: [UInt8])? {
        guard let file = try open(name, in: folder) else { return nil }
        let (header, _) = try header(of: file, limit: limit)
        let metadata = try file.bytes(header.metadataLength, at: BlobHeader.length)
        guard CRC32C.of(metadata) == header.metadataChecksum else { throw .damaged(.wrongChecksum) }
        return (header, metadata)
    }

    /// Opens a file without following a link and without blocking, as a named pipe would.
    private static func open(_ name: String, in folder: OpenFile) throws(BlobError) -> OpenFile? {
        do throws(SystemError) {
            return try OpenFile(name, in: folder, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR: return nil
            case ELOOP, ENXIO: throw .damaged(.notAFile)
            default: throw .system(error)
            }
        }
    }

    /// Reads the header and checks it against the file's length before it determines any allocation.
    private static func header(
        of file: OpenFile,
        limit: ByteCount
    ) throws(BlobError) -> (BlobHeader, bytes: [UInt8]) {
        let length = try file.plainLength()
        let bytes = try file.bytes(BlobHeader.length, at: 0)
        let header = try BlobHeader(bytes)
        guard header.valueLength <= limit.bytes, header.metadataLength <= BlobHeader.metadataLimit.bytes
        else {
            throw .damaged(.tooLarge)
        }
        guard length >= header.fileLength else { throw .damaged(.truncated) }
        guard length == header.fileLength else { throw .damaged(.tooLong) }
        return (header, bytes)
    }

    /// Computes the checksum at the end of a file.
    ///
    /// It leaves out the header's own checksum: a CRC over bytes and their CRC is the same for all bytes, so
    /// the header of one file would match the contents of another.
    private static func checksum(_ header: [UInt8], _ metadata: [UInt8], _ value: [UInt8]) -> UInt32 {
        var checksum = CRC32C()
        checksum.update([UInt8](header[..<BlobHeader.checksumPlace]))
        checksum.update(metadata)
        checksum.update(value)
        return checksum.value
    }
}

extension OpenFile {
    fileprivate func plainLength() throws(BlobError) -> Int {
        let status: stat
        do throws(SystemError) { status = try self.status() } catch { throw .system(error) }
        guard status.isKind(S_IFREG) else { throw .damaged(.notAFile) }
        return Int(status.st_size)
    }

    fileprivate func bytes(_ count: Int, at offset: Int) throws(BlobError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try read(count, at: offset) } catch { throw .system(error) }
        guard bytes.count == count else { throw .damaged(.truncated) }
        return bytes
    }
}

/// Why a value file could not be read.
package enum BlobError: Error, CustomStringConvertible {
    /// The file is useless, now and later.
    case damaged(BlobDamage)
    /// The system returned an error; the file may be good.
    case system(SystemError)

    package var description: String {
        switch self {
        case .damaged(let damage): damage.rawValue
        case .system(let error): error.description
        }
    }
}

/// What is wrong with a value file that can be opened.
package enum BlobDamage: String, Sendable {
    /// It is a folder, a symbolic link, a device.
    case notAFile = "not a plain file"
    /// It ends before its header does, or within what the header announces.
    case truncated = "too short"
    /// It continues after its end.
    case tooLong = "too long"
    /// It does not begin like a value file.
    case wrongMagic = "not a value file"
    /// Another version of this code wrote it.
    case wrongVersion = "another version's format"
    /// The header's checksum is wrong.
    case wrongHeader = "damaged header"
    /// The header announces more than is allowed.
    case tooLarge = "larger than allowed"
    /// It contains the value of another key.
    case wrongKey = "another key's value"
    /// The checksum of metadata and value is wrong.
    case wrongChecksum = "damaged contents"
}
