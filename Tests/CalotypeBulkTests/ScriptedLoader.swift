import CalotypeBulk
import CalotypeCore
import TaskFlow

/// A loader whose answers are written in the URL: `ok:BYTES`, `fail:CODE`, `hang:`, `deaf:` (does not hear a cancel), and
/// `no-webp:BYTES` (makes anything else), `cut:BYTES` (a part of the picture), `odd:BYTES` (made by libvips).
final class ScriptedLoader: RenditionLoading {
    private struct State {
        var requests: [ImageRequest] = []
        var served: Set<String> = []
        var hanging = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var deaf: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    var requests: [ImageRequest] { state.withLock { $0.requests } }
    var urls: [String] {
        requests.map { if case .url(let url) = $0.source { url } else { "" } }
    }

    /// Equal URLs share a download.
    var receivedBytes: ByteCount { state.withLock { ByteCount(4000 * $0.served.count) } }

    func load(_ request: ImageRequest) async throws -> Rendition {
        state.withLock { $0.requests.append(request) }
        guard case .url(let url) = request.source else {
            throw CalotypeError(.invalidURL, "none", stage: .request)
        }
        let parts = url.split(separator: ":", maxSplits: 1).map(String.init)
        switch parts.first {
        case "fail":
            let error = CalotypeError(ErrorCode(rawValue: parts[1]), "as \"told\" <b>", stage: .response)
            throw error.of(LoadDetails(attempts: 3, timings: Self.timings))
        case "no-webp":
            if case .webp = request.output {
                throw CalotypeError(.encodeFailed, "no", stage: .encode).of(LoadDetails(attempts: 1))
            }
        case "hang":
            noteHanging()
            try await Self.hang()
        case "deaf":
            noteHanging()
            await withCheckedContinuation { continuation in state.withLock { $0.deaf.append(continuation) } }
        default: break
        }
        state.withLock { _ = $0.served.insert(url) }
        let format: ImageFormat =
            switch request.output {
            case .png: .png
            case .webp: .webp
            default: .jpeg
            }
        var rendition = Self.rendition(Int(parts.last ?? "") ?? 10, format)
        rendition.decoder = parts.first == "odd" ? .libvips(reason: "16 bits") : nil
        rendition.isPartial = parts.first == "cut"
        if request.transform.mode == .fit {
            let side = request.transform.box.width
            rendition.size = PixelSize(width: side, height: side / 2)
        }
        return rendition
    }

    /// Waits until `count` loads hang.
    func untilHanging(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.hanging >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Lets the loads that hear no cancel go on.
    func releaseDeaf() {
        let waiting = state.withLock { state in
            defer { state.deaf = [] }
            return state.deaf
        }
        for continuation in waiting { continuation.resume() }
    }

    private func noteHanging() {
        let ready = state.withLock { state in
            state.hanging += 1
            let count = state.hanging
            let ready = state.watchers.filter { $0.count <= count }.map(\.continuation)
            state.watchers.removeAll { $0.count <= count }
            return ready
        }
        for continuation in ready { continuation.resume() }
    }

    private static func hang() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
        throw CancellationError()
    }

    static let timings: LoadTimings = {
        var timings = LoadTimings()
        timings.queue = .milliseconds(1)
        timings.dns = .microseconds(1500)
        timings.total = .milliseconds(20)
        return timings
    }()

    static func rendition(_ count: Int, _ format: ImageFormat) -> Rendition {
        Rendition(
            bytes: Array(repeating: 7, count: count),
            format: format,
            size: PixelSize(width: 256, height: 171),
            source: ImageFacts(format: .webp, storedSize: PixelSize(width: 600, height: 900), orientation: 6),
            sourceBytes: ByteCount(4000),
            attempts: 2,
            timings: timings
        )
    }
}
