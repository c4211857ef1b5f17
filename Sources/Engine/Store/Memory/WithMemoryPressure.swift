/// Runs `body`, and calls `onPressure` while the system, or the control group of this process, is short of memory.
///
/// Short means that tasks waited for memory for 15 % of the time. It is told once in 2 s at most, on a thread that does
/// nothing else and has ended when this returns. Where the system tells nothing, no thread is started, and the argument of
/// `body` says so.
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
///   - onPressure: Gives memory back; it is called on the watching thread and must be quick.
///   - body: The work.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
public func withMemoryPressure<Output, Failure: Error>(
    _ onPressure: @escaping @Sendable () -> Void,
    during body: (MemoryPressure) async throws(Failure) -> Output
) async throws(Failure) -> Output {
    try await withMemoryPressure(PressureWatcher(onPressure), during: body)
}

/// The same with a watcher that has been set up already.
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
