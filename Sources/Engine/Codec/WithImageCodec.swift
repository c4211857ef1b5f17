/// Runs `body` with a codec, and returns when its threads and worker processes have ended.
///
/// With an `executor`, all its work runs there and it has no threads. Await all calls to the codec before `body` returns.
///
/// - Throws: what `body` throws, or as ``ImageCodec/start()``.
public func withImageCodec<Output>(
    _ configuration: ImageCodecConfiguration = ImageCodecConfiguration(),
    executor: (any TaskExecutor)? = nil,
    _ body: (ImageCodec) async throws -> Output
) async throws -> Output {
    let codec = ImageCodec(configuration, executor: executor)
    do {
        try codec.start()
        let output = try await body(codec)
        await codec.shutdown()
        return output
    } catch {
        await codec.shutdown()
        throw error
    }
}
