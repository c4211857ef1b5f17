import Calotype
import CalotypeCatalog
import CalotypeHTTP
import CalotypeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct CatalogSnippets {
    private static let app = """
        {"trackId": 1, "trackName": "One", "trackViewUrl": "http://a.test/1", \
        "artworkUrl512": "http://a.test/512x512bb.jpg"}
        """

    /// Runs `body` with a pipeline whose App Store has one app, whatever it is asked.
    private func withStore(
        _ text: String = #"{"resultCount": 1, "results": [\#(app)]}"#,
        status: Int = 200,
        _ body: (ImagePipeline) async throws -> Void
    ) async throws {
        try await withSamplePipeline { pipeline, transport in
            transport.answer { request in
                guard request.url.text.contains("/search?") else { return nil }
                return ScriptedResponse(status: status, body: [.bytes(Array(text.utf8))])
            }
            try await body(pipeline)
        }
    }

    /// Compiles only: it asks the real services.
    private func icons() async throws {
        // snippet: Catalog.icons
        try await withImagePipeline { pipeline in
            let catalog = Catalog(pipeline)
            let apps = try await catalog.apps.search("camera")
            let icons = apps.map { ImageRequest($0.iconURL(side: 128), .fit(128, 128)) }
            for await outcome in pipeline.renditions(for: icons, limit: 8) {
                print(apps[outcome.index].name, outcome.result)
            }
        }
        // end
    }

    @Test func `a search in short`() async throws {
        try await withStore { pipeline in
            // snippet: Catalog.short
            let catalog = Catalog(pipeline)
            for app in try await catalog.apps.search("camera") {
                print(app.position, app.name, app.rating?.text ?? "-", app.price ?? "-")
            }
            // end
        }
    }

    @Test func `a search with its query`() async throws {
        try await withStore { pipeline in
            // snippet: Catalog.query
            let catalog = Catalog(pipeline)
            let query = AppStoreQuery("camera & film", country: "de", limit: 20)
            let response = try await catalog.apps.response(to: query)
            for app in response.apps {
                print(app.position, app.name, app.rating?.text ?? "-", app.price ?? "-")
            }
            for entry in response.skipped { print(entry) }
            // end
            #expect(response.apps.map(\.id) == [1] && response.skipped.isEmpty)
        }
    }

    @Test func `a refusal`() async throws {
        try await withStore("", status: 429) { pipeline in
            let catalog = Catalog(pipeline)
            // snippet: Catalog.refusal
            do {
                print(try await catalog.apps.search("camera").count)
            } catch let error as CatalogError where error.code == .rateLimited {
                print("asked too often; again in", error.retryAfter ?? .seconds(60))
            } catch let error as CatalogError {
                print(error.code, error.message)
            }
            // end
        }
    }

    @MainActor
    @Test func `a model`() async throws {
        let screen = Screen()
        try await withStore { pipeline in
            let catalog = Catalog(pipeline)
            // snippet: Catalog.model
            let model = AppStoreSearchModel(catalog.apps)
            model.onChange = { state in
                switch state {
                case .initial: screen.invite()
                case .loading(let query): screen.spin(query.term)
                case .empty(let response): screen.say("nothing for \(response.query.term)")
                case .results(let response): screen.show(response.apps)
                case .failed(_, let error): screen.say(error.message)
                }
            }
            model.search("camera")
            // end
            let shown = try await screen.shown.wait(count: 2)
            #expect(shown == ["spin camera", "show 1"])
        }
    }

    @MainActor
    @Test func `a model in short`() async throws {
        let screen = Screen()
        try await withStore { pipeline in
            let catalog = Catalog(pipeline)
            // snippet: Catalog.shortModel
            let model = AppStoreSearchModel(catalog.apps)
            model.onChange = { state in screen.draw(state) }
            model.search("camera")
            // end
            let shown = try await screen.shown.wait(count: 2)
            #expect(shown == ["draw", "draw"])
        }
    }

    /// Compiles only: it asks a server that is not there.
    private func otherServer(_ pipeline: ImagePipeline) async throws {
        // snippet: Catalog.services
        let services = CatalogServices(base: "http://127.0.0.1:8080")
        let catalog = Catalog(pipeline, CatalogConfiguration(services: services))
        let album = try await catalog.album(7)
        let robot = try catalog.robot("any text", RobotStyle(kind: .kittens))
        let paths = try JSONPath("$.photos[*].url")
        let listed = try await catalog.pictures(at: "http://127.0.0.1:8080/list.json", path: paths)
        // end
        print(album, robot, listed)
    }

    @Test func `responses that are stored`() {
        let folder = "/tmp/calotype"
        // snippet: Catalog.keeping
        var configuration = PipelineConfiguration()
        configuration.diskCache = DiskCacheConfiguration(folder: folder)
        configuration.stores = [.renditions, .documents]
        // end
        #expect(configuration.stores.contains(.documents))
    }
}

/// What a program draws on.
@MainActor
private final class Screen {
    let shown = Recorder<String>()

    func invite() { shown.record("invite") }
    func spin(_ term: String) { shown.record("spin \(term)") }
    func say(_ text: String) { shown.record("say \(text)") }
    func show(_ apps: [AppStoreEntity]) { shown.record("show \(apps.count)") }
    func draw(_ state: AppStoreSearchModel.State) { shown.record("draw") }
}
