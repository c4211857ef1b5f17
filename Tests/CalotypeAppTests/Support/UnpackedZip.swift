import CalotypePlatform
import CalotypeTestKit
import FoundationEssentials

/// What is in a zip file, by the reader of Python's standard library.
enum UnpackedZip {
    struct Member: Decodable {
        let name: String
        let content: String

        var bytes: [UInt8] { Data(base64Encoded: content).map(Array.init) ?? [] }
    }

    struct Failure: Error {
        let message: String
    }

    private static let script = """
        import base64, json, sys, zipfile
        archive = zipfile.ZipFile(sys.argv[1])
        assert archive.testzip() is None
        members = [{"name": i.filename, "content": base64.b64encode(archive.read(i)).decode()} for i in archive.infolist()]
        assert all(i.compress_type == zipfile.ZIP_STORED for i in archive.infolist())
        open(sys.argv[2], "w").write(json.dumps(members))
        """

    static func members(of bytes: [UInt8]) async throws -> [Member] {
        try await withScratchFolder { folder in
            let (archive, list) = ("\(folder)/a.zip", "\(folder)/list.json")
            try Data(bytes).write(to: URL(filePath: archive))
            let status = try run(["python3", "-c", script, archive, list])
            guard status == 0 else { throw Failure(message: "python3 ended with \(status)") }
            return try JSONDecoder().decode(
                [Member].self,
                from: try Data(contentsOf: URL(filePath: list))
            )
        }
    }

    /// Runs a program to its end; blocks.
    private static func run(_ words: [String]) throws -> Int32 {
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let status = unsafe posix_spawnp(&process, words[0], nil, nil, &arguments, environ)
        guard status == 0 else { throw Failure(message: "\(words[0]): \(status)") }
        var ending: Int32 = 0
        unsafe waitpid(process, &ending, 0)
        return ending
    }
}
