import CalotypeCodec
import CalotypeHTTP
import Glibc
import TaskFlow

/// Runs `body` with a pipeline, and returns when all of the pipeline's work has ended.
///
/// When `body` returns, throws or is cancelled, loads still under way are cancelled and awaited: no task, socket,
/// thread, temporary file or permit of the pipeline is left.
///
/// - Parameters:
///   - configuration: limits and manners.
///   - body: uses the pipeline.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws, or why the pipeline could not be set up.
public func withImagePipeline<Output>(
    _ configuration: PipelineConfiguration = PipelineConfiguration(),
    _ body: (ImagePipeline) async throws -> Output
) async throws -> Output {
    try await withCurlTransport(configuration.transport) { transport in
        try await withVipsCodec(configuration.codec) { codec in
            try await withThreadExecutor(name: "spool", threads: 1) { disk in
                try await withTaskScope { scope in
                    let sources = SourceLoader(
                        transport: transport,
                        codec: codec,
                        disk: disk,
                        configuration: configuration
                    )
                    return try await body(ImagePipeline(codec: codec, sources: sources, scope: scope))
                }
            }
        }
    }
}
