extension Platform {
    /// A flag of `open` for a file without a name.
    ///
    /// On macOS, which has no such files, every call with it fails with `EISDIR`, as it does on a file system
    /// of Linux that supports only named files.
    #if canImport(Darwin)
    package static let unnamedFlag = O_DIRECTORY
    #else
    // `O_TMPFILE` is a macro of two flags, which Swift does not import.
    package static let unnamedFlag: Int32 = 0o20_000_000 | O_DIRECTORY
    #endif

    /// The folder with a name for each open descriptor of this process.
    #if canImport(Darwin)
    package static let descriptorFolder = "/dev/fd"
    #else
    package static let descriptorFolder = "/proc/self/fd"
    #endif

    // The commands of `fcntl` that lock for an open file instead of a process; Swift does not import them.
    #if canImport(Darwin)
    package static let whoHasFileLock: Int32 = 92
    package static let setFileLock: Int32 = 90
    #else
    package static let whoHasFileLock: Int32 = 36
    package static let setFileLock: Int32 = 37
    #endif

    /// Opens a new file for reading and writing in the folder at `path` that no name leads to; -1 with `errno`
    /// on failure.
    package static func openUnnamed(in path: String) -> Int32 {
        #if canImport(Darwin)
        var template = unsafe "\(path)/calotype-XXXXXX".utf8CString.map(\.self)
        let descriptor = unsafe mkostemp(&template, O_CLOEXEC)
        if descriptor >= 0 { unsafe unlink(template) }
        return descriptor
        #else
        return unsafe open(path, unnamedFlag | O_RDWR | O_CLOEXEC, 0o600)
        #endif
    }

    /// Waits until the disk has what the file contains; -1 with `errno` on failure.
    ///
    /// On macOS, `fsync` leaves the data in the drive's cache.
    package static func syncData(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor)
        #else
        fdatasync(descriptor)
        #endif
    }

    /// Reserves `size` bytes for a file; returns an error number, or 0.
    package static func reserve(_ size: Int, for descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        var store = fstore_t()
        store.fst_flags = UInt32(F_ALLOCATEALL)
        store.fst_posmode = F_PEOFPOSMODE
        store.fst_length = off_t(size)
        return unsafe fcntl(descriptor, F_PREALLOCATE, &store) == 0 && ftruncate(descriptor, off_t(size)) == 0
            ? 0 : errno
        #else
        return posix_fallocate(descriptor, 0, off_t(size))
        #endif
    }
}

extension stat {
    /// When the contents changed.
    package var modifiedTime: timespec {
        #if canImport(Darwin)
        st_mtimespec
        #else
        st_mtim
        #endif
    }

    /// When the contents, the name or the permissions changed.
    package var changedTime: timespec {
        #if canImport(Darwin)
        st_ctimespec
        #else
        st_ctim
        #endif
    }
}
