import Calotype
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
    // The timeline needs the spans of every load, but nobody has to keep them.
    let recorder = trace ?? TraceRecorder(limit: 0)
    let timeline = Timeline(recorder)
    var server = server
    let observer = server.pipeline.observer
    server.pipeline.observer = { event in
        timeline.note(event)
        observer?(event)
    }
    server.pipeline.trace = recorder
    return try await withThumbnailResponder(server, recordingTo: trace) { thumbnails in
        try await withApp(configuration, thumbnails, timeline) { app in
            try await thumbnails.withListener(answering: app, body)
        }
    }
}
