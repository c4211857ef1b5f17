import Calotype
import CalotypeBulk
import CalotypeCore
import CalotypeOrigin
import CalotypeTestKit
import TaskFlow
import Testing

/// The job with manners over the real pipeline, with a real server.
@Suite(.timeLimit(.minutes(2)))
struct MannersTests {
    private static let pictures = PicturesInMemory([
        "a.jpg": TinyPicture.jpeg(PixelSize(width: 64, height: 48))
    ])

    /// Fetches `paths`, and returns the report and the origin's counts.
    private func fetch(
        _ paths: [String],
        robots: String? = nil,
        faults: FaultPlan = FaultPlan(),
        _ manners: HostManners.Options = HostManners.Options()
    ) async throws -> (rows: [ReportRow], counts: OriginStatistics) {
        let folder = try Folder()
        var configuration = OriginConfiguration(pictures: Self.pictures)
        configuration.robots = robots
        return try await withOrigin(configuration) { origin in
            var options = FetchOptions(source: .urls(paths.map(origin.url)), output: folder.output)
            options.stateHome = folder.state
            options.report = folder.report
            options.order = .input
            var configuration = PipelineConfiguration()
            options.manners = HostManners(manners, for: configuration)
            options.manners?.apply(to: &configuration)
            _ = try await withImagePipeline(configuration) { [options] pipeline in
                try await options.manners?.following(in: pipeline) {
                    try await FetchJob(options, loader: pipeline).run()
                }
            }
            return (try ReportRow.rows(folder.text(folder.report)), origin.statistics)
        }
    }

    @Test func `robots txt is requested once, and decides about each URL and about redirects`() async throws {
        let paths = ["/pictures/a.jpg", "/small/a.jpg", "/redirect/1/a.jpg", "/html/a.jpg"]
        let result = try await fetch(
            Array(repeating: paths, count: 20).flatMap(\.self),
            robots: "User-agent: *\nDisallow: /\n\nUser-agent: calotype\nDisallow: /small\nDisallow: /html"
        )
        let codes = result.rows.prefix(4).map(\.code)
        #expect(codes == [nil, "disallowed_by_robots", nil, "disallowed_by_robots"])
        #expect(result.counts.requestsByPrefix["/robots.txt"] == 1)
        #expect(result.counts.requestsByPrefix["/small"] == nil)
        let beyond = try await fetch(["/redirect/1/a.jpg"], robots: "User-agent: *\nDisallow: /pictures")
        #expect(beyond.rows.map(\.code) == ["disallowed_by_robots"])
    }

    @Test func `a picture whose head refuses it is not received`() async throws {
        let result = try await fetch([
            "/pictures/a.jpg?field=X-Robots-Tag:noai", "/pictures/a.jpg?field=TDM-Reservation:1",
            "/pictures/a.jpg?field=X-Robots-Tag:otherbot:%20noai", "/pictures/a.jpg",
        ])
        let refused = "disallowed_by_robots"
        #expect(result.rows.map(\.code) == [refused, refused, nil, nil])
    }

    @Test func `all entries of a host that responds with 429 end`() async throws {
        var manners = HostManners.Options()
        manners.pace.basePause = .milliseconds(20)
        let paths = (0..<1000).map { "/limited/400/a.jpg?n=\($0)" }
        let result = try await fetch(paths, manners)
        #expect(result.rows.count == 1000 && result.rows.allSatisfy { $0.status == "ok" })
        #expect(result.counts.responsesByStatus[429, default: 0] < 500)
    }

    @Test(arguments: [false, true])
    func `two names of one address end well together, and a probe as well`(_ probes: Bool) async throws {
        let folder = try Folder()
        try await withOrigin(OriginConfiguration(pictures: Self.pictures)) { origin in
            let url = origin.url("/pictures/a.jpg")
            let urls = (0..<60).map { number in
                let name = number % 2 == 0 ? url : url.replacing("127.0.0.1", with: "localhost")
                return "\(name)?n=\(number)"
            }
            let list = try folder.write(Array(urls.joined(separator: "\n").utf8), to: "list.txt")
            var options = DatasetOptions(input: list, output: folder.output)
            var manners = HostManners.Options()
            (manners.groupsByAddress, manners.pace.probes) = (true, probes)
            var configuration = PipelineConfiguration()
            options.manners = HostManners(manners, for: configuration)
            options.manners?.apply(to: &configuration)
            let summary = try await withImagePipeline(configuration) { [options] pipeline in
                try await DatasetJob(options, pipeline: pipeline).run()
            }
            #expect(summary.succeeded == 60 && summary.exitCode == 0)
        }
    }

    @Test func `a crawl delay is kept from the first picture on`() async throws {
        let start = ContinuousClock.now
        let paths = (0..<5).map { "/pictures/a.jpg?n=\($0)" }
        let result = try await fetch(paths, robots: "User-agent: calotype\nCrawl-delay: 0.2")
        #expect(result.rows.allSatisfy { $0.status == "ok" })
        #expect(ContinuousClock.now - start >= .milliseconds(600))
    }
}
