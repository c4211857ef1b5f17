import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeCatalog

/// A catalogue that asks a scripted origin, with a clock that the test moves.
struct StoreFront: Sendable {
    static let base = "http://store.test"

    let origin: ScriptedTransport
    let clock: ManualClock
    let pipeline: ImagePipeline
    let catalog: Catalog

    /// Runs `body` with a catalogue whose origin answers everything with no results, and expects that nothing is left.
    static func open(
        _ configure: (inout CatalogConfiguration) -> Void = { _ in },
        pipeline change: (inout PipelineConfiguration) -> Void = { _ in },
        _ body: (StoreFront) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        let origin = ScriptedTransport(clock: clock, otherwise: answer([]))
        var configuration = PipelineConfiguration()
        configuration.retries = 0
        configuration.exchange = origin
        configuration.clock = clock
        configuration.wallClock = { wall(clock) }
        change(&configuration)
        try await withImagePipeline(configuration) { pipeline in
            let catalog = Catalog(pipeline, settings(clock, configure))
            try await body(StoreFront(origin: origin, clock: clock, pipeline: pipeline, catalog: catalog))
            try await QuietCheck.expectQuiet(pipeline)
            #expect(origin.statistics.open == 0)
        }
    }

    private static func settings(
        _ clock: ManualClock,
        _ configure: (inout CatalogConfiguration) -> Void
    ) -> CatalogConfiguration {
        var settings = CatalogConfiguration(services: CatalogServices(base: base))
        settings.clock = clock
        settings.wallClock = { wall(clock) }
        configure(&settings)
        return settings
    }

    private static func wall(_ clock: ManualClock) -> WallTime {
        WallTime(secondsSince1970: 1_000_000) + clock.now.offset
    }

    /// A whole answer, fresh for a minute unless said otherwise.
    static func answer(
        _ ids: [Int],
        _ headers: KeyValuePairs<String, String> = ["Cache-Control": "max-age=60"]
    ) -> ScriptedResponse {
        text(Fixtures.answer(ids.map { Fixtures.app($0) }), headers)
    }

    static func text(
        _ text: String,
        _ headers: KeyValuePairs<String, String> = ["Cache-Control": "max-age=60"]
    ) -> ScriptedResponse {
        ScriptedResponse(headers: headers, body: [.bytes(Array(text.utf8))])
    }

    /// Has the origin answer searches for `term` with `answers`, one after the other; the last again and again.
    func search(_ term: String = "moss", with answers: ScriptedResponse...) throws {
        let url = try AppStoreQuery(term).url(below: Self.base)
        let next = Guarded(0)
        origin.answer { request in
            guard request.url.text == url else { return nil }
            return answers[
                next.withLock { next in
                    defer { next = min(next + 1, answers.count - 1) }
                    return next
                }
            ]
        }
    }

    /// The numbers of the apps that a search finds; nothing of it is left in the pipeline, of which the next could take it.
    func ids(_ term: String = "moss") async throws -> [Int] {
        let ids = try await catalog.apps.search(term).map(\.id)
        try await QuietCheck.expectQuiet(pipeline)
        return ids
    }

    /// Starts a search whose caller is the `number`th that waits.
    func start(_ term: String = "moss", waiting number: Int) async -> Task<[Int], any Error> {
        let task = Task { try await catalog.apps.search(term).map(\.id) }
        while catalog.apps.waiterCount < number { await Task.yield() }
        return task
    }

    /// What a search fails with.
    func failure(_ term: String = "moss") async throws -> CatalogError {
        do {
            let apps = try await catalog.apps.search(term)
            Issue.record("no failure, but \(apps.map(\.id))")
            return CatalogError(.searchFailed, "")
        } catch let error as CatalogError {
            return error
        }
    }
}
