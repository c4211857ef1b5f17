public import CalotypeServer
public import TaskFlow

/// Runs `body` with a thumbnail server that serves the web app too, and returns when all of its connections, tasks, threads and
/// files are closed.
///
/// - Parameters:
///   - configuration: What the app may do.
///   - server: What the server serves, and within which limits.
///   - trace: Takes the spans of its work, if somebody wants them.
///   - body: Uses it; it answers until `body` returns or throws.
/// - Returns: What `body` returns.
/// - Throws: As `withThumbnailServer`, and `DigestError` where libcrypto fails.
public func withAppServer<Output>(
    _ configuration: AppConfiguration,
    on server: ServerConfiguration,
    recordingTo trace: TraceRecorder? = nil,
    _ body: (RunningServer) async throws -> Output
) async throws -> Output {
    try await withThumbnailResponder(server, recordingTo: trace) { thumbnails in
        try await withApp(configuration, thumbnails) { app in
            try await thumbnails.withListener(answering: app, body)
        }
    }
}
