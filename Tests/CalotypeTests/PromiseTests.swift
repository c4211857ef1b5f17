import Calotype
import CalotypePlatform
import CalotypeTestKit
import Testing

@Suite(
    "The promise: cancelled at any step, nothing is left and the others get theirs",
    .timeLimit(.minutes(10))
)
struct PromiseTests {
    #if TSAN
    private static let orders: [CancellationSweep.JobOrder] = [.random(seed: 1)]
    #else
    private static let orders: [CancellationSweep.JobOrder] = [.arrival, .random(seed: 1), .random(seed: 2)]
    #endif

    @Test(arguments: PromiseScenario.all, orders)
    func `cut at every suspension point`(
        scenario: PromiseScenario,
        order: CancellationSweep.JobOrder
    ) async throws {
        let report = try await CancellationSweep(order: order).run { context in
            try await scenario.run(in: context, beginsTogether: order == .arrival)
        }
        #expect(report.cuts > 12)
    }

    @Test func `cut at every suspension point, no descriptor, thread or temporary file is left`() async {
        // In a process of its own, because other tests open and close descriptors meanwhile.
        await #expect(processExitsWith: .success) {
            alarm(500)
            var options = QuietCheck.Options()
            options.patience = .zero
            options.threads = ["codec", "spool"]
            // The first decode of a process loads libvips.
            try await CancellationSweep().run {
                try await PromiseScenario.alone.run(in: $0, beginsTogether: true)
            }
            try await withQuietCheck(options) { quiet in
                for scenario in PromiseScenario.all {
                    try await CancellationSweep().run { context in
                        try await scenario.run(in: context, beginsTogether: true)
                    } check: { _ in
                        try await quiet.expectQuiet()
                    }
                }
            }
        }
    }
}
