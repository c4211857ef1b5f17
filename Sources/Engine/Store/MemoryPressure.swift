internal import CalotypePlatform

/// Whether the system is watched for a shortage of memory, and through which files.
///
/// Linux reports how long tasks had to wait for memory (pressure stall information,
/// `Documentation/accounting/psi.rst`), for the whole system and for each control group of version 2. Older
/// kernels, and containers without these files, report nothing.
public struct MemoryPressure: Hashable, Sendable {
    /// The watched files; none if the system reports nothing.
    public let files: [String]

    /// Whether anything is watched.
    public var isWatched: Bool { !files.isEmpty }

    /// The files that may exist: the system's, and that of this process's control group.
    static var candidates: [String] {
        var files = ["/proc/pressure/memory"]
        // The root group is the system.
        if let group = controlGroup, group != "/" {
            files += ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].map { "\($0)\(group)/memory.pressure" }
        }
        return files
    }

    /// The path of the control group of version 2, from a line such as `0::/user.slice`.
    private static var controlGroup: String? {
        let descriptor = unsafe open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The kernel returns everything in one read, one line per hierarchy.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 8192) { buffer, count in
            unsafe count = max(read(descriptor, buffer.baseAddress, buffer.count), 0)
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("0::/") }.map { String($0.dropFirst(3)) }
    }
}

/// Runs `body`, and calls `onPressure` while the system, or the control group of this process, is short of
/// memory.
///
/// Short means that tasks waited for memory for 15 % of the time. It is reported at most once in 2 s, on a
/// dedicated thread that has ended when this returns. If the system reports nothing, no thread is started,
/// and the argument of `body` shows it.
///
/// ```swift
/// try await withMemoryPressure {
///     cache.trim(toFraction: 0.5)
/// } during: { pressure in
///     if !pressure.isWatched { print("shortages of memory are not noticed") }
///     try await work()
/// }
/// ```
///
/// - Parameters:
///   - onPressure: Frees memory; it is called on the watching thread and must be quick.
///   - body: The work.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
public func withMemoryPressure<Output, Failure: Error>(
    _ onPressure: @escaping @Sendable () -> Void,
    during body: (MemoryPressure) async throws(Failure) -> Output
) async throws(Failure) -> Output {
    try await withMemoryPressure(PressureWatcher(onPressure), during: body)
}

/// Runs `body` with a watcher that has been set up already.
package func withMemoryPressure<Output, Failure: Error>(
    _ watcher: PressureWatcher,
    during body: (MemoryPressure) async throws(Failure) -> Output
) async throws(Failure) -> Output {
    watcher.begin()
    do throws(Failure) {
        let output = try await body(watcher.pressure)
        await watcher.end()
        return output
    } catch {
        await watcher.end()
        throw error
    }
}
