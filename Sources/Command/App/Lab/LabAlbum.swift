import Calotype
import CalotypeCore
import CalotypeOrigin
import Dispatch
import TaskFlow

/// The images that one way of the lab loads from an origin of its own, and what became of each.
final class LabAlbum: Sendable {
    /// The number of images of each way.
    static let count = 24

    /// What became of an image; the raw values are those of the API.
    enum ImageState: Character, Sendable {
        case waiting = "w"
        case running = "r"
        case finished = "f"
        case failed = "x"
        case cancelled = "c"
    }

    /// The state of a way at one moment; times are since the server's start.
    struct Record: Hashable, Sendable {
        var images = [ImageState](repeating: .waiting, count: LabAlbum.count)
        var start: Duration?
        /// The time at which the way was told to stop.
        var cancelled: Duration?
        var end: Duration?
        /// The number of images that were loaded, or failed, after the cancellation.
        var late = 0
        /// The number of requests that the origin received.
        var requests = 0
    }

    let images = 0..<LabAlbum.count
    /// The number of images that a bounded group loads at a time.
    let width: Int
    private let run: LabRun
    private let pipeline: ImagePipeline
    private let origin: Origin
    private let state = Guarded(Record())
    private let tokens = Guarded<[LoadToken]>([])

    init(_ run: LabRun, _ pipeline: ImagePipeline, _ origin: Origin) {
        width = run.settings.width
        self.run = run
        self.pipeline = pipeline
        self.origin = origin
    }

    /// The state now.
    var record: Record {
        var record = state.withLock(\.self)
        record.requests = origin.statistics.requests
        return record
    }

    func began(at now: Duration) { state.withLock { $0.start = now } }
    func wasCancelled(at now: Duration) { state.withLock { $0.cancelled = now } }
    func ended(at now: Duration) { state.withLock { $0.end = now } }

    /// Loads an image and notes the result.
    ///
    /// - Throws: `CancellationError` if the task is cancelled or the page is closed.
    func load(_ image: Int) async throws {
        do {
            let request = try begin(image)
            try await run.whileOpen { _ = try await self.pipeline.rendition(for: request) }
            note(.finished, image)
        } catch is CancellationError {
            note(.cancelled, image)
            throw CancellationError()
        } catch {
            note(.failed, image)
        }
    }

    /// Loads an image, notes the result and then calls `completion`.
    func load(_ image: Int, completion: @escaping @Sendable () -> Void) {
        guard let request = try? begin(image) else {
            note(.cancelled, image)
            return completion()
        }
        let token = pipeline.load(request, on: .global()) { result in
            switch result {
            case .success: self.note(.finished, image)
            case .failure(let error): self.note(error is CancellationError ? .cancelled : .failed, image)
            }
            completion()
        }
        tokens.withLock { $0.append(token) }
        // The page may have been closed in between.
        if run.isClosed { token.cancel() }
    }

    /// Cancels the loads with callbacks, because the page was closed.
    func close() {
        for token in tokens.withLock(\.self) { token.cancel() }
    }

    /// Notes that an image is being loaded, and returns its request.
    ///
    /// - Throws: `CancellationError` if the task is cancelled or the page is closed.
    private func begin(_ image: Int) throws -> ImageRequest {
        guard !Task.isCancelled, !run.isClosed else { throw CancellationError() }
        note(.running, image)
        return ImageRequest(run.url(of: image, at: origin.port), .fit(96, 96), .jpeg(quality: 80))
    }

    private func note(_ image: ImageState, _ index: Int) {
        state.withLock { state in
            state.images[index] = image
            let isLate = state.cancelled != nil && (image == .finished || image == .failed)
            if isLate { state.late += 1 }
        }
    }
}

/// Calls a function when everything that it counts has ended.
final class Countdown: Sendable {
    private let rest: Guarded<Int>
    private let end: @Sendable () -> Void

    /// - Parameters:
    ///   - count: How often ``countDown()`` will be called; at least once.
    ///   - end: Called by the last of these calls.
    init(_ count: Int, _ end: @escaping @Sendable () -> Void) {
        rest = Guarded(count)
        self.end = end
    }

    func countDown() {
        let isLast = rest.withLock { rest in
            rest -= 1
            return rest == 0
        }
        if isLast { end() }
    }
}
