import CalotypeCodec
import CalotypeCore
import CalotypeHTTPMessages
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// What a face that serves pictures is given without a load.
@Suite(.timeLimit(.minutes(1)))
struct ServingTests {
    private let documents = DocumentFixture()

    private func open(
        _ place: DocumentFixture.Place = .store,
        _ body: (PipelineFixture) async throws -> Void
    ) async throws {
        try await PipelineFixture.open {
            documents.configure(&$0, place)
        } _: { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                .status(304)
            )
            try await body(fixture)
        }
    }

    private func stored(_ request: ImageRequest, _ fixture: PipelineFixture) async throws -> Picture? {
        var query = PictureQuery(request)
        return try await fixture.pipeline.servedFromStore(&query)
    }

    private func inMemory(_ request: ImageRequest, _ fixture: PipelineFixture) -> Picture? {
        var query = PictureQuery(request)
        return fixture.pipeline.servedFromMemory(&query)
    }

    @Test func `what the store has and may be taken is had without a load`() async throws {
        try await open { fixture in
            let request = fixture.request()
            let none = try await stored(request, fixture)
            #expect(none == nil)
            let made = try await fixture.ask(request).value
            let told = fixture.events.values.count
            let found = try await stored(request, fixture)
            let served = try #require(found)
            #expect(served.rendition.bytes == made.bytes)
            #expect(served.rendition.cache == .hit && served.rendition.attempts == 0)
            #expect(served.provenance.version?.entityTag == "\"1\"")
            #expect(fixture.events.values.count == told)
            documents.advance(by: .seconds(60))
            let stale = try await stored(request, fixture)
            #expect(stale == nil)
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `without time for a slow store it is not asked`() async throws {
        try await open { fixture in
            var request = fixture.request()
            _ = try await fixture.ask(request).value
            request.deadline = .now + .seconds(1)
            let hurried = try await stored(request, fixture)
            #expect(hurried == nil)
            request.deadline = .now + .seconds(100)
            let patient = try await stored(request, fixture)
            #expect(patient != nil)
        }
    }

    @Test func `a request for a picture that is being made waits for it`() async throws {
        try await open { fixture in
            let event = Event()
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo([:]).after(.until(event))
            )
            let making = fixture.ask(fixture.request())
            fixture.settle()
            let reads = documents.store.calls.values.count { $0 == .read }
            let none = try await stored(fixture.request(), fixture)
            #expect(none == nil)
            #expect(documents.store.calls.values.count { $0 == .read } == reads)
            event.signal()
            fixture.settle()
            _ = try await making.value
        }
    }

    @Test func `the tag of a picture in memory is made once, and again with a new version`() async throws {
        try await open(.memory) { fixture in
            let request = fixture.request()
            _ = try await fixture.ask(request).value
            let served = try #require(inMemory(request, fixture))
            #expect(served.provenance.tag.text { "first" } == "first")
            let again = try #require(inMemory(request, fixture))
            #expect(again.provenance.tag.text { "second" } == "first")
            documents.advance(by: .seconds(60))
            #expect(inMemory(request, fixture) == nil)
            _ = try await fixture.ask(request).value
            let renewed = try await fixture.pipeline.served(request)
            #expect(renewed.provenance.tag.text { "second" } == "second")
        }
    }

    @Test func `a query shares the names of an earlier one for the same picture only`() {
        let url = "https://pictures.example/1.jpg"
        let first = PictureQuery(ImageRequest(url, .fit(20, 10)))
        var same = ImageRequest(url, .fit(20, 10))
        same.deadline = .now + .seconds(1)
        let second = PictureQuery(same, sharingNamesWith: first)
        #expect(second.key.names === first.key.names)
        #expect(second.request.deadline == same.deadline)
        var others = [
            ImageRequest(url, .fit(20, 11)), ImageRequest(url, .fit(20, 10), .png),
            ImageRequest(url + "?", .fit(20, 10)),
        ]
        others.append(same)
        others[3].headers = [HeaderField("Authorization", "one")]
        others.append(same)
        others[4].partition = "one"
        for other in others {
            #expect(PictureQuery(other, sharingNamesWith: first).key.names !== first.key.names)
        }
        let other = first.key.stored(as: .pixels(.fit(20, 10)))
        #expect(other.names !== first.key.names)
    }
}
