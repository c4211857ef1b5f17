import CalotypeTestKit

extension Claim {
    static let actors = [
        Claim(
            "An actor runs one call at a time, but other calls can run at each await: this cache loads twice.",
            shows: "2 loads"
        ) {
            let cache = ForgetfulCache()
            let bothCame = Arrivals(2)
            async let first = cache.photo("harbour") { try await bothCame.arrive() }
            async let second = cache.photo("harbour") { try await bothCame.arrive() }
            _ = try await (first, second)
            return "\(await cache.loads) loads"
        },
        Claim(
            "A cache that stores the work instead of its result loads once.",
            shows: "1 load"
        ) {
            let cache = SharingCache()
            async let first = cache.photo("harbour") { "picture" }
            async let second = cache.photo("harbour") { "picture" }
            _ = try await (first, second)
            return "\(await cache.loads) load"
        },
        Claim(
            "A global actor makes several types take turns: no print is lost.",
            shows: "1000 prints"
        ) {
            let enlarger = Enlarger()
            let dryer = await Dryer(enlarger)
            await withDiscardingTaskGroup { group in
                for _ in 0..<500 {
                    group.addTask { await enlarger.makePrint() }
                    group.addTask { _ = await dryer.printAnother() }
                }
            }
            return "\(await enlarger.prints) prints"
        },
        Claim(
            "An actor can have its own executor; its methods run there, regardless of the caller.",
            shows: "scanner queue, then another thread"
        ) {
            let place = await Scanner().place()
            return "\(place), then \(QueueExecutor.currentLabel)"
        },
        Claim(
            "With NonisolatedNonsendingByDefault a plain async function stays on its caller's actor; @concurrent leaves it.",
            shows: "stays: MainActor, leaves: no actor"
        ) { await askOnMainActor() },
    ]

    @MainActor
    private static func askOnMainActor() async -> String {
        @concurrent func leave() async -> String { Surroundings.actor() }
        return "stays: \(await stay()), leaves: \(await leave())"
    }

    private static func stay() async -> String { Surroundings.actor() }
}

/// Blocks all callers until enough have arrived.
struct Arrivals: Sendable {
    private let journal = Journal()
    private let count: Int

    init(_ count: Int) {
        self.count = count
    }

    func arrive() async throws -> String {
        journal.record("here")
        try await journal.wait(count: count)
        return "picture"
    }
}
