import CalotypeCArchive
import CalotypePlatform

/// A zip file under construction. Members are stored uncompressed; sizes beyond 4 GiB use ZIP64.
///
/// Nothing is written anywhere: the caller takes the finished bytes piece by piece, and so decides how much
/// waits in memory.
// SAFETY: the one owner of the pointer, which its deinit gives back.
@safe
package struct ZipStream: ~Copyable {
    private let pointer: OpaquePointer

    /// Begins a zip file.
    ///
    /// - Throws: ``ArchiveError`` if libarchive is missing or memory runs out.
    package init() throws(ArchiveError) {
        try ArchiveLibrary.shared.check()
        guard let made = unsafe carchive_zip_new() else {
            throw ArchiveError("not enough memory for a zip file")
        }
        unsafe pointer = made
    }

    deinit {
        unsafe carchive_zip_free(pointer)
    }

    /// Checks that zip files can be written on this system.
    ///
    /// - Throws: ``ArchiveError`` if libarchive is missing.
    package static func checkAvailability() throws(ArchiveError) {
        try ArchiveLibrary.shared.check()
    }

    /// Begins a member.
    ///
    /// - Parameters:
    ///   - name: Its name, a relative path.
    ///   - bytes: Its size in bytes.
    ///   - modified: When it was last changed, in seconds since the start of 1970.
    /// - Throws: ``ArchiveError``.
    package mutating func begin(_ name: String, bytes: Int, modified: Int) throws(ArchiveError) {
        try check(unsafe carchive_zip_begin(pointer, name, Int64(bytes), Int64(modified)))
    }

    /// Adds bytes to the member.
    package mutating func add(_ bytes: ArraySlice<UInt8>) throws(ArchiveError) {
        let status = unsafe bytes.withUnsafeBytes {
            unsafe carchive_zip_add(pointer, $0.baseAddress, $0.count)
        }
        try check(status)
    }

    /// Ends the member.
    package mutating func end() throws(ArchiveError) {
        try check(unsafe carchive_zip_end(pointer))
    }

    /// Ends the file.
    package mutating func finish() throws(ArchiveError) {
        try check(unsafe carchive_zip_finish(pointer))
    }

    /// Returns the bytes that were produced since the last call.
    package mutating func take() -> [UInt8] {
        var count = 0
        let start = unsafe carchive_zip_waiting(pointer, &count)
        let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
        unsafe carchive_zip_taken(pointer)
        return bytes
    }

    private func check(_ status: Int32) throws(ArchiveError) {
        guard status != 0 else { return }
        throw ArchiveError(unsafe String(cString: carchive_zip_error(pointer)))
    }
}

/// The libarchive library, which a process loads once, when it first writes an archive.
struct ArchiveLibrary: Sendable {
    static let shared = ArchiveLibrary(Platform.archiveLibrary)

    private let failure: String?

    /// Loads the library `name`.
    init(_ name: String) {
        var text = [CChar](repeating: 0, count: 512)
        guard unsafe carchive_start(name, &text, text.count) != 0 else {
            failure = nil
            return
        }
        failure = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Throws unless the library can be used.
    func check() throws(ArchiveError) {
        guard let failure else { return }
        #if Archives
        let remedy =
            "libarchive 3 (on Debian: apt-get install libarchive13), which cannot be used: \(failure)"
        #else
        let remedy = "libarchive, and \(failure); build it with that trait"
        #endif
        throw ArchiveError("this needs \(remedy)", isUnavailable: true)
    }
}

/// An archive could not be written.
package struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Whether the library that writes archives is missing or too old.
    package let isUnavailable: Bool
    /// What happened and what to do.
    package let description: String

    init(_ description: String, isUnavailable: Bool = false) {
        self.description = description
        self.isUnavailable = isUnavailable
    }
}
