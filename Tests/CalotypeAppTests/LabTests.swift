import CalotypeHTTP
import Testing

@testable import CalotypeApp

/// `LiveApp` sees that nothing of a run is left when the app has ended.
@Suite(.timeLimit(.minutes(2)))
struct LabTests {
    private static let structured = ["oneByOne", "pairs", "boundedGroup", "group"]
    private static let loose = ["tasks", "callbacks"]

    /// The ways in an event, by name.
    private static func ways(_ event: StreamReader.Event) throws -> [String: JSONValue] {
        let ways = try event.value["ways"]?.array ?? []
        return Dictionary(ways.map { ($0["way"]?.text ?? "", $0) }) { first, _ in first }
    }

    private static func settings(latency: Int, failures: Int = 0, width: Int = 4) -> [String: Int] {
        ["latency": latency, "failures": failures, "width": width]
    }

    @Test func `each way loads every image with one request`() async throws {
        try await LiveApp.open { rig in
            try await rig.withEvents(.post, "/api/lab", json: Self.settings(latency: 0)) { events in
                var last: [String: JSONValue] = [:]
                var names: [String] = []
                while let event = try await events.next() {
                    names.append(event.name)
                    if event.name == "ways" { last = try Self.ways(event) }
                }
                #expect(names.first == "lab")
                #expect(names.last == "end")
                #expect(last.keys.sorted() == LabWay.allCases.map(\.rawValue).sorted())
                for (name, way) in last {
                    #expect(way["images"]?.text == String(repeating: "f", count: 24), "\(name)")
                    #expect(way["requests"]?.number == 24, "\(name)")
                    #expect(way["late"]?.number == 0, "\(name)")
                    #expect(way["cancelled"] == .null, "\(name)")
                    #expect(way["end"] != .null, "\(name)")
                }
            }
        }
    }

    @Test func `a missing image ends no other load`() async throws {
        try await LiveApp.open { rig in
            let settings = Self.settings(latency: 0, failures: 25)
            try await rig.withEvents(.post, "/api/lab", json: settings) { events in
                var last: [String: JSONValue] = [:]
                while let event = try await events.next() {
                    if event.name == "ways" { last = try Self.ways(event) }
                }
                #expect(last.count == LabWay.allCases.count)
                for (name, way) in last {
                    let images = way["images"]?.text ?? ""
                    #expect(images.filter { $0 == "x" }.count == 6, "\(name)")
                    #expect(images.filter { $0 == "f" }.count == 18, "\(name)")
                }
            }
        }
    }

    @Test func `a cancellation stops the structured ways, and the end of the page all`() async throws {
        try await LiveApp.open { rig in
            try await rig.withEvents(.post, "/api/lab", json: Self.settings(latency: 15_000)) { events in
                let start = try #require(try await events.next())
                let id = try #require(try start.value["id"]?.text)
                var isCancelled = false
                while let event = try await events.next() {
                    let ways = try Self.ways(event)
                    if !isCancelled, ways.values.allSatisfy({ $0["images"]?.text?.contains("r") == true }) {
                        #expect(try await rig.post("/api/lab/\(id)/cancel", "").status == 204)
                        isCancelled = true
                    }
                    guard Self.structured.allSatisfy({ ways[$0]?["end"]?.number != nil }) else { continue }
                    for name in Self.structured {
                        let images = ways[name]?["images"]?.text ?? ""
                        #expect(images.contains("c"), "\(name)")
                        #expect(images.allSatisfy { "cw".contains($0) }, "\(name)")
                        #expect(ways[name]?["late"]?.number == 0, "\(name)")
                    }
                    for name in Self.loose {
                        #expect(ways[name]?["cancelled"]?.number != nil, "\(name)")
                        #expect(ways[name]?["images"]?.text?.contains("c") == false, "\(name)")
                    }
                    // Leaves the page while they still load.
                    return
                }
                Issue.record("the run ended before the ways did")
            }
        }
    }

    @Test func `settings out of range, ended runs and a third run are refused`() async throws {
        try await LiveApp.open { rig in
            #expect(
                try await rig.send(.post, "/api/lab", json: Self.settings(latency: 0, width: 0)).status == 400
            )
            #expect(try await rig.post("/api/lab/nothing/cancel", "").status == 404)
            #expect(try await rig.post("/api/lab/nothing/fault", #"{"fault":"cut"}"#).status == 404)
            let long = Self.settings(latency: 15_000)
            try await rig.withEvents(.post, "/api/lab", json: long) { first in
                let start = try #require(try await first.next())
                let id = try #require(try start.value["id"]?.text)
                #expect(try await rig.post("/api/lab/\(id)/fault", #"{"fault":"flood"}"#).status == 400)
                #expect(try await rig.post("/api/lab/\(id)/fault", #"{"fault":"slow"}"#).status == 204)
                try await rig.withEvents(.post, "/api/lab", json: long) { second in
                    _ = try await second.next()
                    let third = try await rig.send(.post, "/api/lab", json: long)
                    #expect(third.status == 503)
                    #expect(third.code == "too_many_runs")
                }
            }
        }
    }

    @Test(
        arguments: [
            (nil, "http://127.0.0.1:1/latency/50/2.jpg", "http://localhost:1/latency/50/3.jpg"),
            (.slow, "http://127.0.0.1:1/slow/2000/2.jpg", "http://localhost:1/slow/2000/3.jpg"),
            (.cut, "http://127.0.0.1:1/cut-first/1/1024/2.jpg", "http://localhost:1/cut-first/1/1024/3.jpg"),
            (
                .busy, "http://127.0.0.1:1/limited/4/2.jpg?retry-after=1",
                "http://localhost:1/limited/4/3.jpg?retry-after=1"
            ),
            (
                .unknownHost, "http://gone.invalid:1/latency/50/2.jpg",
                "http://gone.invalid:1/latency/50/3.jpg"
            ),
            (.oneHost, "http://127.0.0.1:1/latency/50/2.jpg", "http://127.0.0.1:1/latency/50/3.jpg"),
        ] as [(LabFault?, String, String)]
    )
    func `a fault is in the URLs of the images`(fault: LabFault?, even: String, odd: String) {
        let settings = LabSettings(latency: 50, failures: 0, width: 4)
        #expect(LabFault.url(of: 2, at: 1, fault, settings) == even)
        #expect(LabFault.url(of: 3, at: 1, fault, settings) == odd)
    }
}
