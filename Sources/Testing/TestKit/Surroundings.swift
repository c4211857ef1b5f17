import CalotypeCore
import CalotypeFiles
package import CalotypePlatform
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

/// Runs `body` while this process cannot open files or sockets.
///
/// Open ones stay open.
///
/// No other code in the process may open files meanwhile.
package func withoutDescriptors<Output>(_ body: () async throws -> Output) async throws -> Output {
    // No number beyond the standard streams, even if others close meanwhile. Not zero, because `poll` accepts
    // no more descriptors than the limit.
    try await withDescriptorLimit(3, body)
}

/// Runs `body` while this process can open only descriptors with numbers below `limit`.
package func withDescriptorLimit<Output>(
    _ limit: rlim_t,
    _ body: () async throws -> Output
) async throws -> Output {
    // The first timer creates what all timers of the process need.
    try await ContinuousClock().sleep(for: .microseconds(1))
    var before = rlimit()
    let kind = Platform.descriptorLimit
    guard unsafe getrlimit(kind, &before) == 0 else { throw SystemError("read the limit of files") }
    var low = before
    low.rlim_cur = limit
    guard unsafe setrlimit(kind, &low) == 0 else { throw SystemError("lower the limit of files") }
    let result: Result<Output, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    guard unsafe setrlimit(kind, &before) == 0 else { throw SystemError("raise the limit of files") }
    return try result.get()
}
