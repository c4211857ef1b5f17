import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeCatalog

/// The catalogue over a real transport, against an origin of this process that answers as the services do.
@Suite(.timeLimit(.minutes(1)))
struct CatalogOriginTests {
    private func withCatalog(
        fault: String? = nil,
        _ change: (inout OriginConfiguration) -> Void = { _ in },
        _ body: (Catalog, Origin, ImagePipeline) async throws -> Void
    ) async throws {
        var configuration = OriginConfiguration(
            pictures: PicturesInMemory(["1.png": TinyPicture.png()])
        )
        change(&configuration)
        try await withOrigin(configuration) { origin in
            let base = fault.map { origin.faultyURL($0) } ?? origin.baseURL
            var settings = PipelineConfiguration()
            settings.retries = 0
            try await withImagePipeline(settings) { pipeline in
                let services = CatalogServices(base: base)
                try await body(Catalog(pipeline, CatalogConfiguration(services: services)), origin, pipeline)
                try await QuietCheck.expectQuiet(pipeline)
            }
        }
    }

    @Test func `a search finds apps whose icons and screenshots load`() async throws {
        try await withCatalog { catalog, _, pipeline in
            let answer = try await catalog.apps.response(to: AppStoreQuery("camera", limit: 20))
            #expect(!answer.apps.isEmpty && answer.apps.count <= 20 && answer.skipped.isEmpty)
            #expect(answer.apps.map(\.position) == Array(1...answer.apps.count))
            #expect(answer.listing.freshUntil != nil)
            let app = try #require(answer.apps.first { !$0.screenshots.isEmpty })
            let icon = try await pipeline.bitmap(for: ImageRequest(app.iconURL(side: 64)))
            #expect(icon.size == PixelSize(width: 64, height: 64))
            // Small, so that it is drawn in time on any machine.
            let small = app.screenshots[0].url.replacing("392x696", with: "98x174")
            let shot = try await pipeline.info(of: .url(small))
            #expect(shot.facts.size.width > 0)
            let again = try await catalog.apps.app(app.id)
            #expect(again.name == app.name && again.position == 1)
        }
    }

    @Test(arguments: [
        "R&D Notes + Sketches", "“Quoted” Poems", "🌈 Rainbow Camera", "100% Focus? Yes!", "夜空カメラ",
        "Ærø Weather",
        "Žofie & Łukasz – Zpěvník", "مصور الصحراء", "<b>Bold</b> Text Editor",
    ])
    func `any term comes to the origin as it was, and its app is the first`(_ name: String) async throws {
        try await withCatalog { catalog, _, _ in
            let apps = try await catalog.apps.search(name)
            #expect(apps.first?.name == name)
        }
    }

    @Test func `a term of signs alone finds the names that have them`() async throws {
        try await withCatalog { catalog, _, _ in
            let apps = try await catalog.apps.search("🌈")
            #expect(apps.map(\.name) == ["🌈 Rainbow Camera"])
        }
    }

    @Test func `no results are a valid response`() async throws {
        try await withCatalog { catalog, _, _ in
            let apps = try await catalog.apps.search("zzqqxxyy")
            #expect(apps.isEmpty)
            let error = await #expect(throws: CatalogError.self) { try await catalog.apps.app(99) }
            #expect(error?.code == .noSuchApp)
        }
    }

    @Test(
        arguments: [
            ("403", "rate_limited", 60), ("429", "rate_limited", 60), ("429-after-5", "rate_limited", 5),
            ("500", "http_500", nil), ("503", "http_503", nil), ("html", "not_json", nil),
            ("cut", "truncated_body", nil),
            ("empty", "invalid_document", nil),
            ("garbage", "protocol_error", nil),
        ] as [(String, String, Int?)]
    )
    func `each refusal is its error`(_ fault: String, _ code: String, _ seconds: Int?) async throws {
        try await withCatalog(fault: fault) { catalog, _, _ in
            let error = await #expect(throws: CatalogError.self) { try await catalog.apps.search("camera") }
            #expect(error?.code.rawValue == code)
            #expect(error?.retryAfter == seconds.map { .seconds($0) })
        }
    }

    @Test func `odd entries are kept or left out, and the others are as ever`() async throws {
        try await withCatalog(fault: "odd") { catalog, _, _ in
            let answer = try await catalog.apps.response(to: AppStoreQuery("camera"))
            #expect(!answer.apps.isEmpty && !answer.skipped.isEmpty)
            #expect(answer.apps.allSatisfy { !$0.name.isEmpty && CatalogURL.fault($0.icon) == nil })
        }
    }

    @Test func `an origin that is asked too often says so, and is then left alone`() async throws {
        try await withCatalog {
            $0.apiLimit = 2
        } _: { catalog, origin, _ in
            _ = try await catalog.apps.search("camera")
            _ = try await catalog.apps.search("music")
            for _ in 0..<3 {
                let error = await #expect(throws: CatalogError.self) { try await catalog.apps.search("maps") }
                #expect(error?.code == .rateLimited)
            }
            #expect(origin.statistics.requestsByPrefix["/search"] == 3)
        }
    }

    @MainActor
    @Test func `a search that is replaced closes its connection at the origin`() async throws {
        try await withCatalog(fault: "latency-30000") { catalog, origin, _ in
            let model = AppStoreSearchModel(catalog.apps)
            model.search("camera")
            _ = try await origin.statistics { $0.requests == 1 }
            model.search("music")
            _ = try await origin.statistics { $0.requests == 2 && $0.earlyHangUps == 1 }
            #expect(model.state.query?.term == "music" && model.state.isLoading)
            model.clear()
            _ = try await origin.statistics { $0.earlyHangUps == 2 }
        }
    }

    @Test func `an album has its photos, and most of them may fail`() async throws {
        try await withCatalog { catalog, _, pipeline in
            let album = try await catalog.album(7)
            #expect(album.entries.count == 50 && album.skipped.isEmpty)
            #expect(album.entries.allSatisfy { $0.albumID == 7 })
            let thumbnail = try await pipeline.info(of: .url(album.entries[0].thumbnail.url))
            #expect(thumbnail.facts.size.width > 0)
        }
    }

    @Test func `an album that is not there is an error`() async throws {
        try await withCatalog { catalog, _, _ in
            let error = await #expect(throws: CatalogError.self) { try await catalog.album(1_000) }
            #expect(error?.code == .http(status: 404))
        }
    }

    @Test func `a robot of any text loads`() async throws {
        try await withCatalog { catalog, _, pipeline in
            let style = RobotStyle(size: PixelSize(width: 50, height: 50))
            for text in ["fox", "a/b c&🤖?", "..", "100%"] {
                let robot = try catalog.robot(text, style)
                let info = try await pipeline.info(of: .url(robot.url))
                #expect(info.facts.size == PixelSize(width: 50, height: 50))
            }
        }
    }

    @Test func `the origin's lists are JSON like any other`() async throws {
        try await withCatalog { catalog, origin, _ in
            let url = "\(origin.baseURL)/albums/7/photos"
            let path = try JSONPath("$[*].thumbnailUrl")
            let pictures = try await catalog.pictures(at: url, path: path)
            #expect(pictures.entries.count == 50)
        }
    }
}
