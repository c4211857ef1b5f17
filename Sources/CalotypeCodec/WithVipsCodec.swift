/// Runs `body` with a codec, and returns when its threads have ended.
///
/// With an `executor`, all its work runs there and it has no threads. Await all calls to the codec before `body` returns.
///
/// - Throws: what `body` throws, or `ThreadStartError`.
public func withVipsCodec<Output>(
    _ configuration: VipsCodecConfiguration = VipsCodecConfiguration(),
    executor: (any TaskExecutor)? = nil,
    _ body: (VipsCodec) async throws -> Output
) async throws -> Output {
    let codec = VipsCodec(configuration, executor: executor)
    try codec.start()
    do {
        let output = try await body(codec)
        await codec.shutdown()
        return output
    } catch {
        await codec.shutdown()
        throw error
    }
}
