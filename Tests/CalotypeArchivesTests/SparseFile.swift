import CalotypePlatform

/// A file in a folder of its own whose runs of zeros take no room on the disk; both are gone with their owner.
final class SparseFile {
    struct Failure: Error {
        let what: String
    }

    let path: String
    private let folder: String
    private let descriptor: Int32
    private var length = 0

    init() throws {
        var template = Array("/tmp/calotype-zip-XXXXXX".utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { name in
            guard let start = name.baseAddress else { return false }
            return unsafe mkdtemp(start) != nil
        }
        guard isMade else { throw Failure(what: "make a folder") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = "\(folder)/large.zip"
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else { throw Failure(what: "make a file") }
    }

    deinit {
        close(descriptor)
        unsafe unlink(path)
        unsafe rmdir(folder)
    }

    /// Adds bytes; a piece that is `zeros` becomes a hole.
    func add(_ bytes: [UInt8], zeros: [UInt8]) throws {
        if !Self.areEqual(bytes, zeros) {
            let written = unsafe bytes.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, length)
            }
            guard written == bytes.count else { throw Failure(what: "write") }
        }
        length += bytes.count
        guard ftruncate(descriptor, length) == 0 else { throw Failure(what: "lengthen") }
    }

    /// In one call, since a loop over gigabytes takes minutes without optimisation.
    private static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                guard let first = one.baseAddress, let second = other.baseAddress else { return true }
                return unsafe memcmp(first, second, one.count) == 0
            }
        }
    }

    /// Has Python run `script` with the file's path as its argument; returns how it ended.
    func judge(_ script: String) throws -> Int32 {
        let words = ["python3", "-c", script, path]
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let status = unsafe posix_spawnp(&process, words[0], nil, nil, &arguments, environ)
        guard status == 0 else { throw Failure(what: "start python3") }
        var ending: Int32 = 0
        unsafe waitpid(process, &ending, 0)
        return ending
    }
}
