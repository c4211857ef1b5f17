import Glibc

/// Whole files, read and written in one go.
enum Files {
    struct Failure: Error {
        let path: String
        let number: Int32
    }

    static func lines(_ path: String) throws -> [String] {
        String(decoding: try bytes(path), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { throw Failure(path: path, number: errno) }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0 else { throw Failure(path: path, number: errno) }
        let count = Int(facts.st_size)
        return try [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            while filled < count, let start = room.baseAddress {
                let got = read(file, start + filled, count - filled)
                guard got > 0 else { throw Failure(path: path, number: errno) }
                filled += got
            }
        }
    }

    static func write(_ bytes: [UInt8], _ path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        guard file >= 0 else { throw Failure(path: path, number: errno) }
        defer { close(file) }
        var done = 0
        while done < bytes.count {
            let put = bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map { Glibc.write(file, $0 + done, buffer.count - done) } ?? -1
            }
            guard put > 0 else { throw Failure(path: path, number: errno) }
            done += put
        }
    }
}
