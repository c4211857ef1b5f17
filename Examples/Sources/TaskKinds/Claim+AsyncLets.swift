import CalotypeTestKit

extension Claim {
    static let asyncLets = [
        Claim(
            "async let starts immediately and gives its value, or its error, where it is awaited.",
            shows: "started, body goes on, awaited Mishap"
        ) {
            let journal = Journal()
            let started = Event()
            let mayEnd = Event()
            @Sendable func fail() async throws {
                journal.record("started")
                started.signal()
                try await mayEnd.wait()
                throw Mishap()
            }
            async let work: Void = fail()
            try await started.wait()
            journal.record("body goes on")
            mayEnd.signal()
            do {
                try await work
            } catch {
                journal.record("awaited \(type(of: error))")
            }
            return journal.text
        },
        Claim(
            "async let cancels and awaits what was not awaited when its scope is left.",
            shows: "body returned, work cancelled, scope left"
        ) {
            let journal = Journal()
            func leave() async {
                async let work: Void = journal.noteCancellation(of: "work")
                journal.record("body returned")
            }
            await leave()
            journal.record("scope left")
            return journal.text
        },
        Claim(
            "This also happens when an error leaves the scope, even that of another async let.",
            shows: "slow work cancelled, scope threw Mishap"
        ) {
            let journal = Journal()
            do {
                try await doBoth(journal)
            } catch {
                journal.record("scope threw \(type(of: error))")
            }
            return journal.text
        },
    ]

    private static func doBoth(_ journal: Journal) async throws {
        async let slow: Void = journal.noteCancellation(of: "slow work")
        async let failing: Void = fail()
        try await failing
        await slow
    }

    private static func fail() async throws { throw Mishap() }
}
