internal import Glibc
internal import TaskFlow

/// Runs `body` with a disk cache, and returns when all is written and closed.
///
/// The cache is open, or known to be of no use, before `body` starts. After `body` what is staged is written; that takes
/// as long as the disk needs, and is not cut short by cancellation.
///
/// - Parameters:
///   - configuration: Where the cache is, and how much it keeps.
///   - clock: What measures its delays.
///   - body: Uses the cache; it may hand it on, because a cache whose scope has ended finds and keeps nothing.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
public func withDiskCache<Output>(
    _ configuration: DiskCacheConfiguration,
    clock: any Clock<Duration> = ContinuousClock(),
    _ body: (DiskCache) async throws -> Output
) async throws -> Output {
    try await withDiskCache(configuration, clock: clock, milliseconds: millisecondsSince1970, body)
}

/// The same, with a clock of the test's own for the date.
package func withDiskCache<Output>(
    _ configuration: DiskCacheConfiguration,
    clock: any Clock<Duration> = ContinuousClock(),
    milliseconds: @escaping @Sendable () -> Int64,
    _ body: (DiskCache) async throws -> Output
) async throws -> Output {
    let service = DiskCacheService(configuration, clock: clock, milliseconds: milliseconds)
    // One thread writes, and one is left for a reader when another is at a long check.
    let threads = ThreadExecutor(name: "disk cache", threads: max(configuration.readers, 1) + 1)
    let scope = TaskScope(executor: threads)
    do {
        try threads.start()
        try scope.start(name: "disk cache") { await service.run() }
    } catch {
        service.giveUp("\(error)")
    }
    let result: Result<Output, any Error>
    do {
        await service.opened.waitUncancelled()
        result = .success(try await body(DiskCache(service)))
    } catch {
        result = .failure(error)
    }
    service.mailbox.end()
    await scope.end(.drain)
    await threads.shutdown()
    return try result.get()
}

private func millisecondsSince1970() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
