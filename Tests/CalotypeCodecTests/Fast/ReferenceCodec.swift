import CalotypeCodec

/// Runs `body` with a codec that leaves everything to libvips.
func withReferenceCodec<Output>(_ body: (ImageCodec) async throws -> Output) async throws -> Output {
    var configuration = ImageCodecConfiguration()
    configuration.usesLibvipsOnly = true
    return try await withImageCodec(configuration, executor: nil, body)
}
