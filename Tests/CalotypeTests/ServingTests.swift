import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// What a face that serves pictures is given without a load.
@Suite(.timeLimit(.minutes(1)))
struct ServingTests {
    private let gazette = Gazette()

    private func open(_ place: Gazette.Place = .store, _ body: (Studio) async throws -> Void) async throws {
        try await Studio.open {
            gazette.configure(&$0, place)
        } _: { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                .status(304)
            )
            try await body(studio)
        }
    }

    @Test func `what the store has and may be taken is had without a load`() async throws {
        try await open { studio in
            let request = studio.request()
            let none = try await studio.pipeline.servedFromStore(request)
            #expect(none == nil)
            let made = try await studio.ask(request).value
            let told = studio.events.values.count
            let found = try await studio.pipeline.servedFromStore(request)
            let served = try #require(found)
            #expect(served.rendition.bytes == made.bytes)
            #expect(served.rendition.cache == .hit && served.rendition.attempts == 0)
            #expect(served.standing?.entityTag == "\"1\"")
            #expect(studio.events.values.count == told)
            gazette.advance(by: .seconds(60))
            let stale = try await studio.pipeline.servedFromStore(request)
            #expect(stale == nil)
            #expect(studio.origin.statistics.requests == 1)
        }
    }

    @Test func `without time for a slow store it is not asked`() async throws {
        try await open { studio in
            var request = studio.request()
            _ = try await studio.ask(request).value
            request.deadline = .now + .seconds(1)
            let hurried = try await studio.pipeline.servedFromStore(request)
            #expect(hurried == nil)
            request.deadline = .now + .seconds(100)
            let patient = try await studio.pipeline.servedFromStore(request)
            #expect(patient != nil)
        }
    }

    @Test func `who comes while a picture is made waits for that one`() async throws {
        try await open { studio in
            let event = Event()
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo([:]).after(.until(event))
            )
            let making = studio.ask(studio.request())
            studio.settle()
            let reads = gazette.store.calls.values.count { $0 == .read }
            let none = try await studio.pipeline.servedFromStore(studio.request())
            #expect(none == nil)
            #expect(gazette.store.calls.values.count { $0 == .read } == reads)
            event.signal()
            studio.settle()
            _ = try await making.value
        }
    }

    @Test func `the tag of a picture in memory is made once, and anew with its version`() async throws {
        try await open(.memory) { studio in
            let request = studio.request()
            _ = try await studio.ask(request).value
            let served = try #require(studio.pipeline.servedFromMemory(request))
            #expect(served.tag?.text { "first" } == "first")
            let again = try #require(studio.pipeline.servedFromMemory(request))
            #expect(again.tag?.text { "second" } == "first")
            gazette.advance(by: .seconds(60))
            #expect(studio.pipeline.servedFromMemory(request) == nil)
            _ = try await studio.ask(request).value
            let renewed = try await studio.pipeline.served(request)
            #expect(renewed.tag == nil)
        }
    }
}
