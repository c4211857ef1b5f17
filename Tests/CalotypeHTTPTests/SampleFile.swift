import CalotypeCore
import CalotypeFiles
import Foundation

@testable import CalotypeHTTP

/// A file in the temporary folder that is gone after the test.
struct SampleFile {
    let path: String

    /// Bytes that differ from place to place, so that a block in the wrong place shows.
    static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8 ^ $0 >> 17) }
    }

    /// Runs `body` with a file of `bytes`.
    static func with<Output>(
        _ bytes: [UInt8],
        _ body: (SampleFile) async throws -> Output
    ) async throws -> Output {
        let url = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID())")
        try Data(bytes).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(SampleFile(path: url.path))
    }

    /// Runs `body` with a file of `count` zeros that takes no room.
    static func withSparse<Output>(
        _ count: Int,
        _ body: (SampleFile) async throws -> Output
    ) async throws -> Output {
        try await with([]) { file in
            try file.resize(count)
            return try await body(file)
        }
    }

    /// Cuts the file, or adds zeros.
    func resize(_ count: Int) throws {
        guard unsafe truncate(path, count) == 0 else { throw SystemError("resize \(path)") }
    }

    /// The range as a body.
    func body(from offset: Int = 0, _ count: Int) throws -> HTTPBody {
        try HTTPBody(FileRange(path: path, offset: ByteCount(offset), length: ByteCount(count)))
    }
}
