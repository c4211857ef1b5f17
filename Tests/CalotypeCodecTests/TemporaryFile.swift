import FoundationEssentials

/// Runs `body` with a file of `bytes`, which is gone afterwards.
func withTemporaryFile(_ bytes: [UInt8], _ body: (String) async throws -> Void) async throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "calotype-codec-\(UUID()).bin")
    try Data(bytes).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try await body(url.path())
}
