import CalotypeCodec
import CalotypeCore
import CalotypeHTTPListener
import CalotypeOrigin
import CalotypeSamplePictures
import FoundationEssentials
import TaskFlow

/// The routes of the lab, which loads the same images in several ways at the same time.
struct LabRoutes: Sendable {
    private struct FaultRequest: Decodable {
        let fault: LabFault?
    }

    let services: AppServices
    let timeline: Timeline
    private let registry = LabRegistry()

    init(services: AppServices, timeline: Timeline) {
        self.services = services
        self.timeline = timeline
    }

    var routes: [APIRoute] {
        [
            APIRoute("POST", "/lab") { try await begin($0) },
            APIRoute("POST", "/lab/{id}/cancel") { call in
                try registry.run(call.parameters["id"]).cancel()
                return OutgoingResponse(204)
            },
            APIRoute("POST", "/lab/{id}/fault") { call in
                let run = try registry.run(call.parameters["id"])
                run.set(try await call.json(as: FaultRequest.self).fault)
                return OutgoingResponse(204)
            },
        ]
    }

    /// Starts a run, which lives as long as the request.
    private func begin(_ call: APICall) async throws -> OutgoingResponse {
        let settings = try await call.json(as: LabSettings.self)
        try settings.check()
        try registry.checkRoom()
        let clock = services.configuration.clock
        return EventStream.response(clock: clock, until: services.draining) { [registry, timeline] stream in
            let run = LabRun(
                id: UUID().uuidString.lowercased(),
                settings,
                try await registry.pictures(),
                clock: clock,
                now: { timeline.now }
            )
            try await registry.running(run) { try await run.report(to: stream) }
        }
    }
}

/// The lab's running comparisons, and the images for them.
final class LabRegistry: Sendable {
    /// The maximum number of runs at a time: each has an origin for each way.
    static let mostRuns = 2

    private let runs = Guarded<[LabRun]>([])
    private let drawn = Guarded<PicturesInMemory?>(nil)

    /// Returns the run called `id`.
    ///
    /// - Throws: 404 if it has ended.
    func run(_ id: Substring?) throws(APIError) -> LabRun {
        guard let id, let run = runs.withLock({ $0.first { $0.id == id } }) else {
            throw APIError(404, "not_found", "this run has ended")
        }
        return run
    }

    /// Checks whether another run may start.
    ///
    /// - Throws: 503 if too many are running.
    func checkRoom() throws(APIError) {
        guard runs.withLock({ $0.count < Self.mostRuns }) else { throw .tooManyRuns }
    }

    /// Lists `run` until `body` returns.
    ///
    /// - Throws: 503 if too many are running; errors of `body`.
    func running(_ run: LabRun, _ body: () async throws -> Void) async throws {
        let isAdmitted = runs.withLock { runs in
            guard runs.count < Self.mostRuns else { return false }
            runs.append(run)
            return true
        }
        guard isAdmitted else { throw APIError.tooManyRuns }
        defer { runs.withLock { $0.removeAll { $0 === run } } }
        try await body()
    }

    /// Returns the images, which are drawn for the first run; two first runs at a time both draw them.
    func pictures() async throws -> PicturesInMemory {
        if let pictures = drawn.withLock(\.self) { return pictures }
        let collection = SampleCollection(count: LabAlbum.count, megapixels: 0.02...0.03)
        let files = try await withImageCodec { codec in
            try await withSampleRenderer(collection, codec: codec) { renderer in
                var files: [String: [UInt8]] = [:]
                for (index, spec) in collection.specs.enumerated() {
                    let side = max(spec.picture.size.width, spec.picture.size.height)
                    files["\(index).jpg"] = try await renderer.smallBytes(named: spec.name, side: side)
                }
                return files
            }
        }
        let pictures = PicturesInMemory(files)
        drawn.withLock { $0 = pictures }
        return pictures
    }
}

extension APIError {
    fileprivate static let tooManyRuns = APIError(
        503,
        "too_many_runs",
        "\(LabRegistry.mostRuns) comparisons are running; try again when one has finished"
    )
}

/// The start of a run in the API.
struct LabBeginning: Encodable, Sendable {
    let id: String
    let ways = LabWay.allCases
    let images = LabAlbum.count
}

/// The state of all ways in the API; times are in milliseconds since the server's start.
struct LabProgress: Encodable, Sendable {
    struct Way: Encodable, Sendable {
        let way: LabWay
        /// A letter for each image: waiting, running, finished, failed (x) or cancelled.
        let images: String
        let requests: Int
        let late: Int
        @Nullable var start: Double?
        @Nullable var cancelled: Double?
        @Nullable var end: Double?
    }

    let now: Double
    let ways: [Way]

    init(_ records: [LabAlbum.Record], at now: Duration) {
        self.now = now.milliseconds
        ways = zip(LabWay.allCases, records).map { way, record in
            Way(
                way: way,
                images: String(record.images.map(\.rawValue)),
                requests: record.requests,
                late: record.late,
                start: .init(wrappedValue: record.start?.milliseconds),
                cancelled: .init(wrappedValue: record.cancelled?.milliseconds),
                end: .init(wrappedValue: record.end?.milliseconds)
            )
        }
    }
}

/// The end of a run in the API.
struct LabEnding: Encodable, Sendable {
    let ending = "finished"
}
