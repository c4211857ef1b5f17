/// Runs `body` with a codec, and returns when its threads have ended.
///
/// Await all calls to the codec before `body` returns.
///
/// - Throws: what `body` throws, or `ThreadStartError`.
public func withVipsCodec<Output>(
    _ configuration: VipsCodecConfiguration = VipsCodecConfiguration(),
    _ body: (VipsCodec) async throws -> Output
) async throws -> Output {
    let codec = VipsCodec(configuration)
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
