import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeCatalog

/// Searches, cancelled at each of their steps over a scripted origin.
@Suite(.timeLimit(.minutes(5)))
struct CatalogSweepTests {
    private typealias Order = CancellationSweep.JobOrder
    private static let orders: [Order] = [.arrival, .random(seed: 1), .random(seed: 2)]

    @Test(arguments: orders)
    func `a search is cancelled at every step, and equal or waiting searches get their results`(
        _ order: CancellationSweep.JobOrder
    ) async throws {
        try await sweep(order) { context, catalog in
            async let same = catalog.apps.search("moss")
            async let behind = catalog.apps.search("ivy")
            let found = try await context.victim {
                let first = try await catalog.apps.search("moss")
                return first + (try await catalog.apps.search("fern"))
            }
            if let found { #expect(found.map(\.id) == [1, 1]) }
            let others = try await same + behind
            #expect(others.map(\.id) == [1, 1])
        }
    }

    @Test(arguments: orders)
    func `a search that meets a refusal is cancelled at every step, and the store is asked again in time`(
        _ order: CancellationSweep.JobOrder
    ) async throws {
        try await sweep(order, first: .status(429, headers: ["Retry-After": "5"])) { context, catalog in
            try await context.victim {
                do {
                    _ = try await catalog.apps.search("moss")
                } catch let error as CatalogError {
                    #expect(error.code == .rateLimited)
                }
            }
            try await context.clock.sleep(for: .seconds(5))
            // The first to ask may be refused once more, where the victim never came so far.
            _ = try? await catalog.apps.search("moss")
            try await context.clock.sleep(for: .seconds(5))
            let apps = try await catalog.apps.search("moss")
            #expect(apps.map(\.id) == [1])
        }
    }

    /// Sweeps `scenario` over an origin that answers each question after a while, the first one with `first`.
    private func sweep(
        _ order: CancellationSweep.JobOrder,
        first: ScriptedResponse? = nil,
        _ scenario: @escaping @Sendable (SweepContext, Catalog) async throws -> Void
    ) async throws {
        try await CancellationSweep(order: order).run { context in
            let transport = ScriptedTransport(
                clock: context.clock,
                otherwise: StoreFront.answer([1]).after(.pause(.milliseconds(20)))
            )
            let isFirst = Guarded(true)
            transport.answer { _ in
                let wasFirst = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                return wasFirst ? first?.after(.pause(.milliseconds(20))) : nil
            }
            var configuration = PipelineConfiguration()
            configuration.retries = 0
            configuration.exchange = transport
            configuration.clock = context.clock
            configuration.executor = context.executor
            configuration.wallClock = { WallTime(secondsSince1970: 1_000_000) }
            try await withImagePipeline(configuration) { pipeline in
                var settings = CatalogConfiguration(services: CatalogServices(base: StoreFront.base))
                settings.appCalls = CallLimit(callsPerMinute: 61, burst: 1)
                settings.clock = context.clock
                settings.wallClock = configuration.wallClock
                let catalog = Catalog(pipeline, settings)
                try await scenario(context, catalog)
                await context.settle()
                #expect(pipeline.snapshot.isQuiet && catalog.apps.waiterCount == 0)
                #expect(transport.statistics.open == 0)
            }
        }
    }
}
