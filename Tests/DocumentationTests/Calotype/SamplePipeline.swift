import Calotype
import CalotypeTestKit

/// Runs `body` with a pipeline whose every request is answered with a small picture.
func withSamplePipeline<Output>(
    _ configuration: PipelineConfiguration = PipelineConfiguration(),
    _ body: (ImagePipeline, ScriptedTransport) async throws -> Output
) async throws -> Output {
    let transport = ScriptedTransport(otherwise: .bytes(TinyPicture.jpeg(PixelSize(width: 64, height: 48))))
    var configuration = configuration
    configuration.exchange = transport
    return try await withImagePipeline(configuration) { pipeline in try await body(pipeline, transport) }
}
