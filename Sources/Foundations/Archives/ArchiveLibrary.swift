import CalotypeCArchiveShim

/// libarchive as a whole, which a process loads once, when an archive is to be written.
struct ArchiveLibrary: Sendable {
    static let shared = ArchiveLibrary("libarchive.so.13")

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

    /// Throws unless it can be used.
    func check() throws(ArchiveError) {
        guard let failure else { return }
        throw ArchiveError(
            """
            writing a zip file needs libarchive 3 (on Debian: apt-get install libarchive13), which cannot be used: \
            \(failure)
            """,
            isUnavailable: true
        )
    }
}
