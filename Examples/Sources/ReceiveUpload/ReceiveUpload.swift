import Calotype
import CalotypeOrigin
import ExampleKit

/// Sends a handler good and bad photos, and one from a client that goes away.
@main
struct ReceiveUpload {
    static func main() async {
        await Example.run {
            try await withSampleOrigin { origin in
                try await withImagePipeline { pipeline in
                    let handler = PhotoHandler(pipeline: pipeline, shelf: PhotoShelf())
                    // The photo that the clients have.
                    let photo = try await pipeline.data(for: ImageRequest(origin.thumbnailURL(1))).bytes
                    try await receive(photo, handler)
                    try await leave(photo, handler)
                    try Example.expect(
                        await handler.shelf.photos.map(\.count) == [3],
                        "one photo, in three sizes"
                    )
                    // A task that loaded for several callers ends a moment after the last of them.
                    let end = ContinuousClock.now + .seconds(10)
                    while !pipeline.snapshot.isQuiet, .now < end {
                        try await Task.sleep(for: .milliseconds(1))
                    }
                    try Example.expect(pipeline.snapshot.isQuiet, "nothing left of the uploads")
                }
            }
        }
    }

    private static func receive(_ photo: [UInt8], _ handler: PhotoHandler) async throws {
        let requests = [
            ("a photo", 201, Request(contentLength: photo.count, body: chunks(photo))),
            ("9 MiB, as announced", 413, Request(contentLength: 9 << 20, body: chunks([]))),
            ("a page", 415, Request(body: chunks(Array("<html>".utf8) + photo))),
            ("half of a photo", 422, Request(body: chunks(Array(photo.prefix(photo.count / 2))))),
        ]
        var table = Table("", "status", "answer")
        for (name, status, request) in requests {
            let response = try await handler.respond(to: request)
            try Example.expect(response.status == status, "status \(status) for \(name)")
            table.add(name, "\(response.status)", response.body)
        }
        table.print()
    }

    /// A server cancels the handler's task when its client has gone.
    private static func leave(_ photo: [UInt8], _ handler: PhotoHandler) async throws {
        let (body, sender) = AsyncStream.makeStream(of: [UInt8].self)
        sender.yield(Array(photo.prefix(4096)))
        let request = Request(body: body)
        let task = Task { try await handler.respond(to: request) }
        // Until the handler has the first bytes and waits for more.
        while handler.pipeline.snapshot.isQuiet { await Task.yield() }
        task.cancel()
        let outcome = await task.result
        let isCancelled = if case .failure(is CancellationError) = outcome { true } else { false }
        try Example.expect(isCancelled, "a handler that stops when its client has gone")
        print("a client that has gone: the handler stops, and nothing of the upload is left")
    }

    private static func chunks(_ bytes: [UInt8]) -> AsyncStream<[UInt8]> {
        AsyncStream { sender in
            for start in stride(from: 0, to: bytes.count, by: 4096) {
                sender.yield(Array(bytes[start..<min(start + 4096, bytes.count)]))
            }
            sender.finish()
        }
    }
}
