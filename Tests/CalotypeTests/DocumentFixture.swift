import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Pictures of an origin that tells how long they are good, and the time by which they are judged.
struct DocumentFixture: Sendable {
    /// Where a finished picture is kept.
    enum Place: CaseIterable, Sendable {
        case memory, store
    }

    let store = HeldStore()
    private let time = Guarded(WallTime(secondsSince1970: 1_000_000))

    /// Has a pipeline keep pictures in `place` alone, and judge them by this time.
    func configure(_ configuration: inout PipelineConfiguration, _ place: Place = .store) {
        configuration.wallClock = { [time] in time.withLock { $0 } }
        switch place {
        case .memory: break
        case .store:
            configuration.memoryCache = .none
            configuration.store = store
        }
    }

    /// Lets time go by, or go back.
    func advance(by duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }

    /// The photo with header fields.
    static func photo(
        _ headers: KeyValuePairs<String, String>,
        _ bytes: [UInt8] = PipelineFixture.photo
    ) -> ScriptedResponse {
        ScriptedResponse(headers: headers, body: [.bytes(bytes)])
    }

    /// Another photo: 32 by 8 pixels.
    static let other = TinyPicture.jpeg(PixelSize(width: 32, height: 8))
}

extension PipelineFixture {
    /// Loads the photo once, and expects that the stores help as `wanted`.
    func expectUse(
        _ wanted: CacheUse,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout ImageRequest) -> Void = { _ in }
    ) async throws {
        var request = request()
        change(&request)
        let use = try await ask(request).value.cache
        #expect(use == wanted, sourceLocation: sourceLocation)
    }

    /// What the last request asked with.
    func lastField(_ name: String) -> String? { origin.requests.last?.headers[name] }
}
