import Calotype
import CalotypeBulk
import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeServer
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeApp

/// What is left of a wall: its report and its zip file.
@Suite(.timeLimit(.minutes(1)))
struct WallReportTests {
    /// The report that `calotype fetch` writes of the same URLs, made as the server makes them.
    private static func fetched(_ urls: [String], _ app: LiveApp, side: Int) async throws -> String {
        try await withScratchFolder { folder in
            var options = FetchOptions(source: .urls(urls), output: "\(folder)/out")
            options.transform = .fit(side, side)
            options.formats = [.jpeg(quality: OutputFormat.defaultQuality)]
            options.report = "\(folder)/report.jsonl"
            options.stateHome = "\(folder)/state"
            options.order = .input
            options.limits = ServerConfiguration().limits
            var configuration = PipelineConfiguration()
            configuration.retries = 0
            try await withImagePipeline(configuration) { pipeline in
                _ = try await FetchJob(options, loader: pipeline).run()
            }
            return try String(contentsOfFile: "\(folder)/report.jsonl", encoding: .utf8)
        }
    }

    /// The lines without what is measured, in the order of the list.
    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { line in
            let cut = line.firstRange(of: ",\"ms\":")
            return String(line[..<(cut?.lowerBound ?? line.endIndex)])
        }.sorted()
    }

    @Test func `the report is the one that fetch writes, with the names in the zip file`() async throws {
        try await LiveApp.open { app in
            let urls = [
                app.photo(1), app.origin.url("/status/404"), app.origin.url("/html/photo.jpg"),
                "http://127.0.0.1:1/a.jpg",
            ]
            let wall = try await WallTests.load(app, .init(urls: urls, side: 32))
            let report = try await app.send(.get, "/api/walls/\(wall.id)/report")
            #expect(report.status == 200 && report.headers["Content-Type"] == "application/jsonl")
            #expect(
                report.headers["Content-Disposition"] == "attachment; filename=\"calotype-report.jsonl\""
            )
            let expected = try await Self.fetched(urls, app, side: 32)
            let named = expected.replacing("000000000.jpg", with: "photo.jpg")
            #expect(Self.lines(report.text) == Self.lines(named))
            #expect(report.text.contains("\"ms\":"))
        }
    }

    @Test func `the zip file has the pictures that were made, and the report`() async throws {
        try await LiveApp.open { app in
            let urls = [app.photo(1), app.origin.url("/status/404"), app.photo(2)]
            let wall = try await WallTests.load(app, .init(urls: urls, side: 32))
            let src = try #require(wall.entries.first { $0.index == 0 }?.src)
            let picture = try await app.send(.get, src)
            let zip = try await app.send(.get, "/api/walls/\(wall.id)/zip")
            #expect(zip.status == 200 && zip.headers["Content-Type"] == "application/zip")
            let members = try await UnpackedZip.members(of: zip.bytes)
            #expect(members.map(\.name) == ["photo.jpg", "photo-2.jpg", "report.jsonl"])
            #expect(members.first?.bytes == picture.bytes)
            let lines = members.last.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
            #expect(lines.split(separator: "\n").count == 3 && lines.contains("\"http_404\""))
        }
    }

    @Test func `a client that takes the zip file slowly slows the loads down`() async throws {
        let side = PixelSize(width: 400, height: 300)
        let photo = try await DrawnPicture.encoded(side, as: .png)
        let events = Recorder<PipelineEvent.Kind>()
        try await LiveApp.open(pictures: ["photo.jpg": photo]) { server in
            server.pipeline.observer = { events.record($0.kind) }
            server.pipeline.memoryCache = .none
        } _: { app in
            let count = 150
            let wall = try await WallTests.load(
                app,
                .init(urls: (0..<count).map { app.photo($0) }, side: 1024)
            )
            #expect(wall.ok == count)
            let before = events.values.count { $0 == .started }
            let request = try app.request(.get, "/api/walls/\(wall.id)/zip")
            let bytes = try await app.client.withResponse(to: request) { response in
                var pieces = response.body.makeAsyncIterator()
                var bytes = try await pieces.next() ?? []
                try await ContinuousClock().sleep(for: .milliseconds(300))
                #expect(events.values.count { $0 == .started } - before < count / 2)
                while let piece = try await pieces.next() { bytes += piece }
                return bytes
            }
            let members = try await UnpackedZip.members(of: bytes)
            #expect(members.count == count + 1)
        }
    }

    @Test func `a client that goes ends the zip file, and nothing of it is left`() async throws {
        try await LiveApp.open { app in
            let wall = try await WallTests.load(
                app,
                .init(urls: (0..<50).map { app.photo($0) }, side: 32)
            )
            let request = try app.request(.get, "/api/walls/\(wall.id)/zip")
            try await app.client.withResponse(to: request) { #expect($0.status == 200) }
        }
    }

    @Test func `captions are in the events and in the report`() async throws {
        try await LiveApp.open { app in
            let list = "url,caption\n\(app.photo(1)),A boat\nbroken\n\(app.photo(2)),\n"
            let wall = try await WallTests.load(app, .init(list: list, side: 32))
            let entries = wall.entries.sorted { $0.index < $1.index }
            #expect(entries.map(\.caption) == ["A boat", nil, nil])
            #expect(entries.map(\.status) == ["ok", "failed", "ok"])
            #expect(entries[1].message == "line 3 has 1 column, but the header has 2")
            let report = try await app.send(.get, "/api/walls/\(wall.id)/report").text
            #expect(report.contains("\"caption\":\"A boat\"") && report.contains("\"caption\":null"))
        }
    }

    @Test func `there is nothing of a wall that is not known`() async throws {
        try await LiveApp.open { app in
            for what in ["report", "zip"] {
                let answer = try await app.send(.get, "/api/walls/none/\(what)")
                #expect(answer.status == 404 && answer.code == "not_found")
            }
        }
    }
}
