import CalotypeOrigin
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ServiceFaultTests {
    @Test(
        arguments: [
            ("403", 403, nil), ("429", 429, nil), ("429-after-5", 429, "5"), ("503-after-0", 503, "0"),
        ] as [(String, Int, String?)]
    )
    func `a service refuses with an empty body`(fault: String, status: Int, seconds: String?) async throws {
        try await withTestOrigin { origin, client in
            let answer = await client.get(url: origin.faultyURL(fault) + "/search?term=camera")
            #expect(answer.status == status)
            #expect(answer.body.isEmpty)
            #expect(answer.field("Retry-After") == seconds)
            #expect(origin.statistics.requestsByPrefix == ["/search": 1])
        }
    }

    @Test func `a response is a page, cut, halved or empty`() async throws {
        try await withTestOrigin { origin, client in
            let whole = await client.get("/search?term=camera").body
            let page = await client.get("/api-faults/html/search?term=camera")
            #expect(page.status == 200)
            #expect(page.field("Content-Type") == "text/html; charset=utf-8")
            let half = await client.get("/api-faults/half/search?term=camera")
            #expect(half.body == Array(whole[..<(whole.count / 2)]))
            #expect(half.field("Content-Length") == "\(whole.count / 2)")
            let cut = await client.get("/api-faults/cut/search?term=camera")
            #expect(cut.body.count < whole.count)
            #expect(cut.field("Content-Length") == "\(whole.count)")
            #expect(await client.get("/api-faults/empty/lookup?id=1").body.isEmpty)
        }
    }

    @Test func `a valid response can contain odd entries`() async throws {
        try await withTestOrigin { _, client in
            let answer = await client.get("/api-faults/odd/search?term=photo&limit=40")
            let found = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
            )
            let entries = try #require(found["results"] as? [Any])
            #expect(entries.count == 40)
            let objects = entries.compactMap { $0 as? [String: Any] }
            #expect(objects.count < 40)
            #expect(objects.contains { $0["trackId"] == nil })
            #expect(objects.contains { $0["averageUserRating"] is String })
            #expect(objects.contains { $0["somethingNew"] != nil })
            #expect(objects.contains { $0["price"] is NSNull })
            let first = await client.get("/api-faults/odd-17/search?term=photo&limit=2").body
            #expect(String(decoding: first, as: UTF8.self).contains("\"results\": [\nnull, \n{"))
        }
    }

    @Test func `only the first responses have the fault`() async throws {
        try await withTestOrigin { _, client in
            var statuses: [Int?] = []
            for _ in 0..<4 {
                statuses.append(await client.get("/api-faults/first-2-403/search?term=a").status)
            }
            #expect(statuses == [403, 403, 200, 200])
            #expect(await client.get("/api-faults/first-2-403/search?term=b").status == 403)
        }
    }

    @Test func `a valid response names pictures that are late or missing`() async throws {
        try await withTestOrigin { origin, client in
            let base = origin.faultyURL("pictures-404")
            let found: AppSearchTests.Found = try await client.json("\(base)/search?term=camera")
            let app = try #require(found.results.first)
            #expect(app.artworkUrl100.hasPrefix(origin.faultyURL("404") + "/apps/icons/"))
            #expect(await client.get(url: app.artworkUrl100).status == 404)
            #expect(await client.get(url: app.trackViewUrl).status == 200)
            let start = ContinuousClock.now
            let late = origin.faultyURL("latency-40") + "/pictures/a.jpg"
            #expect(await client.get(url: late).body == TestPictures.small)
            #expect(ContinuousClock.now - start >= .milliseconds(40))
            #expect(origin.statistics.requestsByPrefix["/apps/icons"] == 1)
        }
    }

    @Test func `clients that leave early are counted under the path`() async throws {
        try await withTestOrigin { origin, client in
            _ = await client.get("/api-faults/stall/search?term=camera", limit: 20)
            _ = await client.get("/api-faults/latency-60000/robots/x.png", limit: 0)
            _ = await client.get("/stall/50/a.jpg", limit: 20)
            let counts = try await origin.statistics { $0.earlyHangUps == 3 }
            #expect(counts.earlyHangUpsByPrefix == ["/search": 1, "/robots": 1, "/stall": 1])
            let json = String(decoding: await client.get("/stats").body, as: UTF8.self)
            #expect(
                json.contains("\"early_hang_ups_by_prefix\": {\"/robots\": 1, \"/search\": 1, \"/stall\": 1}")
            )
        }
    }

    @Test(arguments: [
        "nonsense", "399", "600", "429-after", "429-after-x", "latency", "latency-x", "first-1",
        "first-x-403",
        "pictures", "pictures-nonsense", "odd-20", "odd-x", "",
    ])
    func `an invalid fault gets status 400`(fault: String) async throws {
        try await withTestOrigin { _, client in
            #expect(await client.get("/api-faults/\(fault)/search?term=a").status == 400)
        }
    }

    @Test(arguments: ["", "/", "/nothing", "/stats", "/hang", "/api-faults/403/search"])
    func `only what is served can be spoilt`(path: String) async throws {
        try await withTestOrigin { _, client in
            #expect(await client.get("/api-faults/403\(path)").status == 404)
        }
    }

    @Test func `the plan of faults takes a share of the searches`() async throws {
        let plan = try FaultPlan(parsing: "503=50%")
        try await withTestOrigin(configure: { $0.faults = plan }) { _, client in
            var failed = 0
            for number in 0..<60 {
                failed += await client.get("/search?term=word\(number)").status == 503 ? 1 : 0
            }
            #expect((10...50).contains(failed))
        }
    }
}
