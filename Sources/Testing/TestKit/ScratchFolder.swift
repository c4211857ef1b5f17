import FoundationEssentials

/// Runs `body` with the path of an empty folder, which is removed afterwards with its contents.
package func withScratchFolder<Output>(_ body: (String) async throws -> Output) async throws -> Output {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "calotype-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let result: Result<Output, any Error>
    do { result = .success(try await body(folder.path)) } catch { result = .failure(error) }
    try FileManager.default.removeItem(at: folder)
    return try result.get()
}
