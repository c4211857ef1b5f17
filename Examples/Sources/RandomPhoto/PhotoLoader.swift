import Calotype
import CalotypeTestKit

/// Loads photos with a limit of one second each, and counts them.
struct PhotoLoader: Sendable {
    let pipeline: ImagePipeline
    let started = Recorder<String>()
    let loaded = Recorder<String>()
    let ended = Recorder<String>()

    /// Returns the photo; `nil` if it failed or took more than a second, so that one bad photo does not spoil
    /// the album.
    func photo(_ url: String) async throws(CancellationError) -> Rendition? {
        started.record(url)
        defer { ended.record(url) }
        var request = ImageRequest(url, .fit(160, 120))
        request.deadline = .now + .seconds(1)
        do {
            let photo = try await pipeline.rendition(for: request)
            loaded.record(url)
            return photo
        } catch let error as CancellationError {
            throw error
        } catch {
            return nil
        }
    }

    var running: Int { started.count - ended.count }
}
