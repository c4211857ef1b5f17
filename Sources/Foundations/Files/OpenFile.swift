package import CalotypePlatform

/// A file descriptor that its owner closes.
package final class OpenFile: Sendable {
    package let descriptor: Int32
    private let isOwned: Bool

    /// Takes over `descriptor`, or only uses it.
    package init(descriptor: Int32, isOwned: Bool = true) {
        self.descriptor = descriptor
        self.isOwned = isOwned
    }

    /// Takes over the descriptor that a call has just returned, or throws the error of that call.
    ///
    /// - Throws: `EMFILE` too, if the number is reserved: see ``DescriptorLimit/firstReserved``.
    package convenience init(
        opened descriptor: Int32,
        _ action: @autoclosure () -> String
    ) throws(SystemError) {
        guard descriptor >= 0 else { throw SystemError(action()) }
        self.init(descriptor: descriptor)
        if DescriptorLimit.isReserved(descriptor) { throw SystemError(action(), code: EMFILE) }
    }

    /// Opens `path`, relative to `folder` if given.
    package convenience init(
        _ path: String,
        in folder: OpenFile? = nil,
        _ flags: Int32,
        mode: mode_t = 0o666
    ) throws(SystemError) {
        assert(BlockingCalls.note("open \(path)"))
        let descriptor = unsafe openat(folder?.descriptor ?? AT_FDCWD, path, flags | O_CLOEXEC, mode)
        try self.init(opened: descriptor, "open \(path)")
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Writes all of `bytes`.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        assert(BlockingCalls.note("write"))
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe CalotypePlatform.write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
            }
            if count < 0, errno == EAGAIN {
                waitUntilWritable()
            } else if count < 0, errno != EINTR {
                throw SystemError("write")
            }
            done += max(count, 0)
        }
    }

    /// Waits for room in a descriptor that another process has made non-blocking, such as a shared pipe.
    private func waitUntilWritable() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&entry, 1, -1)
    }

    /// Reads up to `limit` bytes; returns none at the end.
    package func read(_ limit: Int) throws(SystemError) -> [UInt8] {
        assert(BlockingCalls.note("read"))
        while true {
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
                count = unsafe CalotypePlatform.read(descriptor, buffer.baseAddress, limit)
                filled = max(count, 0)
            }
            if count >= 0 { return bytes }
            guard errno == EINTR || errno == EAGAIN else { throw SystemError("read") }
        }
    }

    /// Reads the `count` bytes from `offset` on, or fewer if the file ends earlier.
    package func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
        assert(BlockingCalls.note("pread"))
        var failure: SystemError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let start = unsafe buffer.baseAddress?.advanced(by: filled)
                let read = unsafe pread(descriptor, start, count - filled, off_t(offset + filled))
                if read == 0 { return }
                if read > 0 {
                    filled += read
                } else if errno != EINTR {
                    return failure = SystemError("read")
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all of `bytes` from `offset` on, whatever was there.
    package func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        assert(BlockingCalls.note("pwrite"))
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe pwrite(
                    descriptor,
                    $0.baseAddress?.advanced(by: done),
                    $0.count - done,
                    off_t(offset + done)
                )
            }
            if count < 0, errno != EINTR { throw SystemError("write") }
            done += max(count, 0)
        }
    }

    /// The file's status from the system.
    package func status() throws(SystemError) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError("look at the file") }
        return status
    }
}

extension stat {
    package func isKind(_ kind: mode_t) -> Bool { st_mode & S_IFMT == kind }
}

/// Locks of single bytes, which need not exist.
///
/// The system releases them when the file is closed, however it is closed.
extension OpenFile {
    /// Locks the byte at `offset` without waiting.
    ///
    /// The file must be open for writing.
    ///
    /// - Returns: `false` if another open file, in this process or another one, holds the lock.
    package func lock(byteAt offset: Int64 = 0) throws(SystemError) -> Bool {
        var range = Self.range(offset)
        while unsafe fcntl(descriptor, Platform.setFileLock, &range) != 0 {
            switch errno {
            case EINTR: continue
            case EAGAIN, EACCES: return false
            default: throw SystemError("lock the file")
            }
        }
        return true
    }

    /// Whether another open file has locked the byte at `offset`.
    ///
    /// The check itself takes no lock, so it blocks nobody.
    package func isLocked(byteAt offset: Int64 = 0) throws(SystemError) -> Bool {
        var range = Self.range(offset)
        guard unsafe fcntl(descriptor, Platform.whoHasFileLock, &range) == 0 else {
            throw SystemError("look at the lock")
        }
        return range.l_type != Int16(F_UNLCK)
    }

    private static func range(_ offset: Int64) -> flock {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(offset)
        range.l_len = 1
        return range
    }
}
