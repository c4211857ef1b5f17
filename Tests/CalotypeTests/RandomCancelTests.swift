import Calotype
import CalotypeCore
import CalotypeOrigin
import CalotypeSamplePictures
import TaskFlow
import Testing

/// Loads over the real transport and codec, cancelled at moments that nobody chose: their threads cannot be stepped.
@Suite(.timeLimit(.minutes(2)))
struct RandomCancelTests {
    /// What a path answers, and what a load of it ends with unless it is cancelled; `nil` for a picture.
    private static let paths: [(path: String, code: ErrorCode?)] = [
        ("/pictures/photo.jpg", nil), ("/pictures/drawing.png", nil), ("/latency/20/photo.jpg", nil),
        ("/pictures/large.jpg", nil), ("/slow/4000000/large.jpg", nil), ("/status/404", .http(status: 404)),
        ("/html/photo.jpg", .unsupportedFormat), ("/cut/50/photo.jpg", .truncatedBody), (Self.silent, nil),
    ]
    /// Never answers: its loads are cancelled at the end, if not before.
    private static let silent = "/hang"

    @Test(arguments: [UInt64](1...6))
    func `whatever is cancelled when, the others get what they would have got, and nothing is left`(
        seed: UInt64
    ) async throws {
        try await Gallery.open {
            $0.encodedBytes = .kibibytes(512)
            $0.connections = 8
        } _: { origin, pipeline in
            var random = SeededRandom(seed: seed)
            var loads: [(task: ImageTask<Rendition>, code: ErrorCode?)] = []
            for _ in 0..<60 {
                let (path, code) = Self.paths[Int(random.next() % UInt64(Self.paths.count))]
                let side = 16 << Int(random.next() % 4)
                let request = ImageRequest(origin.url("\(path)?\(random.next() % 3)"), .fit(side, side))
                loads.append((pipeline.task(for: request), code))
                if random.next() % 3 == 0, let (task, _) = loads.randomElement(using: &random) {
                    task.cancel()
                }
                if random.next() % 4 == 0 { loads.randomElement(using: &random)?.task.priority = .high }
                for _ in 0..<random.next() % 2000 { await Task.yield() }
            }
            for (task, _) in loads where task.request.isFor(Self.silent) { task.cancel() }
            for (task, code) in loads where !task.isCancelled {
                do {
                    let picture = try await task.value
                    #expect(code == nil && picture.bytes.count > 100, "seed \(seed): \(task.request)")
                } catch let error as CalotypeError {
                    #expect(error.code == code, "seed \(seed): \(task.request)")
                }
            }
            await Gallery.expectIdle(pipeline)
        }
    }
}

extension ImageRequest {
    fileprivate func isFor(_ path: String) -> Bool {
        if case .url(let text) = source { text.contains(path) } else { false }
    }
}
