import FoundationEssentials

/// Runs `body` with a file of `bytes`, which is gone afterwards.
func withTemporaryFile<Result>(
    _ bytes: [UInt8],
    _ body: (String) async throws -> Result
) async throws -> Result {
    let url = FileManager.default.temporaryDirectory.appending(path: "calotype-codec-\(UUID()).bin")
    try Data(bytes).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    return try await body(url.path())
}
