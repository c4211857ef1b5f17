/// Runs `body` with a codec, and returns when its threads have ended.
///
/// With an `executor`, all its work runs there and it has no threads. Await all calls to the codec before `body` returns.
///
/// - Throws: what `body` throws, or `ThreadStartError`.
public func withImageCodec<Output>(
    _ configuration: ImageCodecConfiguration = ImageCodecConfiguration(),
    executor: (any TaskExecutor)? = nil,
    _ body: (ImageCodec) async throws -> Output
) async throws -> Output {
    let codec = ImageCodec(configuration, executor: executor)
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
